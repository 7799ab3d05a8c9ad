#pragma once

#include <cstdint>
#include <string>

#include "flyball/api/json_sink.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// What becomes of members that the schema does not name.
enum class UnknownMembers : std::uint8_t {
  kKept,     ///< they come last, so that a write loses nothing
  kLeftOut,  ///< as upstream, which never saw them: for text that is hashed or compared
};

/// Sends the struct that `type` describes to a sink, members in declaration order and left out as
/// upstream leaves them out. Fails only where a
/// RawJson does not hold JSON (it may hold whatever protobuf brought) or a number has no JSON form;
/// the path says where.
Result<> SendObject(const void* object, const TypeInfo& type, JsonSink& sink,
                    UnknownMembers unknown = UnknownMembers::kKept);

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
