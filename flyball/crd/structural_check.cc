#include "flyball/crd/structural_check.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "flyball/crd/default_check.h"
#include "flyball/crd/schema_place.h"
#include "flyball/crd/value_validation_check.h"

namespace flyball::crd {
namespace {

using apiextensions::v1::JSONSchemaProps;

constexpr std::string_view kMetaFields[] = {"apiVersion", "kind", "metadata"};

std::unexpected<Error> Bad(const std::string& path, std::string message) {
  return Fail(ErrorCode::kInvalid, path, std::move(message));
}

/// The schema without what the root's metadata may say: that it is an object, and schemas of name
/// and generateName.
JSONSchemaProps BeyondNames(const JSONSchemaProps& metadata) {
  JSONSchemaProps rest = metadata;
  rest.type.clear();
  rest.default_.reset();
  rest.unknown_fields = {};
  rest.properties.erase("name");
  rest.properties.erase("generateName");
  return rest;
}

/// Walks what a schema says outside of allOf, anyOf, oneOf and not.
class StructuralChecker {
 public:
  enum class Level { kRoot, kItem, kField };
  /// What holds for a schema because of where it is.
  struct Where {
    Level level = Level::kRoot;
    int depth = 0;
    bool inside_meta = false;   ///< it describes a part of an object's own metadata
    bool defaults_here = true;  ///< it may have a default
  };

  Result<> Check(const JSONSchemaProps& schema, const std::string& path, const Where& where) {
    if (where.depth > kMaxSchemaDepth) return Bad(path, "nested deeper than 100 levels");
    FLYBALL_TRY(CheckSupported(schema, path));
    FLYBALL_TRY(Type(schema, path, where.level));
    if (schema.default_ && !where.defaults_here) {
      return Bad(path + ".default", "the server sets this; a schema cannot");
    }
    FLYBALL_TRY(Extensions(schema, path, where));
    FLYBALL_TRY(ListFacts(schema, path));
    FLYBALL_TRY(Metadata(schema, path, where.level));
    FLYBALL_TRY(CheckValueValidation(schema, path, where.level == Level::kRoot));
    FLYBALL_TRY(Inside(schema, path, where));
    if (schema.default_) FLYBALL_TRY(CheckDefault(schema, path + ".default"));
    return {};
  }

 private:
  static Result<> Type(const JSONSchemaProps& schema, const std::string& path, Level level) {
    const std::string& type = schema.type;
    if (level == Level::kRoot && !type.empty() && type != "object") {
      return Bad(path + ".type", "the root has to be an object");
    }
    if (type == "array" && !ItemsOf(schema)) {
      return Bad(path + ".items", "an array has to say what its items are");
    }
    const bool any_form = schema.xKubernetesIntOrString || PreservesUnknown(schema);
    if (type.empty() && !any_form) {
      return Bad(path + ".type",
                 "not given, without x-kubernetes-int-or-string or "
                 "x-kubernetes-preserve-unknown-fields");
    }
    return {};
  }

  static Result<> Extensions(const JSONSchemaProps& schema, const std::string& path,
                             const Where& where) {
    const bool embedded = schema.xKubernetesEmbeddedResource;
    if (schema.xKubernetesIntOrString && (embedded || PreservesUnknown(schema))) {
      return Bad(path + ".x-kubernetes-int-or-string",
                 "is neither an embedded resource nor keeps unknown fields");
    }
    if (schema.additionalProperties && where.level == Level::kRoot) {
      return Bad(path + ".additionalProperties", "not at the root");
    }
    if (schema.nullable && where.level == Level::kRoot) {
      return Bad(path + ".nullable", "not at the root");
    }
    if (!embedded) return {};
    if (where.inside_meta) {
      return Bad(path + ".x-kubernetes-embedded-resource", "not inside of metadata");
    }
    if (schema.type != "object") {
      return Bad(path + ".type", "an embedded resource has to be an object");
    }
    if (schema.additionalProperties) {
      return Bad(path + ".additionalProperties", "not in an embedded resource");
    }
    if (schema.properties.empty() && !PreservesUnknown(schema)) {
      return Bad(path + ".properties", "an embedded resource has some, or keeps unknown fields");
    }
    return {};
  }

  static Result<> ListFacts(const JSONSchemaProps& schema, const std::string& path) {
    if (const auto& map_type = schema.xKubernetesMapType) {
      const std::string here = path + ".x-kubernetes-map-type";
      if (schema.type != "object") return Bad(here, "only an object has one");
      if (*map_type != "atomic" && *map_type != "granular") {
        return Bad(here, "neither atomic nor granular");
      }
    }
    const std::string keys = path + ".x-kubernetes-list-map-keys";
    if (!schema.xKubernetesListType) {
      if (schema.xKubernetesListMapKeys.empty()) return {};
      return Bad(keys, "only where x-kubernetes-list-type is map");
    }
    const std::string here = path + ".x-kubernetes-list-type";
    const std::string& type = *schema.xKubernetesListType;
    if (schema.type != "array") return Bad(here, "only an array has one");
    if (type != "atomic" && type != "set" && type != "map") {
      return Bad(here, "neither atomic, set nor map");
    }
    if (type != "map" && !schema.xKubernetesListMapKeys.empty()) {
      return Bad(keys, "only where x-kubernetes-list-type is map");
    }
    const JSONSchemaProps& items = *ItemsOf(schema);
    if (type != "atomic" && items.nullable) {
      return Bad(path + ".items.nullable", "not in a list of type " + type);
    }
    if (type == "set") return SetItems(items, path + ".items");
    return type == "map" ? MapKeys(schema, items, path) : Result<>();
  }

  static Result<> SetItems(const JSONSchemaProps& items, const std::string& path) {
    const std::string list_type = items.xKubernetesListType.value_or("atomic");
    if (items.type == "array" && list_type != "atomic") {
      return Bad(path + ".x-kubernetes-list-type", "an item of a set has to be atomic");
    }
    if (items.type == "object" && items.xKubernetesMapType != "atomic") {
      return Bad(path + ".x-kubernetes-map-type", "an item of a set has to be atomic");
    }
    return {};
  }

  static Result<> MapKeys(const JSONSchemaProps& schema, const JSONSchemaProps& items,
                          const std::string& path) {
    const std::string here = path + ".x-kubernetes-list-map-keys";
    if (schema.xKubernetesListMapKeys.empty()) return Bad(here, "a list of type map has some");
    if (items.type != "object") {
      return Bad(path + ".items.type", "the items of a list of type map are objects");
    }
    std::set<std::string> seen;
    for (const std::string& key : schema.xKubernetesListMapKeys) {
      if (!seen.insert(key).second) return Bad(here, "a key is there twice");
      const JSONSchemaProps* member = items.properties.find(key);
      if (!member) return Bad(here, "a key is not a property of the items");
      const std::string place = PropertyPath(path + ".items", key);
      if (member->type == "array" || member->type == "object") {
        return Bad(place + ".type", "a key of a list of type map is a scalar");
      }
      if (member->nullable) return Bad(place + ".nullable", "not for a key of a list of type map");
      if (!IsRequired(items, key) && !member->default_) {
        return Bad(place, "a key of a list of type map is required or has a default");
      }
    }
    return {};
  }

  /// What every object has: a schema may repeat it, and hardly say more.
  static Result<> Metadata(const JSONSchemaProps& schema, const std::string& path, Level level) {
    if (level != Level::kRoot && !schema.xKubernetesEmbeddedResource) return {};
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const JSONSchemaProps* member = schema.properties.find(name);
      if (member && member->type != "string") {
        return Bad(PropertyPath(path, name) + ".type", "has to be a string");
      }
    }
    const JSONSchemaProps* metadata = schema.properties.find("metadata");
    if (!metadata) return {};
    const std::string here = PropertyPath(path, "metadata");
    if (metadata->type != "object") return Bad(here + ".type", "has to be an object");
    if (level == Level::kRoot && !(BeyondNames(*metadata) == JSONSchemaProps())) {
      return Bad(here, "a schema can restrict name and generateName here, and nothing else");
    }
    return {};
  }

  Result<> Inside(const JSONSchemaProps& schema, const std::string& path, const Where& where) {
    Where inner = where;
    inner.depth = where.depth + 1;
    inner.level = Level::kItem;
    if (const JSONSchemaProps* items = ItemsOf(schema)) {
      FLYBALL_TRY(Check(*items, path + ".items", inner));
    }
    inner.level = Level::kField;
    if (const JSONSchemaProps* additional = AdditionalOf(schema)) {
      Where among = inner;
      among.defaults_here = inner.defaults_here && !where.inside_meta;
      FLYBALL_TRY(Check(*additional, path + ".additionalProperties", among));
    }
    const bool root = where.level == Level::kRoot;
    for (const auto& [name, member] : schema.properties) {
      Where among = inner;
      if ((root || schema.xKubernetesEmbeddedResource) &&
          std::ranges::find(kMetaFields, name) != std::end(kMetaFields)) {
        among.inside_meta = true;
        if (root) among.defaults_here = false;
      }
      FLYBALL_TRY(Check(member, PropertyPath(path, name), among));
    }
    return {};
  }
};

/// With a status subresource the server takes properties.status out of the schema, and so allows
/// nothing at the root that would be lost.
Result<> CheckRootWithStatus(const JSONSchemaProps& root, const std::string& path) {
  const bool narrowed = !root.allOf.empty() || !root.anyOf.empty() || !root.oneOf.empty() ||
                        root.not_ || !root.enum_.empty() || root.maxProperties ||
                        root.minProperties;
  if (narrowed || root.default_ || root.xKubernetesEmbeddedResource || root.xKubernetesMapType ||
      root.xKubernetesListType || root.xKubernetesIntOrString || root.type != "object") {
    return Bad(path, "with a status subresource the root can only be an object with properties");
  }
  return {};
}

}  // namespace

Result<> CheckStructural(const JSONSchemaProps& root, bool has_status, const std::string& path) {
  FLYBALL_TRY(StructuralChecker().Check(root, path, {}));
  if (has_status) FLYBALL_TRY(CheckRootWithStatus(root, path));
  return {};
}

}  // namespace flyball::crd
