#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/api/list.h"
#include "flyball/api/list_reader.h"
#include "flyball/api/object_key.h"
#include "flyball/api/type_info.h"
#include "flyball/base/result.h"
#include "flyball/client/resource.h"
#include "flyball/client/rest_client.h"

/// How objects stand in requests and responses.
namespace flyball::client {

/// What a client asks for, where the server has both. Custom kinds have JSON only.
enum class Encoding : std::uint8_t { kProtobuf, kJson };

/// Members of an options object (meta/v1.ListOptions and the like) that are set, as a query.
std::string QueryOf(const void* options, const api::TypeInfo& type);
template <typename Options>
std::string QueryOf(const Options& options) {
  if (options == Options()) return {};  // as most are
  return QueryOf(&options, Options::kType);
}

/// The part of a request that is an object.
struct EncodedBody {
  std::string bytes;
  std::string_view content_type;

  void MoveInto(RestRequest& request) && {
    request.body = std::move(bytes);
    request.content_type = content_type;
  }
};
Result<EncodedBody> EncodeBody(const void* object, const api::TypeInfo& type, Encoding encoding);

/// Who set which field of an object: often half of its size, and nothing that a controller goes by.
enum class ManagedFields : std::uint8_t { kKept, kDropped };

/// Fills an object from a body in either encoding, told apart by its first bytes. Its kind must be
/// `type`'s, or a list where the type is one. As upstream's typed clients, leaves kind and
/// apiVersion empty.
Result<> DecodeBody(std::string_view body, const api::TypeInfo& type, void* object,
                    ManagedFields managed = ManagedFields::kKept);

/// Fills an object from an item of a list, which does not say its kind where it is the list's.
Result<> DecodeItem(const api::ListReader::Item& item, const api::TypeInfo& type, void* object,
                    ManagedFields managed = ManagedFields::kKept);

/// The metadata of an object, which stands in the same place in every kind; nothing else is
/// decoded. Without managed fields.
Result<meta::v1::ObjectMeta> DecodeMetadata(std::string_view body);
Result<meta::v1::ObjectMeta> DecodeMetadata(const api::ListReader::Item& item);

template <typename T>
Result<T> DecodeBody(std::string_view body) {
  T object;
  FLYBALL_TRY(DecodeBody(body, T::kType, &object));
  return object;
}

/// What ResourceClient needs to know of what it carries. This is for generated kinds; api::Json,
/// for kinds of which nothing is known, has its own.
template <typename T>
struct ObjectCodec {
  using List = api::List<T>;

  static std::string Accept(Encoding encoding) {
    const bool json = encoding == Encoding::kJson || T::kType.json_only;
    if (json) return std::string(kJsonType);
    return std::string(kProtobufType) + "," + std::string(kJsonType);
  }
  static Result<EncodedBody> Encode(const T& object, Encoding encoding) {
    return EncodeBody(&object, T::kType, encoding);
  }
  static Result<T> Decode(std::string_view body) { return DecodeBody<T>(body); }
  static Result<List> DecodeList(std::string_view body) { return DecodeBody<List>(body); }
  static api::ObjectKey KeyOf(const T& object) { return api::ObjectKey::Of(object); }
};

/// Has an object say of what kind it is, if it says nothing: one in a list of a built-in kind does
/// not, and those who hold it would not know it from others.
void NameKind(api::Json& object, std::string_view api_version, std::string_view kind);

/// A list of objects of which nothing is known.
struct JsonList {
  meta::v1::ListMeta metadata;
  std::vector<api::Json> items;
};

template <>
struct ObjectCodec<api::Json> {
  using List = JsonList;

  static std::string Accept(Encoding) { return std::string(kJsonType); }
  static Result<EncodedBody> Encode(const api::Json& object, Encoding) {
    return EncodedBody{object.ToString(), kJsonType};
  }
  static Result<api::Json> Decode(std::string_view body) { return api::Json::Parse(body); }
  static Result<List> DecodeList(std::string_view body);
  static api::ObjectKey KeyOf(const api::Json& object);
};

}  // namespace flyball::client
