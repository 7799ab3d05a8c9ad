#include "flyball/client/object_codec.h"

#include <utility>

#include "flyball/api/envelope.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/json_member.h"
#include "flyball/api/object_identity.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"

namespace flyball::client {
namespace {

void AddToQuery(const std::string& name, const api::Json& value, std::string& query) {
  if (const auto* list = value.If<api::Json::Array>()) {
    for (const api::Json& element : *list) AddToQuery(name, element, query);
    return;
  }
  const std::string* text = value.If<std::string>();
  if (!query.empty()) query += '&';
  query += EscapeUrl(name) + "=" + EscapeUrl(text != nullptr ? *text : value.ToString());
}

std::string* TypeMetaOf(void* object, const api::TypeInfo& type, std::string_view name) {
  for (const api::Field& field : type.fields) {
    if (field.name != name || field.number != 0) continue;
    return reinterpret_cast<std::string*>(static_cast<std::byte*>(object) + field.offset);
  }
  return nullptr;
}

/// Leaves the object without kind and apiVersion.
std::string TakeKind(void* object, const api::TypeInfo& type) {
  if (std::string* const api_version = TypeMetaOf(object, type, "apiVersion")) api_version->clear();
  std::string* const kind = TypeMetaOf(object, type, "kind");
  return kind == nullptr ? std::string() : std::exchange(*kind, {});
}

Result<> CheckKind(std::string_view kind, const api::TypeInfo& type) {
  // A list of any kind is "List" to us, and "PodList" to the server.
  const bool fits = type.is_kind ? kind == type.name : kind.ends_with("List");
  if (fits) return {};
  return Fail(ErrorCode::kMalformed,
              "expected kind " + std::string(type.name) + ", got '" + std::string(kind) + "'");
}

const api::TypeInfo* LeftOut(ManagedFields managed) {
  return managed == ManagedFields::kDropped ? &meta::v1::ManagedFieldsEntry::kType : nullptr;
}

/// Of an object that JSON told.
void DropManagedFields(const api::TypeInfo& type, void* object) {
  for (const api::Field& field : type.fields) {
    void* const member = static_cast<std::byte*>(object) + field.offset;
    if (field.message == &meta::v1::ObjectMeta::kType) {
      static_cast<meta::v1::ObjectMeta*>(member)->managedFields = {};
    }
  }
}

/// Of a member; empty if there is none.
std::string_view TextOf(const api::Json& object, std::string_view member) {
  const api::Json* const value = object.Find(member);
  const std::string* const text = value == nullptr ? nullptr : value->If<std::string>();
  return text == nullptr ? std::string_view() : *text;
}

}  // namespace

std::string QueryOf(const void* options, const api::TypeInfo& type) {
  const auto members = api::ToJson(options, type);
  std::string query;
  if (!members) return query;  // options hold nothing that JSON cannot say
  for (const auto& [name, value] : *members->If<api::Json::Object>()) {
    if (name != "kind" && name != "apiVersion") AddToQuery(name, value, query);
  }
  return query;
}

Result<EncodedBody> EncodeBody(const void* object, const api::TypeInfo& type, Encoding encoding) {
  if (encoding == Encoding::kProtobuf && !type.json_only) {
    std::string raw;
    FLYBALL_TRY(api::EncodeProtobuf(object, type, raw));
    return EncodedBody{api::SealEnvelope(type.ApiVersion(), type.name, raw), kProtobufType};
  }
  std::string text;
  FLYBALL_TRY(api::EncodeJson(object, type, text));
  if (!text.starts_with("{\"kind\":") && type.has_type_meta) {
    std::string head =
        "{\"kind\":\"" + std::string(type.name) + "\",\"apiVersion\":\"" + type.ApiVersion() + "\"";
    if (text != "{}") head += ',';
    text.replace(0, 1, head);
  }
  return EncodedBody{std::move(text), kJsonType};
}

Result<> DecodeBody(std::string_view body, const api::TypeInfo& type, void* object,
                    ManagedFields managed) {
  if (api::HasProtobufMagic(body)) {
    FLYBALL_TRY(const api::Envelope envelope, api::OpenEnvelope(body));
    FLYBALL_TRY(CheckKind(envelope.kind, type));
    return api::DecodeProtobuf(envelope.raw, type, object, LeftOut(managed));
  }
  FLYBALL_TRY(api::DecodeJson(body, type, object));
  if (managed == ManagedFields::kDropped) DropManagedFields(type, object);
  const std::string kind = TakeKind(object, type);
  return type.has_type_meta ? CheckKind(kind, type) : Result<>();
}

Result<> DecodeItem(const api::ListReader::Item& item, const api::TypeInfo& type, void* object,
                    ManagedFields managed) {
  if (!item.json) return api::DecodeProtobuf(item.bytes, type, object, LeftOut(managed));
  FLYBALL_TRY(api::DecodeJson(item.bytes, type, object));
  if (managed == ManagedFields::kDropped) DropManagedFields(type, object);
  const std::string kind = TakeKind(object, type);
  return kind.empty() ? Result<>() : CheckKind(kind, type);
}

Result<meta::v1::ObjectMeta> DecodeMetadata(std::string_view body) {
  if (!api::HasProtobufMagic(body)) return DecodeMetadata({.bytes = body, .json = true});
  FLYBALL_TRY(const api::Envelope envelope, api::OpenEnvelope(body));
  return DecodeMetadata({.bytes = envelope.raw, .json = false});
}

Result<meta::v1::ObjectMeta> DecodeMetadata(const api::ListReader::Item& item) {
  meta::v1::PartialObjectMetadata object;
  if (item.json) {
    const auto metadata = api::FindJsonMember(item.bytes, "metadata");
    if (!metadata) return Fail(ErrorCode::kMalformed, "object has no metadata");
    FLYBALL_TRY(api::DecodeJson(*metadata, meta::v1::ObjectMeta::kType, &object.metadata));
    object.metadata.managedFields = {};
  } else {
    FLYBALL_TRY(api::DecodeProtobuf(item.bytes, meta::v1::PartialObjectMetadata::kType, &object,
                                    LeftOut(ManagedFields::kDropped)));
  }
  return std::move(object.metadata);
}

void NameKind(api::Json& object, std::string_view api_version, std::string_view kind) {
  auto* const members = object.If<api::Json::Object>();
  if (members == nullptr || members->contains("kind") || members->contains("apiVersion")) return;
  (*members)["apiVersion"] = api_version;
  (*members)["kind"] = kind;
}

Result<JsonList> ObjectCodec<api::Json>::DecodeList(std::string_view body) {
  FLYBALL_TRY(api::Json document, api::Json::Parse(body));
  JsonList list;
  auto* const members = document.If<api::Json::Object>();
  if (members == nullptr) return Fail(ErrorCode::kMalformed, "list is not a JSON object");
  if (const api::Json* metadata = members->find("metadata")) {
    FLYBALL_TRY(list.metadata, api::DecodeJson<meta::v1::ListMeta>(metadata->ToString()));
  }
  if (api::Json* items = members->find("items")) {
    auto* const array = items->If<api::Json::Array>();
    if (array == nullptr) return Fail(ErrorCode::kMalformed, "items", "must be a list");
    list.items = std::move(*array);
    const std::string_view kind = TextOf(document, "kind");
    if (kind.ends_with("List")) {
      const std::string_view of = kind.substr(0, kind.size() - std::string_view("List").size());
      for (api::Json& item : list.items) NameKind(item, TextOf(document, "apiVersion"), of);
    }
  }
  return list;
}

api::ObjectKey ObjectCodec<api::Json>::KeyOf(const api::Json& object) {
  const api::ObjectIdentity identity = api::IdentityOf(object);
  return {std::string(identity.namespace_), std::string(identity.name)};
}

}  // namespace flyball::client
