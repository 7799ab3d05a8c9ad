#pragma once

#include <memory>
#include <string_view>

#include "flyball/api/envelope.h"
#include "flyball/api/json.h"
#include "flyball/api/list_reader.h"
#include "flyball/api/view_decode.h"
#include "flyball/client/object_codec.h"
#include "flyball/client/resource.h"

namespace flyball::client {

/// A generated struct with chosen fields of a kind: views::Pod.
template <typename T>
concept View = requires { T::kView; };

/// Makes objects to be shared, of what a server sends; kinds without their managed fields. One for
/// each stream of objects, and one thread at a time, since views that came the same way share their
/// texts.
template <typename T>
class ObjectReader {
 public:
  static bool JsonOnly() { return T::kType.json_only; }

  /// A body of its own, or the object of a watch event.
  Result<std::shared_ptr<const T>> Read(std::string_view body) {
    auto object = std::make_shared<T>();
    FLYBALL_TRY(DecodeBody(body, T::kType, object.get(), ManagedFields::kDropped));
    return object;
  }
  /// An item of a list of a resource, which need not say its kind where it is the list's.
  Result<std::shared_ptr<const T>> ReadItem(const api::ListReader::Item& item, const Resource&) {
    auto object = std::make_shared<T>();
    FLYBALL_TRY(DecodeItem(item, T::kType, object.get(), ManagedFields::kDropped));
    return object;
  }
};

template <View T>
class ObjectReader<T> {
 public:
  static bool JsonOnly() { return false; }

  Result<std::shared_ptr<const T>> Read(std::string_view body) {
    FLYBALL_TRY(const api::Envelope envelope, api::OpenEnvelope(body));
    return decoder_.Decode<T>(envelope.raw);
  }
  Result<std::shared_ptr<const T>> ReadItem(const api::ListReader::Item& item, const Resource&) {
    if (item.json) return Fail(ErrorCode::kUnsupported, "views are read from protobuf only");
    return decoder_.Decode<T>(item.bytes);
  }

 private:
  api::ViewDecoder decoder_;
};

template <>
class ObjectReader<api::Json> {
 public:
  static bool JsonOnly() { return true; }

  Result<std::shared_ptr<const api::Json>> Read(std::string_view body) {
    FLYBALL_TRY(api::Json object, api::Json::Parse(body));
    return std::make_shared<const api::Json>(std::move(object));
  }
  Result<std::shared_ptr<const api::Json>> ReadItem(const api::ListReader::Item& item,
                                                    const Resource& resource) {
    FLYBALL_TRY(api::Json object, api::Json::Parse(item.bytes));
    NameKind(object, resource.ApiVersion(), resource.kind);
    return std::make_shared<const api::Json>(std::move(object));
  }
};

}  // namespace flyball::client
