#pragma once

#include <string>
#include <string_view>

#include "flyball/api/json.h"

/// Managed fields and server-side apply: who owns which fields of an object, and what comes of it
/// when several people write to one. Pure functions on JSON trees; field_manager.h is the face.
namespace flyball::sandbox::apply {

using api::Json;

/// Whether two values are the same. 1 and 1.0 are: sets of fields are read back with all numbers as
/// doubles, and have to match what they were made from.
bool SameValue(const Json& a, const Json& b);

/// The order in which upstream keeps the keys and values that a path goes through: numbers, then
/// strings, booleans, lists, maps, and null last. Below zero where `a` comes first.
int CompareValues(const Json& a, const Json& b);

/// A value in the text of a path: strings quoted as Go does, numbers as Go prints them.
std::string DescribeValue(const Json& value);

/// What Go's %v prints of a value that is not what its schema says.
std::string PrintValue(const Json& value);

/// What Go calls the type of a value: "int64", "map[string]interface {}".
std::string_view GoTypeName(const Json& value);

}  // namespace flyball::sandbox::apply
