#pragma once

#include "flyball/api/json.h"

namespace flyball::api {

/// Whether two documents say the same: as operator==, but 1 and 1.0 are one number.
bool SameJson(const Json& a, const Json& b);

}  // namespace flyball::api
