#pragma once

#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/api_status_error.h"

/// What is wrong with a pod's specification: in a pod, or in the template of one.
namespace flyball::sandbox {

void CheckPodSpec(const core::v1::PodSpec& spec, const std::string& path, FieldErrors& errors);
void CheckPodTemplate(const core::v1::PodTemplateSpec& pod, const std::string& path,
                      FieldErrors& errors);
/// All that a pod is held to beyond its specification.
FieldErrors CheckNewPod(const core::v1::Pod& pod);

}  // namespace flyball::sandbox
