#pragma once

#include "flyball/sandbox/apply/field_set.h"
#include "flyball/sandbox/apply/type_schema.h"

namespace flyball::sandbox::apply {

/// The paths of all that an object says: what its author owns who applies it.
Result<FieldSet> FieldsOf(const TypeSchema& schema, const Json& object);

/// Adds to a set each field that the schema has a name for and that only paths below it mention. To
/// take such a field away is then to take the set's path.
void OwnNamedFields(FieldSet& set, const TypeSchema& schema);

/// Brings a set that was made under another schema in line: where a part has become atomic since,
/// who owned some of it owns it all. Returns whether the set changed.
bool FollowSchema(FieldSet& set, const TypeSchema& schema);

}  // namespace flyball::sandbox::apply
