#pragma once

#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/kinds/checks.h"

/// Checks that the kinds of storage share.
namespace flyball::sandbox {

/// What is in use does not go: controllers take the finalizer off when it is no longer.
void Protect(meta::v1::ObjectMeta& metadata, std::string_view finalizer);

/// Names of drivers are the same in any case.
std::string Lowered(std::string_view text);

/// What a CSI driver is called, wherever one is named.
void CheckDriverName(std::string_view name, const std::string& path, FieldErrors& errors);
/// A driver's or a provisioner's name that has a prefix or not, in any case; not whether it is
/// there.
void CheckProvisioner(std::string_view name, const std::string& path, FieldErrors& errors);
/// What a class tells a driver.
void CheckParameters(const api::Map<std::string>& parameters, bool may_be_empty,
                     FieldErrors& errors);

/// A volume of a CSI driver's, in a PersistentVolume or in place of one.
void CheckCsiSource(const core::v1::CSIPersistentVolumeSource& csi, const std::string& path,
                    FieldErrors& errors);
void CheckNodeAffinity(const core::v1::VolumeNodeAffinity& affinity, const std::string& path,
                       FieldErrors& errors);

/// What upstream declares of a field that may not change, and what it programs.
FieldError DeclaredImmutable(std::string field);
FieldError Immutable(std::string field, std::string shown);

}  // namespace flyball::sandbox
