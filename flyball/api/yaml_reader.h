#pragma once

#include <string_view>

#include "flyball/api/json_sink.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Sends the one YAML document in `text` to a sink, as the JSON that kubectl would make of it.
/// Anchors, aliases and merge keys are resolved. More than one document is an error, as is a key
/// that is no scalar, and aliases that blow a small text up. Errors give line and column.
Result<> ReadYaml(std::string_view text, JsonSink& sink);

/// The same from inside a decoder: throws DecodeFailure.
void ReadYamlOrThrow(std::string_view text, JsonSink& sink);

}  // namespace flyball::api
