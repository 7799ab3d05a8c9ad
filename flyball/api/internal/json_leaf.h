#pragma once

#include <string_view>

#include "flyball/api/json_sink.h"
#include "flyball/api/type_info.h"

/// Leaf values in JSON.
namespace flyball::api {

/// Stores a JSON string into a leaf; false if a string is no form of that kind. Throws
/// DecodeFailure if it is the right form and does not parse.
bool SetLeafFromString(Kind kind, void* value, std::string_view text);

/// The same for a number.
bool SetLeafFromNumber(Kind kind, void* value, std::string_view text);

/// Sends a leaf to a sink.
void SendLeaf(Kind kind, const void* value, JsonSink& sink);

}  // namespace flyball::api
