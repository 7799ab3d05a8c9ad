#pragma once

#include "flyball/sandbox/apply/field_set.h"
#include "flyball/sandbox/apply/type_schema.h"

namespace flyball::sandbox::apply {

/// The live object with what was applied put over it. What is applied wins; what it does not
/// mention stays. Items of lists that are told apart keep the applied order among themselves, and
/// those of the live object stay where they were around them.
Result<Json> Merge(const TypeSchema& schema, const Json& live, const Json& applied);

/// The object without the fields and items that are in the set.
Json RemoveFields(const TypeSchema& schema, const Json& object, const FieldSet& fields);

}  // namespace flyball::sandbox::apply
