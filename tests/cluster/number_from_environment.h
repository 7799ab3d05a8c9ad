#pragma once

#include <cstdlib>

namespace flyball::cluster {

/// A number that a person may set, for runs that are longer than CI has time for.
inline int NumberFromEnvironment(const char* name, int otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

}  // namespace flyball::cluster
