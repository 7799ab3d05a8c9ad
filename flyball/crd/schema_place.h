#pragma once

#include <string>
#include <string_view>

#include "flyball/api/apiextensions/v1.h"

/// Finding one's way in a schema.
namespace flyball::crd {

/// As with objects: what goes deeper is an attack on the stack.
inline constexpr int kMaxSchemaDepth = 100;

/// "x.properties.spec", or "x.properties["a.b"]" for a name that could be mistaken for a path.
std::string PropertyPath(const std::string& path, std::string_view name);

inline std::string IndexPath(const std::string& path, std::string_view name, std::size_t i) {
  return path + "." + std::string(name) + "[" + std::to_string(i) + "]";
}

/// The schema of an array's elements, of an object's further members, or null.
const apiextensions::v1::JSONSchemaProps* ItemsOf(const apiextensions::v1::JSONSchemaProps& schema);
const apiextensions::v1::JSONSchemaProps* AdditionalOf(
    const apiextensions::v1::JSONSchemaProps& schema);

bool PreservesUnknown(const apiextensions::v1::JSONSchemaProps& schema);
bool IsRequired(const apiextensions::v1::JSONSchemaProps& schema, std::string_view member);

/// The type, or the one that the rest of the schema leaves where it gives none: "object", "array"
/// or, for a value of any form, "".
std::string_view EffectiveType(const apiextensions::v1::JSONSchemaProps& schema);

/// Whether controller tools wrote this for a resource.Quantity: int-or-string with its pattern.
bool IsQuantity(const apiextensions::v1::JSONSchemaProps& schema);

}  // namespace flyball::crd
