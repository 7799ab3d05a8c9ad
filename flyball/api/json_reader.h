#pragma once

#include <string_view>

#include "flyball/api/json_sink.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Sends the one JSON document in `text` to a sink. Strict: no comments, no trailing commas, valid
/// UTF-8 only, nothing after the document, at most kMaxDepth levels. Errors give the byte offset.
Result<> ReadJson(std::string_view text, JsonSink& sink);

/// The same from inside a sink or an encoder: throws DecodeFailure.
void ReadJsonOrThrow(std::string_view text, JsonSink& sink);

}  // namespace flyball::api
