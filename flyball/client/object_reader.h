#pragma once

#include <memory>
#include <string_view>

#include "flyball/api/envelope.h"
#include "flyball/api/json.h"
#include "flyball/api/list_reader.h"
#include "flyball/api/view_decode.h"
#include "flyball/client/object_codec.h"
#include "flyball/client/resource.h"
#include "flyball/client/unreadable.h"

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

  /// What can be read of a body, or an item, whose object is malformed: its metadata.
  Result<std::shared_ptr<const T>> ReadMetadata(const auto& body_or_item) {
    auto object = std::make_shared<T>();
    FLYBALL_TRY(object->metadata, DecodeMetadata(body_or_item));
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

  Result<std::shared_ptr<const T>> ReadMetadata(std::string_view body) {
    FLYBALL_TRY(const api::Envelope envelope, api::OpenEnvelope(body));
    return decoder_.DecodeMetadata<T>(envelope.raw);
  }
  Result<std::shared_ptr<const T>> ReadMetadata(const api::ListReader::Item& item) {
    return decoder_.DecodeMetadata<T>(item.bytes);
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

  Result<std::shared_ptr<const api::Json>> ReadMetadata(const auto& body_or_item) {
    FLYBALL_TRY(const meta::v1::ObjectMeta metadata, DecodeMetadata(body_or_item));
    FLYBALL_TRY(api::Json tree, api::ToJson(metadata));
    return std::make_shared<const api::Json>(api::Json::Object{{"metadata", std::move(tree)}});
  }
};

/// An object as a cache takes it: one that is malformed is its metadata, marked unreadable, so that
/// it does not keep all others of its collection out. If not even its metadata can be read it has
/// no name. `read` is what came of reading `body_or_item`.
template <typename T>
Result<std::shared_ptr<const T>> KeptUnreadable(Result<std::shared_ptr<const T>> read,
                                                ObjectReader<T>& reader, const auto& body_or_item) {
  if (read || read.error().code() != ErrorCode::kMalformed) return read;
  auto metadata = reader.ReadMetadata(body_or_item);
  return MarkUnreadable<T>(metadata ? *std::move(metadata) : std::make_shared<const T>(),
                           read.error().Describe());
}

}  // namespace flyball::client
