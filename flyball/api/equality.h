#pragma once

#include "flyball/api/type_info.h"

namespace flyball::api {

/// Whether two objects say the same, as upstream's controllers ask it before they write: quantities
/// by value, moments by instant, empty lists and maps as absent ones. What is optional is different
/// when it is there, even if it is there as zero.
///
/// Unlike operator==, members that the schema does not name do not count: a controller that builds
/// what it wants from nothing would otherwise rewrite, forever, what a newer server adds to.
bool SemanticEqual(const void* a, const void* b, const TypeInfo& type);

template <typename T>
bool SemanticEqual(const T& a, const T& b) {
  return SemanticEqual(&a, &b, T::kType);
}

}  // namespace flyball::api
