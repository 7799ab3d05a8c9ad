#include "flyball/operator/apply_configuration.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "flyball/api/json_encode.h"
#include "flyball/api/quantity.h"

namespace flyball {
namespace {

using api::Field;
using api::Json;
using api::Kind;
using api::Shape;
using api::TypeInfo;

/// Null where the type does not name it.
const Field* FindField(const TypeInfo& type, std::string_view name) {
  for (const Field& field : type.fields) {
    if (field.shape == Shape::kInlined) {
      if (const Field* const found = FindField(*field.message, name)) return found;
    } else if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

/// Types whose JSON has members by the names of their fields.
bool HasMembers(const TypeInfo* type) {
  return type != nullptr && !type->is_union && !type->is_bare;
}

bool IsEmptyObject(const Json& value) {
  const auto* const object = value.If<Json::Object>();
  return object != nullptr && object->empty();
}

void Prune(Json& value, const TypeInfo& type);

void PruneField(Json& value, const Field& field) {
  if (field.kind != Kind::kMessage || !HasMembers(field.message)) return;
  if (field.shape == Shape::kList) {
    if (auto* const list = value.If<Json::Array>()) {
      for (Json& element : *list) Prune(element, *field.message);
    }
  } else if (field.shape == Shape::kMap) {
    if (auto* const map = value.If<Json::Object>()) {
      for (auto& [key, element] : *map) Prune(element, *field.message);
    }
  } else {
    Prune(value, *field.message);
  }
}

void Prune(Json& value, const TypeInfo& type) {
  auto* const object = value.If<Json::Object>();
  if (object == nullptr) return;
  Json::Object kept;
  for (auto& [name, member] : *object) {
    if (member.IsNull()) continue;
    const Field* const field = FindField(type, name);
    if (field != nullptr) {
      PruneField(member, *field);
      const bool there_anyway = field->shape == Shape::kValue && field->kind == Kind::kMessage;
      if (there_anyway && IsEmptyObject(member)) continue;
    }
    kept[name] = std::move(member);
  }
  *object = std::move(kept);
}

bool SameLeaf(const Json& actual, const Json& desired, const Field* field) {
  if (actual == desired) return true;
  if (field == nullptr || field->kind != Kind::kQuantity) return false;
  const auto* const a = actual.If<std::string>();
  const auto* const b = desired.If<std::string>();
  if (a == nullptr || b == nullptr) return false;
  const auto one = api::Quantity::Parse(*a);
  const auto other = api::Quantity::Parse(*b);
  return one && other && one->Compare(*other) == 0;
}

/// `type` is that of an object, or of the elements, where the field is a list or a map.
bool Covers(const Json& actual, const Json& desired, const Field* field, const TypeInfo* type);

bool CoversList(const Json::Array& actual, const Json::Array& desired, const Field* field,
                const TypeInfo* type) {
  const auto covers = [&](const Json& one, const Json& other) {
    return Covers(one, other, field, type);
  };
  // What is kept by keys is found by what it says: a key may be among what the server fills in.
  if (field != nullptr && !field->list_type.empty()) {
    return std::ranges::all_of(desired, [&](const Json& element) {
      return std::ranges::any_of(actual, [&](const Json& one) { return covers(one, element); });
    });
  }
  return std::ranges::equal(actual, desired, covers);
}

bool CoversObject(const Json::Object& actual, const Json::Object& desired, const Field* field,
                  const TypeInfo* type) {
  const bool is_map = field != nullptr && field->shape == Shape::kMap;
  return std::ranges::all_of(desired, [&](const auto& entry) {
    const Json* const member = actual.find(entry.first);
    if (member == nullptr) return false;
    if (is_map && !HasMembers(type)) return SameLeaf(*member, entry.second, field);
    const Field* const of = is_map || type == nullptr ? nullptr : FindField(*type, entry.first);
    const TypeInfo* const inner = is_map ? type : of == nullptr ? nullptr : of->message;
    return Covers(*member, entry.second, of, HasMembers(inner) ? inner : nullptr);
  });
}

bool Covers(const Json& actual, const Json& desired, const Field* field, const TypeInfo* type) {
  const auto* const object = desired.If<Json::Object>();
  const auto* const actual_object = actual.If<Json::Object>();
  if (object != nullptr && actual_object != nullptr) {
    return CoversObject(*actual_object, *object, field, type);
  }
  const auto* const list = desired.If<Json::Array>();
  const auto* const actual_list = actual.If<Json::Array>();
  if (list != nullptr && actual_list != nullptr) {
    return CoversList(*actual_list, *list, field, type);
  }
  return SameLeaf(actual, desired, field);
}

}  // namespace

Result<Json> ApplyConfigurationOf(const void* object, const TypeInfo& type) {
  FLYBALL_TRY(Json desired, api::ToJson(object, type));
  Prune(desired, type);
  auto& members = *desired.If<Json::Object>();
  members.erase("status");
  members["apiVersion"] = type.ApiVersion();
  members["kind"] = type.name;
  return desired;
}

bool Satisfies(const Json& actual, const Json& desired, const TypeInfo& type) {
  const auto* const members = desired.If<Json::Object>();
  const auto* const there = actual.If<Json::Object>();
  if (members == nullptr || there == nullptr) return false;
  // What a typed client has read does not say its kind.
  Json::Object rest = *members;
  rest.erase("apiVersion");
  rest.erase("kind");
  return CoversObject(*there, rest, nullptr, &type);
}

Result<std::uint64_t> Fingerprint(const void* object, const TypeInfo& type) {
  std::string text;
  FLYBALL_TRY(api::EncodeJson(object, type, text));
  return std::hash<std::string>()(text);
}

}  // namespace flyball
