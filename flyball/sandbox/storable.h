#pragma once

#include <string_view>

#include "flyball/api/object.h"
#include "flyball/sandbox/api_status_error.h"
#include "flyball/sandbox/kind.h"

namespace flyball::sandbox {

/// How many levels an object may have in JSON. Readers take 100, and what a list, a table or an
/// event puts around an object has some of them.
inline constexpr int kMaxObjectLevels = 96;

/// Whether an object has a form in JSON that can be read. One that came in protobuf may not: what
/// is raw JSON there can be anything, and some fields have more levels in JSON than in protobuf.
StatusOr<> CheckJsonForm(const Kind& kind, const api::AnyObject& object);

/// Whether what is about to be stored can be read again and be shown in every form; `bytes` is what
/// `kind.Store(object)` made of it. Everything that is stored passes here, so that whoever reads it
/// may rely on it: what comes in as JSON may have too many levels in protobuf, and the server adds
/// to what was sent.
StatusOr<> CheckStorable(const Kind& kind, const api::AnyObject& object, std::string_view bytes);

}  // namespace flyball::sandbox
