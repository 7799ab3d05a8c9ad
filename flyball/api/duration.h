#pragma once

#include <chrono>
#include <compare>
#include <string>
#include <string_view>

#include "flyball/base/result.h"

namespace flyball::api {

/// A length of time as Go writes it: "1h0m0s", "1.5s", "-2µs", "0s".
std::string FormatDuration(std::chrono::nanoseconds duration);

/// One or more numbers with units (h, m, s, ms, us, µs, ns), each with or without a fraction, one
/// sign in front of all; or "0". Beyond what 64 bits of nanoseconds hold is an error.
Result<std::chrono::nanoseconds> ParseDuration(std::string_view text);

/// The API type around it: a text in JSON (upstream takes null for an error, not for zero), a count
/// of nanoseconds in protobuf.
struct Duration {
  std::chrono::nanoseconds value{};

  static Result<Duration> Parse(std::string_view text);
  std::string ToString() const { return FormatDuration(value); }

  friend auto operator<=>(const Duration&, const Duration&) = default;
};

}  // namespace flyball::api
