#pragma once

#include "flyball/sandbox/apply/field_set.h"
#include "flyball/sandbox/apply/type_schema.h"

namespace flyball::sandbox::apply {

/// What differs between an object and a later state of it.
struct Comparison {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;

  bool Same() const { return added.Empty() && modified.Empty() && removed.Empty(); }
};

/// Costs little where the two agree: only what differs becomes paths.
Result<Comparison> Compare(const TypeSchema& schema, const Json& before, const Json& after);

}  // namespace flyball::sandbox::apply
