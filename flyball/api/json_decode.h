#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "flyball/api/json_sink.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// Fills `object`, a fresh value of the struct that `type` describes, from JSON text. Members that
/// the table does not name are kept in unknown_fields. As upstream: names are case-sensitive, null
/// stands for absent, of a repeated name the last one counts. A CRD's type also keeps there that a
/// list or map came and was empty, and null where the schema allows it. On an error the object is
/// half filled and must be thrown away; DecodeJson<T>() does.
Result<> DecodeJson(std::string_view text, const TypeInfo& type, void* object);

template <typename T>
Result<T> DecodeJson(std::string_view text) {
  T object;
  FLYBALL_TRY(DecodeJson(text, T::kType, &object));
  return object;
}

/// The part behind it: a sink that fills a struct. For readers of other formats.
class ObjectSink {
 public:
  /// `input_size`, in bytes, is what the memory that the object may take is measured by.
  ObjectSink(const TypeInfo& type, void* object, std::size_t input_size);
  ~ObjectSink();
  ObjectSink(const ObjectSink&) = delete;
  ObjectSink& operator=(const ObjectSink&) = delete;

  JsonSink& sink();
  /// Where in the object the next value belongs: the place of an error.
  std::string Path() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flyball::api
