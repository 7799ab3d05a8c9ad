#pragma once

#include <cstdint>
#include <string>

#include "flyball/api/json.h"
#include "flyball/sandbox/kind.h"
#include "flyball/sandbox/request.h"

/// Patches as they come in, and what they make of an object.
namespace flyball::sandbox {

enum class PatchKind : std::uint8_t { kJson, kMerge, kStrategic, kApply };

/// By the request's content type. Custom kinds have no strategic patches.
StatusOr<PatchKind> PatchKindOf(const Request& request, const Kind& kind);

/// What the patch makes of the object, as a tree. Not for kApply, which is a matter of managed
/// fields.
StatusOr<api::Json> ApplyPatch(PatchKind patch, const std::string& body, const Kind& kind,
                               const api::Json& object);

}  // namespace flyball::sandbox
