#pragma once

#include <cstdint>
#include <string>

#include "flyball/api/json.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

/// What an author wants of an object, told apart from all that others say of it.
namespace flyball {

/// What is set in an object, as a tree that says its kind. Parts that are there in C++ only because
/// they are no pointers, and say nothing (`status: {}`), are left out; `emptyDir: {}` says
/// something. Status is left out: it is not what anybody can want.
Result<api::Json> WantedOf(const void* object, const api::TypeInfo& type);

template <typename T>
Result<api::Json> WantedOf(const T& object) {
  return WantedOf(&object, T::kType);
}

/// Whether an object already is as wanted: whatever is set in `wanted` is so in `actual`, which may
/// have more, as servers fill in defaults. Elements of lists that are kept by keys may be in any
/// order and among others; those of other lists are all there are. Quantities count by value.
bool Satisfies(const api::Json& actual, const api::Json& wanted, const api::TypeInfo& type);

/// Tells what is set in one object from what is set in another, within a process. Takes a fraction
/// of the time that WantedOf() takes.
Result<std::uint64_t> Fingerprint(const void* object, const api::TypeInfo& type);

template <typename T>
Result<std::uint64_t> Fingerprint(const T& object) {
  return Fingerprint(&object, T::kType);
}

}  // namespace flyball
