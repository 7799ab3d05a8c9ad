#include "flyball/ctl/json_field.h"

namespace flyball::ctl {

using api::Json;

const Json* FieldAt(const Json& object, Path path) {
  const Json* at = &object;
  for (const std::string_view name : path) {
    at = at->Find(name);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string TextAt(const Json& object, Path path) {
  const Json* const found = FieldAt(object, path);
  const auto* const text = found == nullptr ? nullptr : found->If<std::string>();
  return text == nullptr ? std::string() : *text;
}

std::int64_t NumberAt(const Json& object, Path path, std::int64_t otherwise) {
  const Json* const found = FieldAt(object, path);
  const auto* const number = found == nullptr ? nullptr : found->If<std::int64_t>();
  return number == nullptr ? otherwise : *number;
}

const Json::Array& ListAt(const Json& object, Path path) {
  static const Json::Array kNone;
  const Json* const found = FieldAt(object, path);
  const auto* const list = found == nullptr ? nullptr : found->If<Json::Array>();
  return list == nullptr ? kNone : *list;
}

const Json::Object& MembersAt(const Json& object, Path path) {
  static const Json::Object kNone;
  const Json* const found = FieldAt(object, path);
  const auto* const members = found == nullptr ? nullptr : found->If<Json::Object>();
  return members == nullptr ? kNone : *members;
}

Json& MakeField(Json& object, Path path) {
  Json* at = &object;
  for (const std::string_view name : path) {
    if (at->If<Json::Object>() == nullptr) *at = Json::Object();
    at = &(*at->If<Json::Object>())[name];
  }
  return *at;
}

void RemoveField(Json& object, Path path) {
  Json* at = &object;
  for (const std::string_view& name : path) {
    auto* const members = at->If<Json::Object>();
    if (members == nullptr) return;
    if (&name == path.end() - 1) {
      members->erase(name);
      return;
    }
    at = members->find(name);
    if (at == nullptr) return;
  }
}

std::string GoText(const Json& value) {
  if (value.IsNull()) return "<nil>";
  if (const auto* text = value.If<std::string>()) return *text;
  std::string all;
  if (const auto* list = value.If<Json::Array>()) {
    for (const Json& each : *list) all += (all.empty() ? "" : " ") + GoText(each);
    return "[" + all + "]";
  }
  if (const auto* members = value.If<Json::Object>()) {
    for (const auto& [name, each] : *members) {
      all += (all.empty() ? "" : " ") + name + ":" + GoText(each);
    }
    return "map[" + all + "]";
  }
  return value.ToString();
}

}  // namespace flyball::ctl
