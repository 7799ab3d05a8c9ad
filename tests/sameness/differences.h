#pragma once

#include <string>
#include <vector>

#include "flyball/api/json.h"

namespace flyball::sameness {

/// A place where two answers are not alike.
struct Difference {
  std::string path;      ///< "body.spec.containers[0].name"
  std::string real;      ///< as JSON text; "(absent)" where there is nothing
  std::string embedded;  ///< likewise

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Where the status is not the same nothing else is, so that it is one difference.
std::vector<Difference> FindDifferences(const api::Json& real, const api::Json& embedded);

}  // namespace flyball::sameness
