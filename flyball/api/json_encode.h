#pragma once

#include <string>

#include "flyball/api/json_sink.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Sends the struct that `type` describes to a sink, members in declaration order and left out as
/// upstream leaves them out; what unknown_fields holds of JSON comes last. Fails only where a
/// RawJson does not hold JSON (it may hold whatever protobuf brought) or a number has no JSON form;
/// the path says where.
Result<> SendObject(const void* object, const TypeInfo& type, JsonSink& sink);

/// Appends JSON text exactly as Go's encoding/json writes the same struct. `indent` > 0 spreads it
/// over lines for people.
Result<> EncodeJson(const void* object, const TypeInfo& type, std::string& out, int indent = 0);

template <typename T>
Result<std::string> EncodeJson(const T& object, int indent = 0) {
  std::string out;
  FLYBALL_TRY(EncodeJson(&object, T::kType, out, indent));
  return out;
}

}  // namespace flyball::api
