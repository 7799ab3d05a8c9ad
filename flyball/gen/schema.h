#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"

/// The generator's model of an API: what the schema files (or a CRD) say, before any C++.
namespace flyball::gen {

/// A type as a field spells it. `element` is what a pointer, list or map is of.
struct TypeRef {
  enum class Form { kScalar, kLeaf, kNamed, kPointer, kList, kMap };
  Form form = Form::kScalar;
  /// "int32", "Quantity" (leaf), "core/v1.Pod" (named, always with its package). Of a map, the type
  /// of its keys, which are strings whatever that is called.
  std::string name;
  std::vector<TypeRef> element;

  const TypeRef& Element() const { return element.front(); }
};

struct FieldFacts {
  int number = 0;  ///< protobuf field number, 0 where protobuf does not carry it
  std::string json_name;
  TypeRef type;
  bool inlined = false;
  bool omitempty = false;
  bool omitzero = false;
  bool required = false;
  std::string go_name;
  std::string cpp_name;
  std::string patch_strategy;
  std::string merge_key;
  std::string list_type;  ///< "set", "map:key1:key2", or empty for atomic
  bool atomic_map = false;
  std::string union_form;   ///< "object", "array", "bool", in a union only
  bool structural = false;  ///< of a CRD
  bool nullable = false;
  std::string default_json;     ///< JSON text, empty for none
  std::string element_default;  ///< the same, of a list's or map's elements
  std::string doc;              ///< text for people, of any form
};

struct StructFacts {
  std::string name;     ///< in C++
  std::string kind;     ///< on the wire, where that is another name
  std::string package;  ///< "core/v1"
  bool is_kind = false;
  bool is_union = false;
  bool is_bare = false;  ///< its one field is all there is of it in JSON
  bool atomic = false;
  bool json_only = false;
  std::vector<FieldFacts> fields;
  std::string doc;

  std::string QualifiedName() const { return package + "." + name; }
};

struct NamedType {
  TypeRef type;
  bool wrapped = false;  ///< protobuf carries it as a message with one repeated field
};

struct SubresourceFacts {
  std::string name;
  std::string kind;
  std::vector<std::string> verbs;
};

struct ColumnFacts {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  std::string json_path;
  int priority = 0;
};

struct ScaleFacts {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;
};

/// What a CRD says of one version of a resource.
struct CustomResourceFacts {
  bool served = false;
  bool storage = false;
  bool deprecated = false;
  std::string deprecation_warning;
  std::optional<ScaleFacts> scale;
  std::vector<ColumnFacts> columns;
  std::vector<std::string> selectable_fields;
};

struct ResourceFacts {
  std::string plural;
  std::string kind;
  std::string singular;
  bool namespaced = false;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<std::string> verbs;
  std::vector<SubresourceFacts> subresources;
  std::optional<CustomResourceFacts> custom;
};

struct Package {
  std::string name;  ///< "core/v1"
  std::string group;
  std::string version;
  std::string header;               ///< where that is not flyball/api/core/v1.h
  bool declared_elsewhere = false;  ///< its code exists; it is here to be referred to
  std::vector<ResourceFacts> resources;
  std::map<std::string, NamedType> named;
  std::vector<StructFacts> structs;
};

/// All packages, with lookups over them.
class Schema {
 public:
  /// Adds the packages of one schema file; `file` is named in errors.
  Result<> AddFile(std::string_view file, std::string_view text);

  /// Adds a package that did not come from a file. False if there is one of that name.
  bool AddPackage(Package package);

  /// Every type a field names must exist. Call once, after the last AddFile.
  Result<> Check() const;

  const std::map<std::string, Package>& packages() const { return packages_; }
  const Package* FindPackage(std::string_view name) const;
  const StructFacts* FindStruct(std::string_view qualified_name) const;
  const NamedType* FindNamed(std::string_view qualified_name) const;

  /// What a named scalar, list or map stands for in the end; other types are returned as they are.
  const TypeRef& Resolve(const TypeRef& type) const;

 private:
  std::map<std::string, Package> packages_;
};

/// What a type is of in the end, through pointers, lists and maps as they are spelled.
const TypeRef& Innermost(const TypeRef& type);

/// The parts of a text between separators, without the empty ones.
std::vector<std::string> Split(std::string_view text, char separator);

/// "core/v1.Pod" -> {"core/v1", "Pod"}.
std::pair<std::string, std::string> SplitQualified(std::string_view qualified_name);

}  // namespace flyball::gen
