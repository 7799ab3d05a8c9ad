#pragma once

#include <cstdint>
#include <string>

#include "flyball/api/json.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

/// The fields that an author sets in an object, as server-side apply sends them.
namespace flyball {

/// What is set in an object, as a tree that says its kind. Parts that are there in C++ only because
/// they are no pointers, and say nothing (`status: {}`), are left out; `emptyDir: {}` says
/// something. Status is left out: it is not what anybody can want.
Result<api::Json> ApplyConfigurationOf(const void* object, const api::TypeInfo& type);

template <typename T>
Result<api::Json> ApplyConfigurationOf(const T& object) {
  return ApplyConfigurationOf(&object, T::kType);
}

/// Whether an object already is as desired: whatever is set in `desired` is so in `actual`, which
/// may have more, as servers fill in defaults. Elements of lists that are kept by keys may be in
/// any order and among others; those of other lists are all there are. Quantities count by value.
bool Satisfies(const api::Json& actual, const api::Json& desired, const api::TypeInfo& type);

/// Tells what is set in one object from what is set in another, within a process. Takes a fraction
/// of the time that ApplyConfigurationOf() takes.
Result<std::uint64_t> Fingerprint(const void* object, const api::TypeInfo& type);

template <typename T>
Result<std::uint64_t> Fingerprint(const T& object) {
  return Fingerprint(&object, T::kType);
}

}  // namespace flyball
