#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "flyball/api/json_decode.h"
#include "flyball/client/object_reader.h"

namespace flyball {

/// An object of a custom kind as a cache keeps it: as its type says, or, where it does not fit
/// that, its metadata and what is wrong. A CRD may change while programs that were made for it run,
/// and one object that does not fit must not keep all the others out of the cache.
template <typename T>
struct TolerantObject : T {
  std::string decode_error;  ///< "malformed: spec.replicas: ..."; empty where it fits
};

/// What a cache of T holds. The server has seen to it that objects of its own kinds fit.
template <typename T>
struct CachedAs {
  using Type = TolerantObject<T>;
};
template <client::View T>
struct CachedAs<T> {
  using Type = T;
};
template <>
struct CachedAs<api::Json> {
  using Type = api::Json;
};
template <typename T>
using Cached = typename CachedAs<T>::Type;

/// What is wrong with an object from a cache; empty where nothing is.
template <typename T>
std::string_view DecodeErrorOf(const T& object) {
  if constexpr (requires { object.decode_error; }) {
    return object.decode_error;
  } else {
    return {};
  }
}

}  // namespace flyball

namespace flyball::client {

template <typename T>
class ObjectReader<TolerantObject<T>> {
 public:
  static bool JsonOnly() { return T::kType.json_only; }

  Result<std::shared_ptr<const TolerantObject<T>>> Read(std::string_view body) {
    auto object = std::make_shared<TolerantObject<T>>();
    const auto read = DecodeBody(body, T::kType, AsT(*object), ManagedFields::kDropped);
    return read ? object : Undecodable(body, read.error());
  }
  Result<std::shared_ptr<const TolerantObject<T>>> ReadItem(const api::ListReader::Item& item,
                                                            const Resource&) {
    auto object = std::make_shared<TolerantObject<T>>();
    const auto read = DecodeItem(item, T::kType, AsT(*object), ManagedFields::kDropped);
    return read ? object : Undecodable(item.bytes, read.error());
  }

  Result<std::shared_ptr<const TolerantObject<T>>> ReadMetadata(const auto& body_or_item) {
    auto object = std::make_shared<TolerantObject<T>>();
    FLYBALL_TRY(object->metadata, DecodeMetadata(body_or_item));
    object->decode_error = "its metadata alone can be read";
    return object;
  }

 private:
  static T* AsT(TolerantObject<T>& object) { return &object; }

  /// Protobuf has no form of custom kinds: what comes in it and cannot be read is broken.
  static Result<std::shared_ptr<TolerantObject<T>>> Undecodable(std::string_view body,
                                                                const Error& error) {
    if (!JsonOnly()) return std::unexpected(error);
    FLYBALL_TRY(auto named, api::DecodeJson<meta::v1::PartialObjectMetadata>(body));
    auto object = std::make_shared<TolerantObject<T>>();
    object->metadata = std::move(named.metadata);
    object->metadata.managedFields.clear();
    object->decode_error = error.Describe();
    return object;
  }
};

}  // namespace flyball::client
