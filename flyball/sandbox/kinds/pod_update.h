#pragma once

#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/api_status_error.h"

namespace flyball::sandbox {

/// What is wrong with a change of a pod, or of one of its subresources. Little of a pod's spec may
/// change once the pod exists: it describes what is running.
FieldErrors CheckPodChange(const core::v1::Pod& now, const core::v1::Pod& before,
                           std::string_view subresource);

}  // namespace flyball::sandbox
