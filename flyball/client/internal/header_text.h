#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace flyball::client {

/// Whether a text can be the value of a header: without line breaks above all, behind which more
/// headers could follow.
inline bool IsHeaderText(std::string_view text) {
  return std::ranges::none_of(text,
                              [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

inline std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// A text as part of a header's name: what such names cannot have, and '%', as %-escapes.
std::string EscapeHeaderName(std::string_view text);

}  // namespace flyball::client
