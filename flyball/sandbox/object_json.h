#pragma once

#include <string>
#include <string_view>

#include "flyball/api/meta/v1.h"
#include "flyball/sandbox/record.h"

/// Stored objects as answers show them.
namespace flyball::sandbox {

/// Whether the object says what it is: always, or, as in lists, only where it is of a custom kind.
enum class TypeMembers : std::uint8_t { kShown, kOfCustomKinds };

/// The whole object in JSON, in the version of the kind that was asked for. Versions of a custom
/// resource differ in nothing but their name.
std::string WholeJson(const Record& record, const Kind& wanted, TypeMembers members);
/// The same as a protobuf message; not of custom kinds. It is the record's own unless it has to be
/// converted: then `converted` holds it.
std::string_view WholeProtobuf(const Record& record, const Kind& wanted, std::string& converted);

/// The metadata alone.
meta::v1::PartialObjectMetadata MetadataOf(const Record& record);
/// The same, with kind and apiVersion, as JSON has it.
std::string MetadataJson(const Record& record);

}  // namespace flyball::sandbox
