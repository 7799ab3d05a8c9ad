#include "flyball/sandbox/openapi/type_schemas.h"

#include <algorithm>
#include <ranges>

namespace flyball::sandbox {
namespace {

using api::Field;
using api::Json;
using api::Shape;
using api::TypeInfo;
using Leaf = api::Kind;

/// "io.k8s.api.apps.v1.Deployment".
std::string SchemaName(const TypeInfo& type) {
  std::string package(type.package);
  std::ranges::replace(package, '/', '.');
  const std::string name = package + "." + std::string(type.name);
  if (package.starts_with("meta.")) return "io.k8s.apimachinery.pkg.apis." + name;
  if (package.starts_with("apiextensions.")) {
    return "io.k8s.apiextensions-apiserver.pkg.apis." + name;
  }
  if (package.starts_with("apiregistration.")) return "io.k8s.kube-aggregator.pkg.apis." + name;
  return "io.k8s.api." + name;
}

/// "io.k8s.apimachinery.pkg.runtime.RawExtension".
std::string Machinery(std::string_view name) {
  return "io.k8s.apimachinery.pkg." + std::string(name);
}

/// PARITY: what belongs to no group goes by core's.
std::string_view GroupOf(const TypeInfo& type) {
  return type.group == "meta.k8s.io" ? std::string_view() : type.group;
}

Json Plain(std::string_view type, std::string_view format = {}) {
  Json::Object schema;
  schema["type"] = type;
  if (!format.empty()) schema["format"] = format;
  return schema;
}

Json EitherOf(std::string_view one, std::string_view other, std::string_view format = {}) {
  Json::Object schema;
  if (!format.empty()) schema["format"] = format;
  schema["oneOf"] = Json::Array{Plain(one), Plain(other)};
  return schema;
}

/// What server-side apply and strategic patches do with the member.
void AddMergeRules(const Field& field, Json::Object& schema) {
  if (!field.patch_strategy.empty()) schema["x-kubernetes-patch-strategy"] = field.patch_strategy;
  if (!field.merge_key.empty()) schema["x-kubernetes-patch-merge-key"] = field.merge_key;
  if (field.atomic_map) schema["x-kubernetes-map-type"] = "atomic";
  // A list of a kind has nobody to merge it.
  const bool of_objects =
      field.name == "items" && field.message != nullptr && field.message->is_kind;
  if (field.shape != Shape::kList || of_objects) return;
  Json::Array keys;
  std::string_view type;
  for (const auto part : std::views::split(field.list_type, ':')) {
    const std::string_view text(part.begin(), part.end());
    if (type.empty()) {
      type = text;
    } else {
      keys.emplace_back(text);
    }
  }
  schema["x-kubernetes-list-type"] = type.empty() ? "atomic" : type;
  if (!keys.empty()) schema["x-kubernetes-list-map-keys"] = std::move(keys);
}

}  // namespace

Json GroupVersionKind(std::string_view group, std::string_view version, std::string_view kind) {
  Json::Object object;
  object["group"] = group;
  object["version"] = version;
  object["kind"] = kind;
  return object;
}

Json TypeSchemas::Add(const std::string& name, Json schema) {
  if (!schemas_.contains(name)) schemas_[name] = std::move(schema);
  Json::Object reference;
  reference["$ref"] = "#/components/schemas/" + name;
  return reference;
}

Json TypeSchemas::Reference(const TypeInfo& type) {
  const std::string name = SchemaName(type);
  Json reference = Add(name, Json());  // first of all, as types may hold themselves
  if (schemas_[name].IsNull()) {
    schemas_[name] = Json::Object();
    Json schema = SchemaOf(type);
    schemas_[name] = std::move(schema);
  }
  return reference;
}

Json TypeSchemas::SchemaOf(const TypeInfo& type) {
  // Of several forms in JSON: anything.
  if (type.is_union) return Json::Object();
  if (type.is_bare) return MemberSchema(type, type.fields.front());
  Json::Object properties;
  Json::Array required;
  AddMembers(type, properties, required);
  Json::Object schema;
  schema["type"] = "object";
  if (!properties.empty()) schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  if (type.atomic) schema["x-kubernetes-map-type"] = "atomic";
  if (type.is_kind) {
    schema["x-kubernetes-group-version-kind"] =
        Json::Array{GroupVersionKind(GroupOf(type), type.version, type.name)};
  }
  return schema;
}

void TypeSchemas::AddMembers(const TypeInfo& type, Json::Object& properties,
                             Json::Array& required) {
  for (const Field& field : type.fields) {
    if (field.shape == Shape::kInlined) {
      AddMembers(*field.message, properties, required);
      continue;
    }
    properties[field.name] = MemberSchema(type, field);
    if (field.required) required.emplace_back(field.name);
  }
}

Json TypeSchemas::MemberSchema(const TypeInfo& owner, const Field& field) {
  Json value = ValueSchema(owner, field);
  Json::Object schema;
  switch (field.shape) {
    case Shape::kList:
      schema["type"] = "array";
      schema["items"] = std::move(value);
      break;
    case Shape::kMap:
      schema["type"] = "object";
      schema["additionalProperties"] = std::move(value);
      break;
    default:
      // What stands beside a reference is not read.
      if (value.Find("$ref") != nullptr) {
        schema["allOf"] = Json::Array{std::move(value)};
        if (field.kind == Leaf::kMessage && field.shape == Shape::kValue) {
          schema["default"] = Json::Object();
        }
      } else {
        schema = std::move(*value.If<Json::Object>());
      }
      break;
  }
  AddMergeRules(field, schema);
  return schema;
}

/// One type in our tables, three by upstream's names, which people see.
Json TypeSchemas::RawSchema(const TypeInfo& owner, const Field& field) {
  if (field.name == "fieldsV1") return Add(Machinery("apis.meta.v1.FieldsV1"), Plain("object"));
  if (owner.name == "JSONSchemaProps") {
    return Add("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", Json::Object());
  }
  return Add(Machinery("runtime.RawExtension"), Plain("object"));
}

Json TypeSchemas::ValueSchema(const TypeInfo& owner, const Field& field) {
  switch (field.kind) {
    case Leaf::kBool:
      return Plain("boolean");
    case Leaf::kInt32:
      return Plain("integer", "int32");
    case Leaf::kInt64:
      return Plain("integer", "int64");
    case Leaf::kDouble:
      return Plain("number", "double");
    case Leaf::kString:
      return Plain("string");
    case Leaf::kBytes:
      return Plain("string", "byte");
    case Leaf::kStrings: {
      Json::Object list;
      list["type"] = "array";
      list["items"] = Plain("string");
      return list;
    }
    case Leaf::kQuantity:
      return Add(Machinery("api.resource.Quantity"), EitherOf("string", "number"));
    case Leaf::kIntOrString:
      return Add(Machinery("util.intstr.IntOrString"),
                 EitherOf("integer", "string", "int-or-string"));
    case Leaf::kTime:
      return Add(Machinery("apis.meta.v1.Time"), Plain("string", "date-time"));
    case Leaf::kMicroTime:
      return Add(Machinery("apis.meta.v1.MicroTime"), Plain("string", "date-time"));
    case Leaf::kDuration:
      return Add(Machinery("apis.meta.v1.Duration"), Plain("string"));
    case Leaf::kRaw:
      return RawSchema(owner, field);
    case Leaf::kMessage:
      break;
  }
  return Reference(*field.message);
}

}  // namespace flyball::sandbox
