#include "flyball/crd/default_check.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "flyball/api/base64.h"
#include "flyball/api/json.h"
#include "flyball/api/quantity.h"
#include "flyball/api/time.h"
#include "flyball/crd/schema_place.h"

namespace flyball::crd {
namespace {

using api::Json;
using apiextensions::v1::JSONSchemaProps;

std::unexpected<Error> Bad(const std::string& path, std::string message) {
  return Fail(ErrorCode::kInvalid, path, std::move(message));
}

bool IsInt32(const Json& value) {
  const auto* number = value.If<std::int64_t>();
  return number && *number >= std::numeric_limits<std::int32_t>::min() &&
         *number <= std::numeric_limits<std::int32_t>::max();
}

Result<> Text(const std::string& text, const JSONSchemaProps& schema, const std::string& path) {
  if (schema.format == "date-time" && !api::Time::Parse(text)) return Bad(path, "not a time");
  if (schema.format == "byte" && !api::DecodeBase64(text)) return Bad(path, "not base64");
  return {};
}

Result<> IntOrString(const Json& value, const JSONSchemaProps& schema, const std::string& path) {
  const auto* text = value.If<std::string>();
  if (IsQuantity(schema)) {
    if (value.If<std::int64_t>() || (text && api::Quantity::Parse(*text))) return {};
    return Bad(path, "not a quantity");
  }
  // DIVERGES: the server does not look at the type of such a default, and lets an integer have 64
  // bits. Objects with anything but this would not be read, as they would not by upstream's Go
  // type.
  if (!text && !IsInt32(value)) return Bad(path, "neither an integer of 32 bits nor a string");
  return {};
}

Result<> Scalar(const Json& value, const JSONSchemaProps& schema, const std::string& path) {
  const std::string& type = schema.type;
  if (type == "string") {
    const auto* text = value.If<std::string>();
    return text ? Text(*text, schema, path) : Bad(path, "not a string");
  }
  if (type == "boolean" && !value.If<bool>()) return Bad(path, "not a boolean");
  if (type == "integer" && !value.If<std::int64_t>()) return Bad(path, "not an integer");
  if (type == "integer" && schema.format == "int32" && !IsInt32(value)) {
    return Bad(path, "not an integer of 32 bits");
  }
  if (type == "number" && !value.If<std::int64_t>() && !value.If<double>()) {
    return Bad(path, "not a number");
  }
  return {};
}

Result<> Value(const Json& value, const JSONSchemaProps& schema, const std::string& path);

Result<> Object(const Json::Object& object, const JSONSchemaProps& schema,
                const std::string& path) {
  for (const std::string& name : schema.required) {
    if (!object.contains(name)) return Bad(path, "the required member " + name + " is missing");
  }
  for (const auto& [name, member] : object) {
    const std::string here = path + "." + name;
    const JSONSchemaProps* known = schema.properties.find(name);
    if (!known) known = AdditionalOf(schema);
    if (known) {
      FLYBALL_TRY(Value(member, *known, here));
      continue;
    }
    const bool meta = name == "apiVersion" || name == "kind" || name == "metadata";
    const bool kept = PreservesUnknown(schema) || schema.additionalProperties ||
                      (schema.xKubernetesEmbeddedResource && meta);
    if (!kept) return Bad(here, "the schema has no such member");
  }
  return {};
}

Result<> Value(const Json& value, const JSONSchemaProps& schema, const std::string& path) {
  if (value.IsNull()) return schema.nullable ? Result<>() : Bad(path, "null is not a value here");
  if (schema.xKubernetesIntOrString) return IntOrString(value, schema, path);
  if (!schema.enum_.empty()) {
    const bool listed = std::ranges::any_of(schema.enum_, [&](const api::RawJson& choice) {
      const auto parsed = Json::Parse(choice.raw.empty() ? "null" : choice.raw);
      return parsed && *parsed == value;
    });
    if (!listed) return Bad(path, "not among the values of the enum");
  }
  const std::string_view type = EffectiveType(schema);
  if (type == "object") {
    const auto* object = value.If<Json::Object>();
    return object ? Object(*object, schema, path) : Bad(path, "not an object");
  }
  if (type == "array") {
    const auto* array = value.If<Json::Array>();
    if (!array) return Bad(path, "not an array");
    for (std::size_t i = 0; i < array->size(); ++i) {
      FLYBALL_TRY(Value((*array)[i], *ItemsOf(schema), path + "[" + std::to_string(i) + "]"));
    }
    return {};
  }
  return Scalar(value, schema, path);
}

}  // namespace

Result<> CheckDefault(const JSONSchemaProps& schema, const std::string& path) {
  const auto value = Json::Parse(schema.default_->raw);
  if (!value) return Bad(path, value.error().message());
  return Value(*value, schema, path);
}

}  // namespace flyball::crd
