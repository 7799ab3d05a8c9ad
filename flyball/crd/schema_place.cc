#include "flyball/crd/schema_place.h"

#include <algorithm>

#include "flyball/api/label_validation.h"

namespace flyball::crd {

using apiextensions::v1::JSONSchemaProps;

std::string PropertyPath(const std::string& path, std::string_view name) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '$';
  });
  const std::string properties = path + ".properties";
  if (plain) return properties + "." + std::string(name);
  return properties + "[" + api::QuoteForMessage(name) + "]";
}

const JSONSchemaProps* ItemsOf(const JSONSchemaProps& schema) {
  return schema.items && schema.items->schema ? &*schema.items->schema : nullptr;
}

const JSONSchemaProps* AdditionalOf(const JSONSchemaProps& schema) {
  const auto& additional = schema.additionalProperties;
  return additional && additional->schema ? &*additional->schema : nullptr;
}

bool PreservesUnknown(const JSONSchemaProps& schema) {
  return schema.xKubernetesPreserveUnknownFields.value_or(false);
}

bool IsRequired(const JSONSchemaProps& schema, std::string_view member) {
  return std::ranges::find(schema.required, member) != schema.required.end();
}

std::string_view EffectiveType(const JSONSchemaProps& schema) {
  if (!schema.type.empty()) return schema.type;
  if (!schema.properties.empty() || AdditionalOf(schema)) return "object";
  return ItemsOf(schema) ? "array" : "";
}

bool IsQuantity(const JSONSchemaProps& schema) {
  constexpr std::string_view kPattern =
      R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|)"
      R"(([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";
  return schema.xKubernetesIntOrString && schema.pattern == kPattern;
}

}  // namespace flyball::crd
