#include <utility>

#include "flyball/crd/schema_place.h"
#include "flyball/sandbox/custom/custom_schema.h"

/// What a schema makes of an object before anybody looks at it: pruning and defaults.
namespace flyball::sandbox {
namespace {

using api::Json;
using Props = CustomSchema::Props;

bool IsTypeMember(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

std::string Below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

class Pruner {
 public:
  std::vector<std::string> Take() { return std::move(dropped_); }

  void Visit(Json& value, const Props& schema, bool resource, const std::string& path) {
    if (auto* const array = value.If<Json::Array>()) {
      const Props* const items = crd::ItemsOf(schema);
      if (items == nullptr) return;
      for (std::size_t i = 0; i < array->size(); ++i) {
        Visit((*array)[i], *items, items->xKubernetesEmbeddedResource,
              path + "[" + std::to_string(i) + "]");
      }
      return;
    }
    if (auto* const object = value.If<Json::Object>()) Members(*object, schema, resource, path);
  }

 private:
  void Members(Json::Object& object, const Props& schema, bool resource, const std::string& path) {
    const Props* const values = crd::AdditionalOf(schema);
    const bool open = crd::PreservesUnknown(schema) ||
                      (schema.additionalProperties && schema.additionalProperties->allows);
    std::vector<std::string> unknown;
    for (auto& [name, member] : object) {
      if (resource && IsTypeMember(name)) continue;
      if (const Props* const property = schema.properties.find(name)) {
        Visit(member, *property, property->xKubernetesEmbeddedResource, Below(path, name));
      } else if (values != nullptr) {
        Visit(member, *values, values->xKubernetesEmbeddedResource, Below(path, name));
      } else if (!open) {
        unknown.push_back(name);
      }
    }
    for (const std::string& name : unknown) {
      object.erase(name);
      dropped_.push_back(Below(path, name));
    }
  }

  std::vector<std::string> dropped_;
};

Json DefaultOf(const Props& schema) {
  auto value = Json::Parse(schema.default_->raw);
  return value ? *std::move(value) : Json();
}

void Fill(Json& value, const Props& schema, bool resource);

/// PARITY: a null where null is no value is as good as nothing.
void FillMembers(Json::Object& object, const Props& schema, bool resource) {
  for (const auto& [name, property] : schema.properties) {
    if (resource && IsTypeMember(name)) continue;
    Json* const member = object.find(name);
    const bool absent = member == nullptr || (member->IsNull() && !property.nullable);
    if (absent && property.default_ && !property.default_->empty()) {
      object.insert_or_assign(name, DefaultOf(property));
    } else if (member != nullptr && absent) {
      object.erase(name);
    }
  }
  const Props* const values = crd::AdditionalOf(schema);
  for (auto& [name, member] : object) {
    if (resource && IsTypeMember(name)) continue;
    if (const Props* const property = schema.properties.find(name)) {
      Fill(member, *property, property->xKubernetesEmbeddedResource);
    } else if (values != nullptr) {
      if (member.IsNull() && !values->nullable && values->default_) member = DefaultOf(*values);
      Fill(member, *values, values->xKubernetesEmbeddedResource);
    }
  }
}

void Fill(Json& value, const Props& schema, bool resource) {
  if (auto* const object = value.If<Json::Object>()) return FillMembers(*object, schema, resource);
  auto* const array = value.If<Json::Array>();
  const Props* const items = crd::ItemsOf(schema);
  if (array == nullptr || items == nullptr) return;
  for (Json& each : *array) {
    if (each.IsNull() && !items->nullable && items->default_) each = DefaultOf(*items);
    Fill(each, *items, items->xKubernetesEmbeddedResource);
  }
}

}  // namespace

std::vector<std::string> CustomSchema::Prune(Json& object) const {
  Pruner pruner;
  pruner.Visit(object, root_, /*resource=*/true, {});
  return pruner.Take();
}

void CustomSchema::SetDefaults(Json& object) const { Fill(object, root_, /*resource=*/true); }

}  // namespace flyball::sandbox
