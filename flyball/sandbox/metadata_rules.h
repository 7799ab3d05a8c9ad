#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/meta/v1.h"
#include "flyball/api/names.h"
#include "flyball/base/clock.h"
#include "flyball/sandbox/api_status_error.h"

/// What the server does to every object's metadata, whatever its kind.
namespace flyball::sandbox {

using meta::v1::ObjectMeta;

/// What only the server decides of a new object: its uid, its first moment, and a name where it
/// has only the beginning of one.
void FillNew(ObjectMeta& metadata, WallTime now, const api::RandomBits& random);

/// What an update cannot change: it is taken from the object as it was.
void KeepIdentity(ObjectMeta& now, const ObjectMeta& before);

/// Each owner is named once. A warning to who sent it, if that was not so.
std::vector<std::string> DropRepeatedOwners(ObjectMeta& metadata);

/// How names of a kind may be.
enum class NameRule : std::uint8_t { kSubdomain, kLabel, kDns1035, kPathSegment };

FieldErrors ValidateMetadata(const ObjectMeta& metadata, bool namespaced, NameRule names);
/// Built-in kinds take no finalizer without a domain but the few that the server knows itself.
FieldErrors ValidateFinalizerNames(const ObjectMeta& metadata);
FieldErrors ValidateMetadataUpdate(const ObjectMeta& now, const ObjectMeta& before);

}  // namespace flyball::sandbox
