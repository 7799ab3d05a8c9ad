#pragma once

/// What the generated value types are made of.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/box.h"
#include "flyball/api/duration.h"
#include "flyball/api/int_or_string.h"
#include "flyball/api/map.h"
#include "flyball/api/quantity.h"
#include "flyball/api/raw_json.h"
#include "flyball/api/time.h"
#include "flyball/api/type_info.h"
#include "flyball/api/unknown_fields.h"

namespace flyball::api {

/// Bytes that JSON writes as base64.
using Bytes = std::string;

/// A bool that can stand in a std::vector and be pointed at there.
struct Boolean {
  bool value = false;
  Boolean() = default;
  Boolean(bool v) : value(v) {}
  operator bool() const { return value; }
};

}  // namespace flyball::api
