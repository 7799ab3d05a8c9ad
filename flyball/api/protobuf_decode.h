#pragma once

#include <string_view>

#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Fills `object`, a fresh value of the struct that `type` describes, from a protobuf message.
/// Fields the table does not name are kept in the struct's unknown_fields. On an error the object
/// is half filled and must be thrown away; DecodeProtobuf<T>() does. Members of the type `left_out`
/// are passed over, wherever they are.
Result<> DecodeProtobuf(std::string_view bytes, const TypeInfo& type, void* object,
                        const TypeInfo* left_out = nullptr);

template <typename T>
Result<T> DecodeProtobuf(std::string_view bytes) {
  T object;
  FLYBALL_TRY(DecodeProtobuf(bytes, T::kType, &object));
  return object;
}

}  // namespace flyball::api
