#include "flyball/crd/value_validation_check.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "flyball/crd/schema_place.h"

namespace flyball::crd {
namespace {

using apiextensions::v1::JSONSchemaProps;

std::unexpected<Error> Bad(const std::string& path, std::string message) {
  return Fail(ErrorCode::kInvalid, path, std::move(message));
}

/// anyOf: [{type: integer}, {type: string}], and nothing else.
bool IsIntOrString(const std::vector<JSONSchemaProps>& any_of) {
  const auto is_only = [](const JSONSchemaProps& schema, const char* type) {
    JSONSchemaProps only;
    only.type = type;
    return schema == only;
  };
  return any_of.size() == 2 && is_only(any_of[0], "integer") && is_only(any_of[1], "string");
}

class ValueValidationChecker {
 public:
  explicit ValueValidationChecker(bool is_root) : is_root_(is_root) {}

  /// `described` is the schema that describes the value outside of any junctor.
  Result<> Junctors(const JSONSchemaProps& schema, const JSONSchemaProps* described,
                    const std::string& path, bool any_of_is_type, int depth) {
    if (depth > kMaxSchemaDepth) return Bad(path, "nested deeper than 100 levels");
    if (!any_of_is_type) FLYBALL_TRY(Each(schema.anyOf, described, path, "anyOf", false, depth));
    const bool first_is_type = !schema.allOf.empty() && IsIntOrString(schema.allOf[0].anyOf);
    FLYBALL_TRY(Each(schema.allOf, described, path, "allOf", depth == 0 && first_is_type, depth));
    FLYBALL_TRY(Each(schema.oneOf, described, path, "oneOf", false, depth));
    if (schema.not_) {
      FLYBALL_TRY(Nested(*schema.not_, described, path + ".not", false, depth + 1));
    }
    return {};
  }

 private:
  Result<> Each(const std::vector<JSONSchemaProps>& schemas, const JSONSchemaProps* described,
                const std::string& path, std::string_view junctor, bool first_is_type, int depth) {
    for (std::size_t i = 0; i < schemas.size(); ++i) {
      FLYBALL_TRY(Nested(schemas[i], described, IndexPath(path, junctor, i),
                         first_is_type && i == 0, depth + 1));
    }
    return {};
  }

  Result<> Nested(const JSONSchemaProps& schema, const JSONSchemaProps* described,
                  const std::string& path, bool any_of_is_type, int depth) {
    if (is_root_ && !described) {
      return Bad(path, "limits a value that the schema does not describe outside of it");
    }
    FLYBALL_TRY(CheckSupported(schema, path));
    FLYBALL_TRY(OnlyLimits(schema, path));
    FLYBALL_TRY(Junctors(schema, described, path, any_of_is_type, depth));
    if (const JSONSchemaProps* items = ItemsOf(schema)) {
      const JSONSchemaProps* its_items = described ? ItemsOf(*described) : nullptr;
      FLYBALL_TRY(Nested(*items, its_items, path + ".items", false, depth + 1));
    }
    for (const auto& [name, member] : schema.properties) {
      const JSONSchemaProps* its_member = described ? described->properties.find(name) : nullptr;
      FLYBALL_TRY(Nested(member, its_member, PropertyPath(path, name), false, depth + 1));
    }
    return {};
  }

  static Result<> OnlyLimits(const JSONSchemaProps& schema, const std::string& path) {
    const auto& additional = schema.additionalProperties;
    const std::pair<const char*, bool> forbidden[] = {
        {"type", !schema.type.empty()},
        {"additionalProperties", additional && (additional->allows || additional->schema)},
        {"default", schema.default_.has_value()},
        {"title", !schema.title.empty()},
        {"description", !schema.description.empty()},
        {"nullable", schema.nullable},
        {"x-kubernetes-preserve-unknown-fields", PreservesUnknown(schema)},
        {"x-kubernetes-embedded-resource", schema.xKubernetesEmbeddedResource},
        {"x-kubernetes-int-or-string", schema.xKubernetesIntOrString},
        {"x-kubernetes-list-map-keys", !schema.xKubernetesListMapKeys.empty()},
        {"x-kubernetes-list-type", schema.xKubernetesListType.has_value()},
        {"x-kubernetes-map-type", schema.xKubernetesMapType.has_value()},
        {"x-kubernetes-validations", !schema.xKubernetesValidations.empty()},
        {"properties.metadata", schema.properties.contains("metadata")},
    };
    for (const auto& [name, present] : forbidden) {
      if (present) {
        return Bad(path + "." + name, "not inside of allOf, anyOf, oneOf and not");
      }
    }
    return {};
  }

  const bool is_root_;
};

}  // namespace

Result<> CheckSupported(const JSONSchemaProps& schema, const std::string& path) {
  const std::pair<const char*, bool> unsupported[] = {
      {"id", !schema.id.empty()},
      {"$schema", !schema.schema.empty()},
      {"$ref", schema.ref.has_value()},
      {"patternProperties", !schema.patternProperties.empty()},
      {"dependencies", !schema.dependencies.empty()},
      {"additionalItems", schema.additionalItems.has_value()},
      {"definitions", !schema.definitions.empty()},
      {"uniqueItems", schema.uniqueItems},
  };
  for (const auto& [name, present] : unsupported) {
    if (present) return Bad(path + "." + name, "not in the schema of a CRD");
  }
  constexpr std::string_view kTypes[] = {"array",  "boolean", "integer",
                                         "number", "object",  "string"};
  if (!schema.type.empty() && std::ranges::find(kTypes, schema.type) == std::end(kTypes)) {
    return Bad(path + ".type", "none of array, boolean, integer, number, object and string");
  }
  if (schema.items && !schema.items->jSONSchemas.empty()) {
    return Bad(path + ".items", "one schema for all items, not a list of them");
  }
  const auto& additional = schema.additionalProperties;
  if (additional && !schema.properties.empty() && (!additional->allows || additional->schema)) {
    return Bad(path + ".additionalProperties", "not together with properties");
  }
  const auto& preserve = schema.xKubernetesPreserveUnknownFields;
  if (preserve && !*preserve) {
    return Bad(path + ".x-kubernetes-preserve-unknown-fields", "either true or not there");
  }
  return {};
}

Result<> CheckValueValidation(const JSONSchemaProps& schema, const std::string& path,
                              bool is_root) {
  return ValueValidationChecker(is_root).Junctors(schema, &schema, path,
                                                  IsIntOrString(schema.anyOf), 0);
}

}  // namespace flyball::crd
