#pragma once

#include <string>

#include "flyball/gen/schema.h"

namespace flyball::gen {

/// A field's type taken apart the way the tables want it: api::Shape and api::Kind by name, and the
/// type of one value.
struct FieldShape {
  std::string shape;
  std::string kind;
  const TypeRef* element;
};

FieldShape ShapeOf(const Schema& schema, const FieldFacts& field);

}  // namespace flyball::gen
