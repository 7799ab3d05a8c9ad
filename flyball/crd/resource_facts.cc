#include "flyball/crd/resource_facts.h"

#include "flyball/crd/cpp_identifier.h"

namespace flyball::crd {
namespace {

using apiextensions::v1::CustomResourceDefinitionVersion;
using gen::FieldFacts;
using gen::TypeRef;

TypeRef Named(const std::string& name) {
  TypeRef type;
  type.form = TypeRef::Form::kNamed;
  type.name = name;
  return type;
}

gen::CustomResourceFacts CustomFactsOf(const CustomResourceDefinitionVersion& version) {
  gen::CustomResourceFacts facts;
  facts.served = version.served;
  facts.storage = version.storage;
  facts.deprecated = version.deprecated;
  facts.deprecation_warning = version.deprecationWarning.value_or("");
  if (version.subresources && version.subresources->scale) {
    const auto& scale = *version.subresources->scale;
    facts.scale = {scale.specReplicasPath, scale.statusReplicasPath,
                   scale.labelSelectorPath.value_or("")};
  }
  for (const auto& column : version.additionalPrinterColumns) {
    facts.columns.push_back({column.name, column.type, column.format, column.description,
                             column.jsonPath, column.priority});
  }
  for (const auto& field : version.selectableFields) {
    facts.selectable_fields.push_back(field.jsonPath);
  }
  return facts;
}

}  // namespace

std::string KindOf(const CrdDocument& document) { return document.crd.spec.names.kind; }

std::string ListKindOf(const CrdDocument& document) {
  const auto& names = document.crd.spec.names;
  return names.listKind.empty() ? names.kind + "List" : names.listKind;
}

gen::StructFacts ListStruct(const CrdDocument& document, const std::string& package) {
  gen::StructFacts facts;
  const std::string kind = ListKindOf(document);
  facts.name = TypeIdentifier(kind);
  if (facts.name != kind) facts.kind = kind;
  facts.package = package;
  facts.is_kind = true;
  facts.json_only = true;

  FieldFacts type_meta;
  type_meta.inlined = true;
  type_meta.type = Named("meta/v1.TypeMeta");
  facts.fields.push_back(std::move(type_meta));
  FieldFacts metadata;
  metadata.json_name = "metadata";
  metadata.type = Named("meta/v1.ListMeta");
  metadata.omitempty = true;
  facts.fields.push_back(std::move(metadata));
  FieldFacts items;
  items.json_name = "items";
  items.type.form = TypeRef::Form::kList;
  items.type.element.push_back(Named(package + "." + TypeIdentifier(KindOf(document))));
  items.structural = true;
  items.required = true;
  facts.fields.push_back(std::move(items));
  return facts;
}

gen::ResourceFacts ResourceFactsOf(const CrdDocument& document,
                                   const CustomResourceDefinitionVersion& version) {
  const auto& spec = document.crd.spec;
  gen::ResourceFacts facts;
  facts.plural = spec.names.plural;
  facts.kind = TypeIdentifier(spec.names.kind);
  facts.singular = spec.names.singular;
  if (facts.singular.empty()) {
    for (const char c : spec.names.kind) {
      facts.singular += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  facts.namespaced = spec.scope == "Namespaced";
  facts.short_names = spec.names.shortNames;
  facts.categories = spec.names.categories;
  facts.verbs = {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
  const std::vector<std::string> verbs = {"get", "patch", "update"};
  if (version.subresources && version.subresources->status) {
    facts.subresources.push_back({"status", spec.names.kind, verbs});
  }
  if (version.subresources && version.subresources->scale) {
    facts.subresources.push_back({"scale", "autoscaling/v1.Scale", verbs});
  }
  facts.custom = CustomFactsOf(version);
  return facts;
}

}  // namespace flyball::crd
