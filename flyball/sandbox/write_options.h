#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flyball/sandbox/api_status_error.h"
#include "flyball/sandbox/request.h"

namespace flyball::sandbox {

/// What becomes of members that the kind does not have.
enum class FieldValidation : std::uint8_t { kIgnore, kWarn, kStrict };

/// Looks at what the query of a POST, PUT or PATCH asks for, and refuses what makes no sense there.
StatusOr<FieldValidation> WriteOptionsOf(const Request& request);

/// Adds what is wrong with a `dryRun`, which may be given more than once.
void CheckDryRun(const std::vector<std::string>& values, FieldErrors& errors);

}  // namespace flyball::sandbox
