#pragma once

#include <string>
#include <vector>

#include "flyball/sandbox/apply/type_schema.h"

namespace flyball::sandbox::apply {

enum class Duplicates : std::uint8_t { kRefused, kAllowed };

/// Whether an object is what its schema says: the error names every place that is not. Objects that
/// are stored may have an item of a list twice, what is applied may not.
Result<> CheckAgainstSchema(const TypeSchema& schema, const Json& object, Duplicates duplicates);

/// Why a value cannot stand where a scalar of that kind must; empty where it can. `side` is put in
/// front.
std::string ScalarComplaint(Scalar scalar, const Json* value, std::string_view side);

/// Several complaints as upstream puts them into one message.
std::string JoinComplaints(const std::vector<std::string>& complaints);

}  // namespace flyball::sandbox::apply
