#include "flyball/transport/http.h"

#include <algorithm>

namespace flyball::transport {

std::string_view FindHeader(const Headers& headers, std::string_view name) {
  const auto found = std::ranges::find(headers, name, &Headers::value_type::first);
  return found == headers.end() ? std::string_view() : found->second;
}

}  // namespace flyball::transport
