#pragma once

#include <string>

#include "flyball/api/fnv.h"
#include "flyball/api/type_info.h"

/// The text that upstream takes hashes over: the Go struct as go-spew prints it in its "%#v" form,
/// with sorted keys and without methods, addresses and capacities. Every field is there, set or
/// not, under its Go name and with its Go type:
///
///     (v1.Toleration){Key:(string)a Operator:(v1.TolerationOperator) ... Seconds:(*int64)<nil>}
///
/// Only types that the build lists as PRINTED have what it takes.
// PARITY: moments print Go's inner state of them, in which the machine's time zone is. Ours are
// those of a manager that runs in UTC, as it does in a container.
namespace flyball::api {

/// Adds the text to a sum, without ever having it.
void DumpForHash(const void* object, const TypeInfo& type, Fnv32a& sum);

/// The text itself, for people who ask why two hashes differ.
std::string DumpForHash(const void* object, const TypeInfo& type);

template <typename T>
std::string DumpForHash(const T& object) {
  return DumpForHash(&object, T::kType);
}

}  // namespace flyball::api
