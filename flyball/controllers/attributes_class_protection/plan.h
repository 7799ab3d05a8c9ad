#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/storage/v1.h"
#include "flyball/controllers/common/protection.h"

namespace flyball::controllers::attributes_class_protection {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using storage::v1::VolumeAttributesClass;

inline constexpr std::string_view kFinalizer = "kubernetes.io/vac-protection";

/// The classes of attributes that something needs: what it asks for, what it has, and what it is
/// about to get. Each once.
std::vector<std::string> ClassesOf(const PersistentVolumeClaim& claim);
std::vector<std::string> ClassesOf(const PersistentVolume& volume);

/// Those that were needed before and are not now, so that they may go.
template <typename T>
std::vector<std::string> ClassesLeft(const T& before, const T& now) {
  std::vector<std::string> left = ClassesOf(before);
  for (const std::string& still : ClassesOf(now)) std::erase(left, still);
  return left;
}

/// Decides.
common::Protection PlanFor(const VolumeAttributesClass& attributes, bool used);

}  // namespace flyball::controllers::attributes_class_protection
