#pragma once

#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

/// The defaults that a CRD's schema writes down. Those of built-in kinds are in defaulting.h.
namespace flyball::api {

/// Fills in what the schema of a CRD's type gives by default, as the API server does before it
/// stores an object and after it reads one: members that are absent, in what is there and in what
/// was just filled in. A list or map that was there and empty stays empty, and null stays where the
/// schema allows it. Fails only where a default does not fit its field, which `flyball gen crd`
/// would not have let pass.
Result<> ApplySchemaDefaults(void* object, const TypeInfo& type);

template <typename T>
Result<> ApplySchemaDefaults(T& object) {
  return ApplySchemaDefaults(&object, T::kType);
}

}  // namespace flyball::api
