#include "flyball/sandbox/apply/list_item.h"

namespace flyball::sandbox::apply {
namespace {

/// What an item has for one field of its key; null where it has nothing.
const Json* KeyValue(const TypeNode& list, const Json::Object& item, const std::string& name) {
  if (const Json* value = item.find(name)) return value;
  const TypeNode::Field* field = list.item->FindField(name);
  return field != nullptr && !field->default_value.IsNull() ? &field->default_value : nullptr;
}

Result<> CheckMember(const Json& item) {
  const char* why = nullptr;
  if (item.If<Json::Object>() != nullptr) {
    why = "associative list without keys has an element that's a map type";
  } else if (item.If<Json::Array>() != nullptr) {
    why = "not supported: associative list with lists as elements";
  } else if (item.IsNull()) {
    why = "associative list without keys has an element that's an explicit null";
  }
  return why == nullptr ? Result<>() : Fail(ErrorCode::kInvalid, why);
}

std::string OmitsAllKeys(const TypeNode& list) {
  std::string names;
  for (const std::string& name : list.keys) names += (names.empty() ? "\"" : " \"") + name + "\"";
  return "associative list with keys has an element that omits all key fields [" + names +
         "] (and doesn't have default values for any key fields)";
}

}  // namespace

Result<> CheckItem(const TypeNode& list, const Json& item) {
  const auto refuse = [](std::string why) { return Fail(ErrorCode::kInvalid, std::move(why)); };
  if (list.list_is_atomic) return refuse("invalid indexing of non-associative list");
  if (list.keys.empty()) return CheckMember(item);
  if (item.IsNull()) return refuse("associative list with keys may not have a null element");
  const auto* map = item.If<Json::Object>();
  if (map == nullptr) return refuse("associative list with keys may not have non-map elements");
  bool any = false;
  for (const std::string& name : list.keys) {
    if (!list.item->is_map && map->find(name) == nullptr) {
      return refuse("couldn't find default value for " + name +
                    ": associative list may not have non-map types");
    }
    any |= KeyValue(list, *map, name) != nullptr;
  }
  return any ? Result<>() : refuse(OmitsAllKeys(list));
}

Result<PathElement> ElementOfItem(const TypeNode& list, const Json& item) {
  FLYBALL_TRY(CheckItem(list, item));
  if (list.keys.empty()) return PathElement::Value(item);
  ItemKey key;
  key.reserve(list.keys.size());
  for (const std::string& name : list.keys) {
    if (const Json* value = KeyValue(list, *item.If<Json::Object>(), name)) {
      key.push_back({name, *value});
    }
  }
  return PathElement::Key(std::move(key));
}

}  // namespace flyball::sandbox::apply
