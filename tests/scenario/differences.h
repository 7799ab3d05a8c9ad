#pragma once

#include <string>
#include <vector>

#include "flyball/api/json.h"

namespace flyball::scenario {

/// JSON for people: Go's escapes of `<`, `>` and `&` are not in the way.
std::string Readable(const api::Json& tree);

/// A place where two trees are not alike.
struct Difference {
  std::string path;      ///< "body.spec.containers[0].name"
  std::string expected;  ///< as JSON text; "(absent)" where there is nothing
  std::string actual;    ///< likewise

  friend bool operator==(const Difference&, const Difference&) = default;
};

std::vector<Difference> FindDifferences(const api::Json& expected, const api::Json& actual);

}  // namespace flyball::scenario
