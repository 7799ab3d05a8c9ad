#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/gen/schema.h"

/// How the things of a schema are called in Go, which some of upstream's hashes are taken over.
namespace flyball::gen {

/// The type as Go's reflection prints it: "*v1.Probe", "map[string]string", "resource.Quantity".
std::string GoTypeName(const TypeRef& type);

/// What Go's printer puts before a field's value: "ImagePullPolicy:(v1.PullPolicy)".
std::string GoFieldPrefix(const FieldFacts& field);

/// The structs that are printed when the given ones are, by qualified name. Fails where a name is
/// not a struct's, or where a struct's table is not its Go struct field for field.
Result<std::set<std::string>> ReachableStructs(const Schema& schema,
                                               const std::vector<std::string>& roots);

}  // namespace flyball::gen
