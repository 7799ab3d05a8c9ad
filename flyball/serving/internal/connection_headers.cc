#include "flyball/serving/internal/connection_headers.h"

#include <algorithm>

namespace flyball::serving {

bool BelongsToConnection(std::string_view name) {
  switch (name.size()) {
    case 2:
      return name == "te";
    case 4:
      return name == "host";
    case 6:
      return name == "expect";
    case 7:
      return name == "upgrade" || name == "trailer";
    case 10:
      return name == "connection" || name == "keep-alive";
    case 14:
      return name == "content-length" || name == "http2-settings";
    case 16:
      return name == "proxy-connection";
    case 17:
      return name == "transfer-encoding";
    default:
      return false;
  }
}

bool IsHeaderText(std::string_view name, std::string_view value) {
  const auto ends_line = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  const auto not_a_name = [](char c) { return c <= ' ' || c == ':' || c == '\x7f'; };
  return !name.empty() && std::ranges::none_of(name, not_a_name) &&
         std::ranges::none_of(value, ends_line);
}

}  // namespace flyball::serving
