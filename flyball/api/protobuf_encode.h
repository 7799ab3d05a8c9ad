#pragma once

#include <string>

#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Appends the struct that `type` describes as a protobuf message, byte for byte as upstream
/// writes it: every plain field, zero or not; optional ones where set; maps in key order; what
/// unknown_fields holds last. JSON members among the unknown fields have no protobuf form and are
/// left out. Fails for types that protobuf cannot carry.
Result<> EncodeProtobuf(const void* object, const TypeInfo& type, std::string& out);

template <typename T>
Result<std::string> EncodeProtobuf(const T& object) {
  std::string out;
  FLYBALL_TRY(EncodeProtobuf(&object, T::kType, out));
  return out;
}

}  // namespace flyball::api
