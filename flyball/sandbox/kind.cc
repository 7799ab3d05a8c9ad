#include "flyball/sandbox/kind.h"

#include <algorithm>

#include "flyball/api/copy.h"
#include "flyball/api/equality.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/member_text.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/base/check.h"
#include "flyball/sandbox/custom/custom_schema.h"
#include "flyball/sandbox/json_path.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using api::Field;
using api::Json;
using api::TypeInfo;
using meta::v1::ObjectMeta;
using meta::v1::PartialObjectMetadata;

template <typename T>
T& Member(void* object, const Field& field) {
  return *reinterpret_cast<T*>(static_cast<std::byte*>(object) + field.offset);
}
template <typename T>
const T& Member(const void* object, const Field& field) {
  return *reinterpret_cast<const T*>(static_cast<const std::byte*>(object) + field.offset);
}

PartialObjectMetadata& AsCustom(AnyObject& object) {
  return *static_cast<PartialObjectMetadata*>(object.get());
}
const PartialObjectMetadata& AsCustom(const AnyObject& object) {
  return *static_cast<const PartialObjectMetadata*>(object.get());
}

}  // namespace

const Field* FindField(const TypeInfo& type, std::string_view name) {
  const auto found = std::ranges::find(type.fields, name, &Field::name);
  return found == type.fields.end() ? nullptr : &*found;
}

Kind::Kind(const TypeInfo& type)
    : type_(&type),
      group_(type.group),
      version_(type.version),
      name_(type.name),
      api_version_(type.ApiVersion()),
      custom_(false),
      facts_(FactsOf(type.group, type.name)),
      metadata_(FindField(type, "metadata")),
      status_(FindField(type, "status")) {}

Kind::Kind(Custom custom)
    : type_(&PartialObjectMetadata::kType),
      group_(std::move(custom.group)),
      version_(std::move(custom.version)),
      name_(std::move(custom.name)),
      api_version_(group_ + "/" + version_),
      custom_(true),
      facts_{.generations = Generations::kContent, .unconditional_update = false},
      schema_(std::move(custom.schema)),
      status_apart_(custom.status_apart),
      selectable_paths_(std::move(custom.selectable)),
      metadata_(FindField(*type_, "metadata")) {
  for (const std::string& path : selectable_paths_) {
    // Selectors name them without the dot in front.
    selectable_.emplace_back(path.starts_with('.') ? path.c_str() + 1 : path.c_str(), path.c_str());
  }
  facts_.selectable = selectable_;
}

ObjectMeta& Kind::Metadata(AnyObject& object) const {
  return Member<ObjectMeta>(object.get(), *metadata_);
}

const ObjectMeta& Kind::Metadata(const AnyObject& object) const {
  return Member<ObjectMeta>(object.get(), *metadata_);
}

void Kind::CopyStatus(AnyObject& to, const AnyObject& from) const {
  if (!custom_) {
    if (status_ != nullptr) api::CopyMember(to.get(), from.get(), *status_);
    return;
  }
  const std::string* const status = AsCustom(from).unknown_fields.FindJson("status");
  api::UnknownFields changed;
  for (const auto& [name, text] : AsCustom(to).unknown_fields.json()) {
    if (name != "status") changed.AddJson(name, text);
  }
  if (status != nullptr) changed.AddJson("status", *status);
  AsCustom(to).unknown_fields = std::move(changed);
}

bool Kind::ContentDiffers(const AnyObject& a, const AnyObject& b) const {
  if (custom_) {
    const auto content = [this](const AnyObject& object) {
      Json::Object members;
      for (const auto& [name, text] : AsCustom(object).unknown_fields.json()) {
        if (name == "status" && status_apart_) continue;
        if (auto parsed = Json::Parse(text)) members[name] = *std::move(parsed);
      }
      return members;
    };
    return content(a) != content(b);
  }
  for (const Field& field : type_->fields) {
    if (&field == metadata_ || &field == status_ || field.name == "kind" ||
        field.name == "apiVersion") {
      continue;
    }
    const TypeInfo one{
        .name = {}, .package = {}, .group = {}, .version = {}, .fields = std::span(&field, 1)};
    if (!api::SemanticEqual(a.get(), b.get(), one)) return true;
  }
  return false;
}

std::string Kind::FieldText(const AnyObject& object, std::string_view path) const {
  if (!custom_) return api::MemberText(object.get(), *type_, path);
  const auto place = JsonPath::Parse(path);
  const auto tree = ToJson(object);
  const Json* const found = place && tree ? place->FindFirst(*tree) : nullptr;
  if (found == nullptr || found->IsNull()) return {};
  const auto* const text = found->If<std::string>();
  return text != nullptr ? *text : found->ToString();
}

std::string Kind::Store(const AnyObject& object) const {
  std::string bytes;
  const auto stored = custom_ ? api::EncodeJson(object.get(), *type_, bytes)
                              : api::EncodeProtobuf(object.get(), *type_, bytes);
  FLYBALL_CHECK(stored, stored.error().Describe());
  return bytes;
}

Result<AnyObject> Kind::Restore(std::string_view bytes) const {
  AnyObject object(*type_);
  if (custom_) {
    FLYBALL_TRY(api::DecodeJson(bytes, *type_, object.get()));
  } else {
    FLYBALL_TRY(api::DecodeProtobuf(bytes, *type_, object.get()));
  }
  return object;
}

void Kind::Stamp(AnyObject& object) const {
  const Field* const kind = FindField(*type_, "kind");
  const Field* const api_version = FindField(*type_, "apiVersion");
  if (kind != nullptr) Member<std::string>(object.get(), *kind) = name_;
  if (api_version != nullptr) Member<std::string>(object.get(), *api_version) = api_version_;
}

Result<Json> Kind::ToJson(const AnyObject& object) const {
  FLYBALL_TRY(Json json, api::ToJson(object.get(), *type_));
  if (Json::Object* const members = json.If<Json::Object>()) {
    (*members)["kind"] = name_;
    (*members)["apiVersion"] = api_version_;
  }
  return json;
}

Result<AnyObject> Kind::FromJson(const Json& json) const {
  AnyObject object(*type_);
  FLYBALL_TRY(api::DecodeJson(json.ToString(), *type_, object.get()));
  return object;
}

}  // namespace flyball::sandbox
