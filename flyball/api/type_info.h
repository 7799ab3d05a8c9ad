#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// The constant tables that describe every API type. `flyball gen` writes one beside each struct;
/// the codecs, printers and comparers are one small engine each that walks them, so that a type
/// costs a table and a format costs a file.
namespace flyball::api {

struct TypeInfo;

/// What one value of a field is.
enum class Kind : std::uint8_t {
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kString,
  kBytes,    ///< std::string; base64 in JSON
  kStrings,  ///< std::vector<std::string> that protobuf wraps in a message of its own
  kQuantity,
  kIntOrString,
  kTime,
  kMicroTime,
  kDuration,
  kRaw,  ///< RawJson
  kMessage,
};

/// How many there are of it.
enum class Shape : std::uint8_t {
  kValue,     ///< T
  kOptional,  ///< std::optional<T>; Box<T> for messages
  kList,      ///< std::vector<T>
  kMap,       ///< Map<T>
  kInlined,   ///< a base class: JSON writes its members among the outer ones
};

/// Which form of a JSON value a union's field takes.
enum class UnionForm : std::uint8_t { kNone, kBool, kArray, kObject };

/// What a CRD's schema puts where nothing was said, as JSON text.
struct FieldDefaults {
  std::string_view member = {};   ///< where the member is absent
  std::string_view element = {};  ///< where an element of the list or map is null
};

struct Field {
  std::string_view name = {};         ///< as in JSON; empty for an inlined struct
  const TypeInfo* message = nullptr;  ///< of a message field
  std::uint16_t offset = 0;
  std::uint16_t number = 0;  ///< in protobuf; 0 where protobuf does not carry the field
  Kind kind = Kind::kMessage;
  Shape shape = Shape::kValue;
  bool omitempty = false;
  bool omitzero = false;
  bool required = false;
  UnionForm union_form = UnionForm::kNone;
  bool atomic_map = false;  ///< server-side apply: one value, whoever owns a part of it
  bool structural = false;  ///< of a CRD: null, empty and absent differ as its schema says
  bool nullable = false;    ///< of a CRD: null is a value, and kept in unknown_fields
  std::string_view patch_strategy = {};  ///< strategic merge: "merge", "replace", "retainKeys", ...
  std::string_view merge_key = {};
  std::string_view list_type = {};  ///< server-side apply: "set", "map:key1:key2"; empty is atomic
  const FieldDefaults* defaults = nullptr;
};

/// A std::vector<T> of messages, seen without its T.
struct ListOps {
  std::size_t stride;
  std::size_t (*size)(const void* list);
  const void* (*data)(const void* list);
  void* (*grow)(void* list);
  void (*reserve)(void* list, std::size_t n);
  void (*clear)(void* list);
};

/// A Map<T> of messages, seen without its T.
struct MapOps {
  std::size_t (*size)(const void* map);
  const std::string& (*key)(const void* map, std::size_t i);
  const void* (*value)(const void* map, std::size_t i);
  void* (*emplace)(void* map, std::string_view key);
  void (*clear)(void* map);
  void* (*append)(void* map, std::string_view key);
  void (*sort)(void* map);
  std::size_t entry_size;
};

/// A Box<T>, seen without its T.
struct BoxOps {
  void* (*emplace)(void* box);
  void* (*get_or_emplace)(void* box);
  void (*reset)(void* box);
  std::size_t size;
};

struct SubresourceInfo {
  std::string_view name;
  std::string_view kind;   ///< "Pod", or "policy/v1.Eviction" where the group is another
  std::string_view verbs;  ///< comma-separated
};

/// A column that `kubectl get` shows of a custom resource.
struct PrinterColumn {
  std::string_view name;
  std::string_view type;
  std::string_view format;
  std::string_view description;
  std::string_view json_path;
  std::int32_t priority;  ///< 0 is always shown, more only in wide output
};

/// Where a custom resource keeps what its scale subresource reads and writes.
struct ScalePaths {
  std::string_view spec_replicas;
  std::string_view status_replicas;
  std::string_view label_selector;  ///< empty where there is none
};

/// What a CRD says of one version of a resource besides its schema.
struct CustomResourceInfo {
  bool served;
  bool storage;
  bool deprecated;
  std::string_view deprecation_warning;
  const ScalePaths* scale;  ///< null where there is no such subresource
  std::span<const PrinterColumn> columns;
  std::span<const std::string_view> selectable_fields;  ///< JSON paths
};

/// What discovery says of a resource.
struct ResourceInfo {
  std::string_view plural;
  std::string_view singular;
  std::string_view short_names;  ///< comma-separated
  std::string_view categories;   ///< comma-separated
  std::string_view verbs;        ///< comma-separated
  bool namespaced;
  std::span<const SubresourceInfo> subresources;
  const CustomResourceInfo* custom = nullptr;  ///< of a resource that a CRD defines
};

struct TypeInfo {
  std::string_view name;     ///< "Pod"
  std::string_view package;  ///< "core/v1"
  std::string_view group;    ///< of a kind; empty for the core group
  std::string_view version;
  bool is_kind = false;
  bool is_union = false;
  bool is_bare = false;    ///< has one field, and is in JSON what that field is: a list in a list
  bool atomic = false;     ///< server-side apply: one value, whoever owns a part of it
  bool json_only = false;  ///< protobuf has no form of it
  bool has_type_meta = false;
  std::uint16_t unknown_offset = 0;
  std::span<const Field> fields = {};            ///< in declaration order, which is JSON's order
  std::span<const std::uint8_t> by_number = {};  ///< indices into fields, by ascending number
  const ListOps* list = nullptr;                 ///< where some field is a list of this type
  const MapOps* map = nullptr;
  const BoxOps* box = nullptr;
  /// For each field, what Go prints before its value: "Image:(string)". Only of the types that
  /// upstream hashes by printing them.
  std::span<const std::string_view> go_prefixes = {};
  const ResourceInfo* resource = nullptr;
  void* (*create)() = nullptr;  ///< kinds only
  void (*destroy)(void*) = nullptr;

  /// "v1" for the core group, "apps/v1" for others.
  std::string ApiVersion() const {
    return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
  }
};

}  // namespace flyball::api
