#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::endpoints {

/// Where a request goes, with escapes resolved.
struct RequestTarget {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query = {};

  /// "/healthz?verbose". Of the query, what cannot be read is left out, as Go does.
  static Result<RequestTarget> Parse(std::string_view text);

  bool Has(std::string_view name) const;
  /// The first value; empty if there is none.
  std::string_view Get(std::string_view name) const;
  std::vector<std::string> All(std::string_view name) const;
};

/// Resolves the escapes of a path: "%2F" is a slash. Malformed ones are kMalformed.
Result<std::string> UnescapePath(std::string_view text);

}  // namespace flyball::endpoints
