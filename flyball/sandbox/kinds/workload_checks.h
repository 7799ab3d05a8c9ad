#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/int_or_string.h"
#include "flyball/api/meta/v1.h"
#include "flyball/sandbox/api_status_error.h"

/// What kinds that make pods from a template have in common.
namespace flyball::sandbox {

/// The selector must be there, select something, and select the pods of the template. `kind` is
/// what upstream's text calls it.
void CheckTemplateSelector(const api::Box<meta::v1::LabelSelector>& selector,
                           const core::v1::PodTemplateSpec& pod, std::string_view kind,
                           FieldErrors& errors);
/// A template whose pods are to run for good.
void CheckLastingTemplate(const core::v1::PodTemplateSpec& pod, std::string_view kind,
                          FieldErrors& errors);
void CheckSelectorUnchanged(const api::Box<meta::v1::LabelSelector>& now,
                            const api::Box<meta::v1::LabelSelector>& before, FieldErrors& errors);
/// The labels, as they stand in an error.
std::string ShownLabels(const api::Map<std::string>& labels);

/// A number that is not negative, or a percentage.
void CheckShare(const api::IntOrString& share, const std::string& path, FieldErrors& errors);
/// Numbers of a status that are part of another.
void CheckPart(std::int32_t part, std::int32_t whole, const std::string& path,
               std::string_view whole_name, FieldErrors& errors);
void CheckNotNegative(const std::optional<std::int32_t>& number, const std::string& path,
                      FieldErrors& errors);

}  // namespace flyball::sandbox
