#include "flyball/client/internal/header_text.h"

namespace flyball::client {

std::string EscapeHeaderName(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kMarks = "!#$&'*+-.^_`|~";
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c >= 'A' && c <= 'Z') {
      name += static_cast<char>(c - 'A' + 'a');  // HTTP/2 has names in lower case
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               kMarks.find(c) != std::string_view::npos) {
      name += c;
    } else {
      name += '%';
      name += kDigits[byte >> 4];
      name += kDigits[byte & 0xf];
    }
  }
  return name;
}

}  // namespace flyball::client
