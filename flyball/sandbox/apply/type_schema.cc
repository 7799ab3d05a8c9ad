#include "flyball/sandbox/apply/type_schema.h"

#include <algorithm>

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
  void FillMap(TypeNode& node, const JSONSchemaProps& schema, bool keeps_unknown);
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
  node.map_is_atomic = atomic || type.atomic;
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
    node.fields.push_back({std::string(field.name), OfField(field, type), Json()});
    // OpenAPI gives what is always written its zero value as the default. Only those of keys
    // matter.
    if (field.shape != api::Shape::kValue || field.omitempty || field.omitzero) {
      // The one key with a default of its own.
      if (field.name == "protocol" &&
          (type.name == "ContainerPort" || type.name == "ServicePort")) {
        node.fields.back().default_value = "TCP";
      }
      continue;
    }
    Json& zero = node.fields.back().default_value;
    if (field.kind == api::Kind::kString) zero = "";
    if (field.kind == api::Kind::kInt32 || field.kind == api::Kind::kInt64) zero = 0;
    if (field.kind == api::Kind::kBool) zero = false;
  }
  if (type.has_type_meta && node.fields.empty()) node.other_fields = Deduced();
}

const TypeNode* TypeSchemaBuilder::OfField(const api::Field& field, const api::TypeInfo& type) {
  if (field.shape == api::Shape::kList || field.kind == api::Kind::kStrings) {
    TypeNode& node = Make();
    node.is_list = true;
    node.list_is_atomic = field.list_type.empty() || field.list_type == "atomic";
    node.keys = SplitKeys(field.list_type);
    node.item = field.shape == api::Shape::kList ? OfValue(field, type) : OfScalar(Scalar::kString);
    return &node;
  }
  if (field.shape == api::Shape::kMap) {
    TypeNode& node = Make();
    node.is_map = true;
    node.map_is_atomic = field.atomic_map;
    node.other_fields = OfValue(field, type);
    return &node;
  }
  if (field.kind == api::Kind::kMessage) return OfType(*field.message, field.atomic_map);
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
    case api::Kind::kIntOrString:
    case api::Kind::kTime:
    case api::Kind::kMicroTime:
      return OfScalar(Scalar::kAny);
    case api::Kind::kStrings: {
      TypeNode& node = Make();
      node.is_list = true;
      node.item = OfScalar(Scalar::kString);
      return &node;
    }
    case api::Kind::kRaw:
      // The JSON values of a schema have no type at all; every other raw part is a RawExtension.
      return type.name == "JSONSchemaProps" ? Deduced() : Untyped();
    case api::Kind::kMessage:
      return OfType(*field.message, false);
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
  if (schema.type != "array") FillMap(node, schema, keeps_unknown);
  if (schema.xKubernetesEmbeddedResource) AddObjectFields(node);
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

void TypeSchemaBuilder::FillMap(TypeNode& node, const JSONSchemaProps& schema, bool keeps_unknown) {
  node.is_map = true;
  node.map_is_atomic = schema.xKubernetesMapType == "atomic";
  for (const auto& [name, property] : schema.properties) {
    Json default_value;
    if (property.default_) default_value = Json::Parse(property.default_->raw).value_or(Json());
    node.fields.push_back({name, OfSchema(property, keeps_unknown), std::move(default_value)});
  }
  if (!schema.additionalProperties) {
    if (keeps_unknown || schema.properties.empty()) node.other_fields = Deduced();
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
  node.is_free_map = false;
}

const TypeNode* TypeSchemaBuilder::OfKindSchema(const JSONSchemaProps& schema, bool keeps_unknown) {
  // The root is made here alone, so that it may be added to.
  TypeNode& root = Make();
  FillMap(root, schema, keeps_unknown || schema.xKubernetesPreserveUnknownFields.value_or(false));
  AddObjectFields(root);
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

Result<PathElement> ElementOfItem(const TypeNode& list, const Json& item) {
  const auto refuse = [](std::string why) { return Fail(ErrorCode::kInvalid, std::move(why)); };
  if (list.list_is_atomic) return refuse("invalid indexing of non-associative list");
  const auto* map = item.If<Json::Object>();
  if (list.keys.empty()) {
    if (map != nullptr)
      return refuse("associative list without keys has an element that's a map type");
    if (item.If<Json::Array>() != nullptr) {
      return refuse("not supported: associative list with lists as elements");
    }
    if (item.IsNull()) {
      return refuse("associative list without keys has an element that's an explicit null");
    }
    return PathElement::Value(item);
  }
  if (item.IsNull()) return refuse("associative list with keys may not have a null element");
  if (map == nullptr) return refuse("associative list with keys may not have non-map elements");
  ItemKey key;
  key.reserve(list.keys.size());
  for (const std::string& name : list.keys) {
    if (const Json* value = map->find(name)) {
      key.push_back({name, *value});
      continue;
    }
    if (!list.item->is_map) {
      return refuse("couldn't find default value for " + name +
                    ": associative list may not have non-map types");
    }
    const TypeNode::Field* field = list.item->FindField(name);
    if (field != nullptr && !field->default_value.IsNull()) {
      key.push_back({name, field->default_value});
    }
  }
  if (key.empty()) {
    std::string names;
    for (const std::string& name : list.keys) names += (names.empty() ? "\"" : " \"") + name + "\"";
    return refuse("associative list with keys has an element that omits all key fields [" + names +
                  "] (and doesn't have default values for any key fields)");
  }
  return PathElement::Key(std::move(key));
}

}  // namespace flyball::sandbox::apply
