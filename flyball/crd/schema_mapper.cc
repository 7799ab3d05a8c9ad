#include "flyball/crd/schema_mapper.h"

#include "flyball/crd/schema_place.h"

namespace flyball::crd {
namespace {

using apiextensions::v1::JSONSchemaProps;
using gen::FieldFacts;
using gen::StructFacts;
using gen::TypeRef;
using Form = gen::TypeRef::Form;

TypeRef Simple(Form form, std::string name) {
  TypeRef type;
  type.form = form;
  type.name = std::move(name);
  return type;
}
TypeRef Scalar(std::string name) { return Simple(Form::kScalar, std::move(name)); }
TypeRef Leaf(std::string name) { return Simple(Form::kLeaf, std::move(name)); }

TypeRef Of(Form form, TypeRef element) {
  TypeRef type;
  type.form = form;
  type.element.push_back(std::move(element));
  return type;
}

bool IsMany(const TypeRef& type) { return type.form == Form::kList || type.form == Form::kMap; }

/// What people are told of a field.
std::string DocOf(const JSONSchemaProps& schema) {
  std::string doc = schema.description;
  const auto paragraph = [&](const std::string& text) {
    doc += (doc.empty() ? "" : "\n\n") + text;
  };
  if (!schema.enum_.empty()) {
    std::string choices;
    for (const auto& choice : schema.enum_) {
      choices += (choices.empty() ? "" : ", ") + (choice.raw.empty() ? "null" : choice.raw);
    }
    paragraph("One of: " + choices + ".");
  }
  if (schema.default_) paragraph("Default: " + schema.default_->raw);
  return doc;
}

/// As gen::FieldFacts::list_type has it.
std::string ListTypeOf(const JSONSchemaProps& schema) {
  const std::string type = schema.xKubernetesListType.value_or("atomic");
  if (type == "atomic") return {};
  std::string text = type;
  for (const auto& key : schema.xKubernetesListMapKeys) text += ":" + key;
  return text;
}

bool IsAtomicMap(const JSONSchemaProps& schema) {
  return schema.xKubernetesMapType.value_or("granular") == "atomic";
}

/// The schema of what a list or map holds.
const JSONSchemaProps* ElementOf(const JSONSchemaProps& schema, const TypeRef& type) {
  return type.form == Form::kList ? ItemsOf(schema) : AdditionalOf(schema);
}

/// A field of that type, with what the schema says of it wherever it stands.
FieldFacts Described(const JSONSchemaProps& schema, TypeRef type) {
  FieldFacts field;
  field.type = std::move(type);
  field.structural = true;
  field.nullable = schema.nullable;
  field.atomic_map = IsAtomicMap(schema);
  if (!IsMany(field.type)) return field;
  field.list_type = ListTypeOf(schema);
  const JSONSchemaProps* element = ElementOf(schema, field.type);
  if (element && element->default_ && !element->nullable) {
    field.element_default = element->default_->raw;
  }
  return field;
}

bool IsMetaField(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

}  // namespace

TypeRef SchemaMapper::Named(const std::string& name) const {
  return Simple(Form::kNamed, package_ + "." + name);
}

Result<> SchemaMapper::MapKind(const JSONSchemaProps& schema, const std::string& name,
                               const std::string& kind, const std::string& path) {
  StructFacts facts;
  facts.name = name;
  if (kind != name) facts.kind = kind;
  facts.package = package_;
  facts.is_kind = true;
  facts.json_only = true;
  facts.doc = schema.description;

  FieldFacts type_meta;
  type_meta.inlined = true;
  type_meta.type = Simple(Form::kNamed, "meta/v1.TypeMeta");
  facts.fields.push_back(std::move(type_meta));
  FieldFacts metadata;
  metadata.json_name = "metadata";
  metadata.type = Simple(Form::kNamed, "meta/v1.ObjectMeta");
  metadata.omitzero = true;
  facts.fields.push_back(std::move(metadata));

  FLYBALL_TRY(Members(schema, {name, path, 0}, facts));
  structs_.push_back(std::move(facts));
  return {};
}

Result<> SchemaMapper::Members(const JSONSchemaProps& schema, const Place& place,
                               StructFacts& facts) {
  for (const auto& [name, member] : schema.properties) {
    if (facts.is_kind && IsMetaField(name)) continue;
    FieldFacts field;
    if (schema.xKubernetesEmbeddedResource && name == "metadata" && member.properties.empty()) {
      field.type = Simple(Form::kNamed, "meta/v1.ObjectMeta");
      field.omitzero = true;
      field.doc = member.description;
    } else {
      const Place inside = place.Inside(TypeIdentifier(name), PropertyPath(place.path, name));
      FLYBALL_TRY(field, Member(member, IsRequired(schema, name), inside));
    }
    field.json_name = name;
    facts.fields.push_back(std::move(field));
  }
  return {};
}

Result<FieldFacts> SchemaMapper::Member(const JSONSchemaProps& schema, bool required,
                                        const Place& place) {
  FLYBALL_TRY(TypeRef type, Type(schema, place));
  FieldFacts field = Described(schema, std::move(type));
  const bool may_be_absent = !required || schema.default_;
  field.required = required;
  field.omitempty = may_be_absent;
  field.doc = DocOf(schema);
  if (schema.default_) field.default_json = schema.default_->raw;
  if (!IsMany(field.type) && (may_be_absent || schema.nullable)) {
    field.type = Of(Form::kPointer, std::move(field.type));
  }
  return field;
}

Result<TypeRef> SchemaMapper::Type(const JSONSchemaProps& schema, const Place& place) {
  if (place.depth > kMaxSchemaDepth) {
    return Fail(ErrorCode::kInvalid, place.path, "nested deeper than 100 levels");
  }
  if (IsQuantity(schema)) return Leaf("Quantity");
  if (schema.xKubernetesIntOrString) return Leaf("IntOrString");
  const std::string_view type = EffectiveType(schema);
  if (type == "object") return ObjectType(schema, place);
  if (type == "array") {
    FLYBALL_TRY(TypeRef element,
                Element(*ItemsOf(schema), place.Inside("Item", place.path + ".items")));
    return Of(Form::kList, std::move(element));
  }
  if (type == "string" && schema.format == "byte") return Scalar("bytes");
  if (type == "string" && schema.format == "date-time") return Leaf("Time");
  if (type == "string") return Scalar("string");
  if (type == "integer") return Scalar(schema.format == "int32" ? "int32" : "int64");
  if (type == "number") return Scalar("float64");
  if (type == "boolean") return Scalar("bool");
  return Leaf("JSON");
}

Result<TypeRef> SchemaMapper::ObjectType(const JSONSchemaProps& schema, const Place& place) {
  if (!schema.properties.empty()) return Struct(schema, place);
  if (schema.xKubernetesEmbeddedResource) return Leaf("JSON");
  if (const JSONSchemaProps* additional = AdditionalOf(schema)) {
    FLYBALL_TRY(TypeRef element,
                Element(*additional, place.Inside("Value", place.path + ".additionalProperties")));
    return Of(Form::kMap, std::move(element));
  }
  if (PreservesUnknown(schema)) return Leaf("JSON");
  if (schema.additionalProperties && schema.additionalProperties->allows) {
    return Of(Form::kMap, Leaf("JSON"));
  }
  return Struct(schema, place);
}

Result<TypeRef> SchemaMapper::Struct(const JSONSchemaProps& schema, const Place& place) {
  StructFacts facts;
  facts.name = names_.Take(place.name);
  facts.package = package_;
  facts.json_only = true;
  facts.atomic = IsAtomicMap(schema);
  facts.doc = schema.description;
  FLYBALL_TRY(Members(schema, {facts.name, place.path, place.depth}, facts));
  TypeRef type = Named(facts.name);
  structs_.push_back(std::move(facts));
  return type;
}

Result<TypeRef> SchemaMapper::Element(const JSONSchemaProps& schema, const Place& place) {
  FLYBALL_TRY(TypeRef type, Type(schema, place));
  const bool many = IsMany(type);
  if (!many && !schema.nullable) return type;

  StructFacts bare;
  bare.name = names_.Take(many ? place.name : place.name + "OrNull");
  bare.package = package_;
  bare.json_only = true;
  bare.is_bare = true;
  FieldFacts value = Described(schema, many ? type : Of(Form::kPointer, type));
  value.json_name = "value";
  value.required = true;
  bare.fields.push_back(std::move(value));
  TypeRef named = Named(bare.name);
  structs_.push_back(std::move(bare));
  return named;
}

}  // namespace flyball::crd
