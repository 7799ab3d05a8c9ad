#include "flyball/sandbox/custom/custom_strategies.h"

#include <algorithm>
#include <limits>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/crd/crd_document.h"
#include "flyball/crd/definition_check.h"
#include "flyball/crd/structural_check.h"
#include "flyball/sandbox/custom/custom_schema.h"
#include "flyball/sandbox/custom/custom_version.h"
#include "flyball/sandbox/custom/definition_status.h"
#include "flyball/sandbox/custom/schema_limits.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using apiextensions::v1::CustomResourceDefinition;

CustomResourceDefinition& AsDefinition(AnyObject& object) {
  return *static_cast<CustomResourceDefinition*>(object.get());
}
const CustomResourceDefinition& AsDefinition(const AnyObject& object) {
  return *static_cast<const CustomResourceDefinition*>(object.get());
}

void SetNameDefaults(CustomResourceDefinition& crd) {
  auto& names = crd.spec.names;
  if (names.singular.empty()) {
    names.singular = names.kind;
    for (char& c : names.singular) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
  }
  if (names.listKind.empty() && !names.kind.empty()) names.listKind = names.kind + "List";
  if (!crd.spec.conversion) crd.spec.conversion.emplace().strategy = "None";
}

void AddStoredVersion(CustomResourceDefinition& crd) {
  auto& stored = crd.status.storedVersions;
  for (const auto& version : crd.spec.versions) {
    if (!version.storage) continue;
    if (std::ranges::find(stored, version.name) == stored.end()) stored.push_back(version.name);
    return;
  }
}

std::string SchemaPath(std::size_t version) {
  return "spec.versions[" + std::to_string(version) + "].schema.openAPIV3Schema";
}

Result<> CheckStructure(const CustomResourceDefinition& crd) {
  FLYBALL_TRY(crd::CheckDefinition({"", crd}));
  for (std::size_t i = 0; i < crd.spec.versions.size(); ++i) {
    const auto& version = crd.spec.versions[i];
    const bool has_status = version.subresources && version.subresources->status;
    FLYBALL_TRY(crd::CheckStructural(*version.schema->openAPIV3Schema, has_status, SchemaPath(i)));
  }
  return {};
}

std::optional<FieldError> FindError(const CustomResourceDefinition& crd) {
  if (const auto checked = CheckStructure(crd); !checked) {
    return FieldError{FieldError::Kind::kInvalid, checked.error().path(), "\"\"",
                      checked.error().message()};
  }
  for (std::size_t i = 0; i < crd.spec.versions.size(); ++i) {
    if (auto bad = FindSchemaError(*crd.spec.versions[i].schema->openAPIV3Schema, SchemaPath(i))) {
      return bad;
    }
  }
  return std::nullopt;
}

/// What people get wrong most, all of it and in upstream's words.
FieldErrors UsualErrors(const CustomResourceDefinition& crd) {
  FieldErrors errors;
  const auto& spec = crd.spec;
  if (crd.metadata.name != spec.names.plural + "." + spec.group) {
    errors.push_back(FieldError::Invalid("metadata.name", crd.metadata.name,
                                         "must be spec.names.plural+\".\"+spec.group"));
  }
  if (spec.scope.empty()) {
    errors.push_back(FieldError::Required("spec.scope", ""));
  } else if (spec.scope != "Namespaced" && spec.scope != "Cluster") {
    errors.push_back(FieldError::NotSupported("spec.scope", spec.scope, {"Cluster", "Namespaced"}));
  }
  for (std::size_t i = 0; i < spec.versions.size(); ++i) {
    if (spec.versions[i].schema && spec.versions[i].schema->openAPIV3Schema) continue;
    errors.push_back(FieldError::Required(SchemaPath(i), ""));
  }
  return errors;
}

FieldErrors ErrorsOf(const CustomResourceDefinition& crd) {
  FieldErrors errors = UsualErrors(crd);
  if (errors.empty()) {
    if (auto bad = FindError(crd)) errors.push_back(*std::move(bad));
  }
  const std::string& group = crd.spec.group;
  const bool reserved = group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io");
  if (reserved && !crd.metadata.annotations.contains("api-approved.kubernetes.io")) {
    errors.push_back(FieldError::Required(
        "metadata.annotations[api-approved.kubernetes.io]",
        "protected groups must have approval annotation \"api-approved.kubernetes.io\", see "
        "https://github.com/kubernetes/enhancements/pull/1111"));
  }
  return errors;
}

FieldErrors ChangeErrors(const CustomResourceDefinition& now,
                         const CustomResourceDefinition& before) {
  FieldErrors errors;
  const auto keep = [&](const std::string& field, const std::string& is, const std::string& was) {
    if (is != was) errors.push_back(FieldError::Invalid(field, is, "field is immutable"));
  };
  if (HasCondition(before, "Established")) {
    keep("spec.scope", now.spec.scope, before.spec.scope);
    keep("spec.names.kind", now.spec.names.kind, before.spec.names.kind);
  }
  keep("spec.group", now.spec.group, before.spec.group);
  keep("spec.names.plural", now.spec.names.plural, before.spec.names.plural);
  for (std::size_t i = 0; i < now.status.storedVersions.size(); ++i) {
    const std::string& name = now.status.storedVersions[i];
    const auto& versions = now.spec.versions;
    const bool there =
        std::ranges::any_of(versions, [&](const auto& version) { return version.name == name; });
    if (there) continue;
    errors.push_back(FieldError::Invalid(
        "status.storedVersions[" + std::to_string(i) + "]", name,
        "missing from spec.versions; " + name +
            " was previously a storage version, and must remain in spec.versions until a storage "
            "migration ensures no data remains persisted in " +
            name + " and removes " + name + " from status.storedVersions"));
  }
  return errors;
}

class DefinitionRestStrategy final : public RestStrategy {
 public:
  void ApplyLinkedDefaults(AnyObject& object) const override {
    SetNameDefaults(AsDefinition(object));
  }
  void Prepare(AnyObject& object, const Write& write) const override {
    CustomResourceDefinition& crd = AsDefinition(object);
    AddStoredVersion(crd);
    AcceptNames(crd, write.context);
  }
  FieldErrors Validate(const AnyObject& object, const Write&) const override {
    return ErrorsOf(AsDefinition(object));
  }
  void PrepareUpdate(AnyObject& now, const AnyObject&, const Write& write) const override {
    if (write.subresource == "status") return;
    CustomResourceDefinition& crd = AsDefinition(now);
    AddStoredVersion(crd);
    AcceptNames(crd, write.context);
  }
  FieldErrors ValidateUpdate(const AnyObject& now, const AnyObject& before,
                             const Write&) const override {
    FieldErrors errors = ErrorsOf(AsDefinition(now));
    for (FieldError& error : ChangeErrors(AsDefinition(now), AsDefinition(before))) {
      errors.push_back(std::move(error));
    }
    return errors;
  }
  /// It goes when its objects are gone.
  StatusOr<std::optional<Deletion>> Delete(AnyObject& object, const meta::v1::DeleteOptions&,
                                           const Write& write) const override {
    CustomResourceDefinition& crd = AsDefinition(object);
    if (crd.metadata.deletionTimestamp) return std::nullopt;
    const WallTime now = write.context.Now();
    crd.metadata.deletionTimestamp = api::Time(now);
    crd.metadata.deletionGracePeriodSeconds = 0;
    auto& finalizers = crd.metadata.finalizers;
    if (std::ranges::find(finalizers, kCleanupFinalizer) == finalizers.end()) {
      finalizers.emplace_back(kCleanupFinalizer);
    }
    SetCondition(crd, "Terminating", "True", "InstanceDeletionPending",
                 "CustomResourceDefinition marked for deletion; CustomResource deletion will "
                 "begin soon",
                 now);
    return Deletion{DeletionResult::kMarked, /*changed=*/true};
  }
};

/// What is wrong with a number of replicas, whatever the schema says of it.
void CheckReplicas(const JsonPath& path, const std::string& place, const api::Json& object,
                   FieldErrors& errors) {
  const api::Json* const found = path.FindFirst(object);
  if (found == nullptr) return;
  const auto* const number = found->If<std::int64_t>();
  if (number == nullptr) {
    const auto* const text = found->If<std::string>();
    const std::string_view type = text != nullptr                  ? "string"
                                  : found->If<bool>() != nullptr   ? "bool"
                                  : found->If<double>() != nullptr ? "float64"
                                  : found->If<api::Json::Array>() != nullptr
                                      ? "[]interface {}"
                                      : "map[string]interface {}";
    errors.push_back(FieldError::InvalidNumber(
        place, 0,
        place + " accessor error: " + (text != nullptr ? *text : found->ToString()) +
            " is of the type " + std::string(type) + ", expected int64"));
  } else if (*number < 0) {
    errors.push_back(FieldError::InvalidNumber(place, *number, "should be a non-negative integer"));
  } else if (*number > std::numeric_limits<std::int32_t>::max()) {
    errors.push_back(
        FieldError::InvalidNumber(place, *number, "should be less than or equal to 2147483647"));
  }
}

class ObjectRestStrategy final : public RestStrategy {
 public:
  FieldErrors Validate(const AnyObject& object, const Write& write) const override {
    const Kind& kind = *write.resource.kind;
    const auto tree = kind.ToJson(object);
    if (!tree) return {};
    FieldErrors errors;
    if (kind.schema() != nullptr) errors = kind.schema()->Validate(*tree);
    if (const auto& scale = write.resource.custom->scale) {
      CheckReplicas(scale->spec_replicas, scale->spec_place, *tree, errors);
      CheckReplicas(scale->status_replicas, scale->status_place, *tree, errors);
    }
    return errors;
  }
  FieldErrors ValidateUpdate(const AnyObject& now, const AnyObject& /*before*/,
                             const Write& write) const override {
    return Validate(now, write);
  }
};

}  // namespace

const RestStrategy& CustomDefinitionRestStrategy() {
  static const DefinitionRestStrategy kStrategy;
  return kStrategy;
}

const RestStrategy& CustomObjectRestStrategy() {
  static const ObjectRestStrategy kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
