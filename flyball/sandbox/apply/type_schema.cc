#include "flyball/sandbox/apply/type_schema.h"

#include <algorithm>

#include "flyball/api/core/v1.h"
#include "flyball/api/meta/v1.h"

namespace flyball::sandbox::apply {
namespace {

using apiextensions::v1::JSONSchemaProps;

std::vector<std::string> SplitKeys(std::string_view list_type) {
  std::vector<std::string> keys;
  while (true) {
    const std::size_t colon = list_type.find(':');
    if (colon == std::string_view::npos) return keys;
    list_type.remove_prefix(colon + 1);
    keys.emplace_back(list_type.substr(0, list_type.find(':')));
  }
}

/// What a field is where it is absent. Only fields by which items of lists are told apart need it.
Json DefaultOf(const api::Field& field, const api::TypeInfo& type) {
  // Those that the API's sources give by name.
  if (field.name == "protocol" && (type.name == "ContainerPort" || type.name == "ServicePort")) {
    return "TCP";
  }
  if (field.name == "name" && type.name == "LocalObjectReference") return "";
  // What is always written has its zero value.
  if (field.shape != api::Shape::kValue || field.omitempty || field.omitzero) return {};
  if (field.kind == api::Kind::kString) return "";
  if (field.kind == api::Kind::kInt32 || field.kind == api::Kind::kInt64) return 0;
  return field.kind == api::Kind::kBool ? Json(false) : Json();
}

/// How a list is owned. The lists of ephemeral containers are those of others, which their own
/// table, of a type that is only ever inlined, does not say.
std::string_view ListType(const api::Field& field, const api::TypeInfo& type) {
  if (type.name != "EphemeralContainerCommon") return field.list_type;
  const auto same =
      std::ranges::find(core::v1::Container::kType.fields, field.name, &api::Field::name);
  return same != core::v1::Container::kType.fields.end() ? same->list_type : field.list_type;
}

/// The one field whose type is atomic elsewhere.
bool IsGranular(const api::Field& field, const api::TypeInfo& type) {
  return field.name == "claimRef" && type.name == "PersistentVolumeSpec";
}

}  // namespace

/// Makes the nodes of one schema.
class TypeSchemaBuilder {
 public:
  TypeSchema Take(const TypeNode* root) {
    schema_.root_ = root;
    return std::move(schema_);
  }
  void set_empty_object(Json empty) { schema_.empty_object_ = std::move(empty); }

  const TypeNode* Deduced();
  const TypeNode* OfType(const api::TypeInfo& type, bool atomic);
  const TypeNode* OfSchema(const JSONSchemaProps& schema, bool keeps_unknown);
  /// A custom kind's own fields, and those that every object has.
  const TypeNode* OfKindSchema(const JSONSchemaProps& schema, bool keeps_unknown);

 private:
  TypeNode& Make() { return schema_.nodes_->emplace_back(); }
  const TypeNode* OfScalar(Scalar scalar);
  const TypeNode* Untyped();
  const TypeNode* OfValue(const api::Field& field, const api::TypeInfo& type);
  const TypeNode* OfField(const api::Field& field, const api::TypeInfo& type);
  void AddFields(TypeNode& node, const api::TypeInfo& type);
  /// `is_object`: with the fields that every object has.
  void FillMap(TypeNode& node, const JSONSchemaProps& schema, bool keeps_unknown, bool is_object);
  void FillList(TypeNode& node, const JSONSchemaProps& schema, bool keeps_unknown);
  void AddObjectFields(TypeNode& node);

  TypeSchema schema_;
  std::map<Scalar, const TypeNode*> scalars_;
  std::map<std::pair<const api::TypeInfo*, bool>, const TypeNode*> types_;
  const TypeNode* untyped_ = nullptr;
  const TypeNode* deduced_ = nullptr;
};

const TypeNode* TypeSchemaBuilder::OfScalar(Scalar scalar) {
  const TypeNode*& known = scalars_[scalar];
  if (known == nullptr) {
    TypeNode& node = Make();
    node.scalar = scalar;
    known = &node;
  }
  return known;
}

/// Anything, owned as one.
const TypeNode* TypeSchemaBuilder::Untyped() {
  if (untyped_ != nullptr) return untyped_;
  TypeNode& node = Make();
  untyped_ = &node;
  node = {.scalar = Scalar::kAny,
          .is_list = true,
          .item = &node,
          .is_map = true,
          .map_is_atomic = true,
          .other_fields = &node};
  return untyped_;
}

/// Anything, where maps are owned field by field.
const TypeNode* TypeSchemaBuilder::Deduced() {
  if (deduced_ != nullptr) return deduced_;
  TypeNode& node = Make();
  deduced_ = &node;
  node = {.scalar = Scalar::kAny,
          .is_list = true,
          .item = Untyped(),
          .is_map = true,
          .other_fields = &node,
          .is_free_map = true};
  return deduced_;
}

const TypeNode* TypeSchemaBuilder::OfType(const api::TypeInfo& type, bool atomic) {
  if (type.is_union) return Deduced();
  if (type.is_bare) return OfField(type.fields.front(), type);
  const TypeNode*& known = types_[{&type, atomic}];
  if (known != nullptr) return known;
  TypeNode& node = Make();
  known = &node;  // before its fields, one of which may be of this type
  node.is_map = true;
  node.map_is_atomic = atomic;
  AddFields(node, type);
  std::ranges::sort(node.fields, {}, &TypeNode::Field::name);
  if (node.fields.empty()) node.other_fields = Deduced();
  return &node;
}

void TypeSchemaBuilder::AddFields(TypeNode& node, const api::TypeInfo& type) {
  for (const api::Field& field : type.fields) {
    if (field.shape == api::Shape::kInlined) {
      AddFields(node, *field.message);
      continue;
    }
    node.fields.push_back({std::string(field.name), OfField(field, type), DefaultOf(field, type)});
  }
}

const TypeNode* TypeSchemaBuilder::OfField(const api::Field& field, const api::TypeInfo& type) {
  if (field.shape == api::Shape::kMap) {
    TypeNode& node = Make();
    node.is_map = true;
    node.map_is_atomic = field.atomic_map;
    node.other_fields = OfValue(field, type);
    return &node;
  }
  if (field.shape == api::Shape::kList || field.kind == api::Kind::kStrings) {
    TypeNode& node = Make();
    node.is_list = true;
    const std::string_view list_type = ListType(field, type);
    node.list_is_atomic = list_type.empty() || list_type == "atomic";
    node.keys = SplitKeys(list_type);
    node.item = field.shape == api::Shape::kList ? OfValue(field, type) : OfScalar(Scalar::kString);
    return &node;
  }
  if (field.kind == api::Kind::kMessage) {
    const bool atomic = (field.atomic_map || field.message->atomic) && !IsGranular(field, type);
    return OfType(*field.message, atomic);
  }
  return OfValue(field, type);
}

const TypeNode* TypeSchemaBuilder::OfValue(const api::Field& field, const api::TypeInfo& type) {
  switch (field.kind) {
    case api::Kind::kBool:
      return OfScalar(Scalar::kBoolean);
    case api::Kind::kInt32:
    case api::Kind::kInt64:
    case api::Kind::kDouble:
      return OfScalar(Scalar::kNumeric);
    case api::Kind::kString:
    case api::Kind::kBytes:
    case api::Kind::kDuration:
      return OfScalar(Scalar::kString);
    case api::Kind::kQuantity:
    case api::Kind::kTime:
    case api::Kind::kMicroTime:
      return OfScalar(Scalar::kAny);
    case api::Kind::kIntOrString:
      return Deduced();  // OpenAPI gives it no type
    case api::Kind::kStrings: {
      TypeNode& node = Make();
      node.is_list = true;
      node.item = OfScalar(Scalar::kString);
      return &node;
    }
    case api::Kind::kRaw:
      if (field.name == "fieldsV1") {
        TypeNode& node = Make();
        node.is_map = true;
        node.other_fields = Deduced();
        node.is_free_map = true;
        return &node;
      }
      // The JSON values of a schema have no type at all; every other raw part is a RawExtension.
      return type.name == "JSONSchemaProps" ? Deduced() : Untyped();
    case api::Kind::kMessage:
      return OfType(*field.message, field.message->atomic);
  }
  return Untyped();
}

const TypeNode* TypeSchemaBuilder::OfSchema(const JSONSchemaProps& schema, bool keeps_unknown) {
  keeps_unknown |= schema.xKubernetesPreserveUnknownFields.value_or(false);
  if (schema.type == "integer" || schema.type == "number") return OfScalar(Scalar::kNumeric);
  if (schema.type == "boolean") return OfScalar(Scalar::kBoolean);
  if (schema.type == "string") {
    const bool plain = schema.format.empty() || schema.format == "byte";
    return OfScalar(plain ? Scalar::kString : Scalar::kAny);
  }
  TypeNode& node = Make();
  if (schema.type.empty()) node.scalar = Scalar::kAny;
  if (schema.type != "object") FillList(node, schema, keeps_unknown);
  if (schema.type != "array") {
    FillMap(node, schema, keeps_unknown, schema.xKubernetesEmbeddedResource);
  }
  return &node;
}

void TypeSchemaBuilder::FillList(TypeNode& node, const JSONSchemaProps& schema,
                                 bool keeps_unknown) {
  node.is_list = true;
  const std::string list_type = schema.xKubernetesListType.value_or("atomic");
  node.list_is_atomic = list_type != "set" && list_type != "map";
  if (list_type == "map") node.keys = schema.xKubernetesListMapKeys;
  node.item = schema.items && schema.items->schema ? OfSchema(*schema.items->schema, keeps_unknown)
                                                   : Untyped();
}

void TypeSchemaBuilder::FillMap(TypeNode& node, const JSONSchemaProps& schema, bool keeps_unknown,
                                bool is_object) {
  node.is_map = true;
  node.map_is_atomic = schema.xKubernetesMapType == "atomic";
  for (const auto& [name, property] : schema.properties) {
    Json default_value;
    if (property.default_) default_value = Json::Parse(property.default_->raw).value_or(Json());
    node.fields.push_back({name, OfSchema(property, keeps_unknown), std::move(default_value)});
  }
  if (is_object) AddObjectFields(node);
  if (!schema.additionalProperties) {
    if (keeps_unknown || node.fields.empty()) node.other_fields = Deduced();
  } else if (schema.additionalProperties->schema) {
    node.other_fields = OfSchema(*schema.additionalProperties->schema, keeps_unknown);
  } else if (schema.additionalProperties->allows) {
    node.other_fields = Deduced();
  }
  node.is_free_map = node.fields.empty() && node.other_fields != nullptr &&
                     node.other_fields != untyped_ && node.other_fields->scalar == Scalar::kAny;
}

void TypeSchemaBuilder::AddObjectFields(TypeNode& node) {
  const auto set = [&](std::string_view name, const TypeNode* type) {
    const auto at = std::ranges::lower_bound(
        node.fields, name, {},
        [](const TypeNode::Field& field) { return std::string_view(field.name); });
    if (at != node.fields.end() && at->name == name) {
      *at = {std::string(name), type, Json()};
    } else {
      node.fields.insert(at, {std::string(name), type, Json()});
    }
  };
  set("apiVersion", OfScalar(Scalar::kString));
  set("kind", OfScalar(Scalar::kString));
  set("metadata", OfType(meta::v1::ObjectMeta::kType, false));
}

const TypeNode* TypeSchemaBuilder::OfKindSchema(const JSONSchemaProps& schema, bool keeps_unknown) {
  // The root is made here alone, so that it may be added to.
  TypeNode& root = Make();
  FillMap(root, schema, keeps_unknown || schema.xKubernetesPreserveUnknownFields.value_or(false),
          true);
  return &root;
}

const TypeNode::Field* TypeNode::FindField(std::string_view name) const {
  const auto at = std::lower_bound(
      fields.begin(), fields.end(), name,
      [](const Field& field, std::string_view n) { return std::string_view(field.name) < n; });
  return at != fields.end() && at->name == name ? &*at : nullptr;
}

const TypeNode* TypeNode::TypeOfField(std::string_view name) const {
  const Field* field = FindField(name);
  return field != nullptr ? field->type : other_fields;
}

TypeSchema TypeSchema::OfType(const api::TypeInfo& kind) {
  TypeSchemaBuilder builder;
  if (kind.create != nullptr) {
    void* object = kind.create();
    if (Result<Json> empty = api::ToJson(object, kind)) builder.set_empty_object(*std::move(empty));
    kind.destroy(object);
  }
  const TypeNode* root = builder.OfType(kind, false);
  return builder.Take(root);
}

TypeSchema TypeSchema::OfCustomKind(const JSONSchemaProps& schema, bool preserve_unknown_fields) {
  TypeSchemaBuilder builder;
  const TypeNode* root = builder.OfKindSchema(schema, preserve_unknown_fields);
  return builder.Take(root);
}

TypeSchema TypeSchema::Deduced() {
  TypeSchemaBuilder builder;
  const TypeNode* root = builder.Deduced();
  return builder.Take(root);
}

}  // namespace flyball::sandbox::apply
