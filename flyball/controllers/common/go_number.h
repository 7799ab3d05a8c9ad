#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flyball::controllers::common {

/// A whole number, as Go reads one: a sign may be before it, and nothing else around it.
inline std::optional<std::int64_t> ParseGoNumber(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace flyball::controllers::common
