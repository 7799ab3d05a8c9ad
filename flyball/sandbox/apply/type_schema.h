#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/type_info.h"
#include "flyball/sandbox/apply/value.h"

namespace flyball::sandbox::apply {

enum class Scalar : std::uint8_t { kNone, kNumeric, kString, kBoolean, kAny };

/// What may stand at one place of an object, and how it is owned. A place with a schema has one
/// form; one that is free to hold anything has all three, and the value decides.
struct TypeNode {
  struct Field {
    std::string name;
    const TypeNode* type;
    Json default_value;  ///< null: none
  };

  Scalar scalar = Scalar::kNone;

  /// A list. Atomic: one value, whoever owns a part. Otherwise items are told apart by the fields
  /// of `keys`, or, where there are none, by what they are: a set.
  bool is_list = false;
  bool list_is_atomic = true;
  std::vector<std::string> keys = {};
  const TypeNode* item = nullptr;

  /// A map. `fields` are those that have a name in the schema, in order; `other_fields` is what any
  /// other one is, null where there may be no other.
  bool is_map = false;
  bool map_is_atomic = false;
  std::vector<Field> fields = {};
  const TypeNode* other_fields = nullptr;
  /// Holds whatever comes: sets that were made under another schema are left alone here.
  bool is_free_map = false;

  const Field* FindField(std::string_view name) const;
  /// The type of a field; null where the schema has none.
  const TypeNode* TypeOfField(std::string_view name) const;
};

/// The types of one kind of object, as server-side apply sees them. Constant once made; any thread.
class TypeSchema {
 public:
  /// A built-in kind.
  static TypeSchema OfType(const api::TypeInfo& kind);
  /// One version of a custom kind. `preserve_unknown_fields` is the definition's own.
  static TypeSchema OfCustomKind(const apiextensions::v1::JSONSchemaProps& schema,
                                 bool preserve_unknown_fields);
  /// A kind that nobody has described: maps are granular, lists are atomic.
  static TypeSchema Deduced();

  const TypeNode& root() const { return *root_; }
  /// What a created object is compared with: a built-in kind's has its empty `spec` and `status`,
  /// which are therefore nobody's.
  const Json& empty_object() const { return empty_object_; }

 private:
  friend class TypeSchemaBuilder;
  TypeSchema() = default;

  // A deque: nodes point at each other, and a type may hold itself.
  std::unique_ptr<std::deque<TypeNode>> nodes_ = std::make_unique<std::deque<TypeNode>>();
  const TypeNode* root_ = nullptr;
  Json empty_object_ = Json::Object();
};

}  // namespace flyball::sandbox::apply
