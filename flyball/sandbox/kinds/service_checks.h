#pragma once

#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/api_status_error.h"

namespace flyball::sandbox {

FieldErrors CheckService(const core::v1::Service& service);
FieldErrors CheckServiceChange(const core::v1::Service& now, const core::v1::Service& before);

/// A list of texts as JSON, as it stands in an error.
std::string Listed(const std::vector<std::string>& texts);

}  // namespace flyball::sandbox
