#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/sandbox/apply/value.h"

namespace flyball::sandbox::apply {

/// One field of the key of an item in a list that is a map: `name: "web"`.
struct KeyField {
  std::string name;
  Json value;
};

/// The key of such an item; its fields are in the order of their names.
using ItemKey = std::vector<KeyField>;

/// One step of a path into an object: to a field of a map, to the item of a list that has a key, to
/// the item of a set that is a value, or to the item at an index.
class PathElement {
 public:
  static PathElement Field(std::string_view name) { return PathElement(Form(std::string(name))); }
  /// Takes the fields in any order.
  static PathElement Key(ItemKey key);
  static PathElement Value(Json value) { return PathElement(Form(std::move(value))); }
  static PathElement Index(std::int64_t index) { return PathElement(Form(index)); }

  /// The name of a field, the key of an item; null where it is something else.
  const std::string* field() const { return std::get_if<std::string>(&form_); }
  const ItemKey* key() const { return std::get_if<ItemKey>(&form_); }
  const Json* value() const { return std::get_if<Json>(&form_); }
  const std::int64_t* index() const { return std::get_if<std::int64_t>(&form_); }

  /// Upstream's order: fields, keys, values, indices.
  int Compare(const PathElement& other) const;
  /// The same against a field, without making one.
  int CompareField(std::string_view name) const;

  /// As it stands in messages: `.spec`, `[name="web"]`, `[="a"]`, `[3]`.
  std::string ToString() const;

  friend bool operator==(const PathElement& a, const PathElement& b) { return a.Compare(b) == 0; }

 private:
  // The order of the forms is the order of the elements.
  using Form = std::variant<std::string, ItemKey, Json, std::int64_t>;
  explicit PathElement(Form form) : form_(std::move(form)) {}

  Form form_;
};

using Path = std::vector<PathElement>;

/// `.spec.containers[name="web"].image`
std::string ToString(const Path& path);

}  // namespace flyball::sandbox::apply
