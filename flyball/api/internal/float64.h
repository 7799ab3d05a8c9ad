#pragma once

#include <optional>
#include <string_view>

namespace flyball::api {

/// The double nearest to a decimal number (digits with a point and an exponent, which the caller
/// has made sure of). As Go's strconv: what is too small is zero, what is too large is nothing.
std::optional<double> ParseFloat64(std::string_view text);

}  // namespace flyball::api
