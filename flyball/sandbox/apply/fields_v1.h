#pragma once

#include <string>
#include <string_view>

#include "flyball/sandbox/apply/field_set.h"

/// The text of a set in `metadata.managedFields[].fieldsV1`: objects in objects, whose member names
/// are the steps of paths (`f:` a field, `k:` a key, `v:` a value, `i:` an index) and "." where a
/// path ends that others go on from.
namespace flyball::sandbox::apply {

/// What a text said.
struct ReadFields {
  FieldSet fields;
  /// WriteFieldsV1() would give the same bytes, so that who changes nothing need not write.
  bool canonical = false;
};

/// Steps of a kind that nobody knows yet are dropped, as upstream does.
Result<ReadFields> ReadFieldsV1(std::string_view text);

/// Byte for byte what upstream writes.
std::string WriteFieldsV1(const FieldSet& fields);

}  // namespace flyball::sandbox::apply
