#include "flyball/sandbox/custom/custom_behaviours.h"

#include <algorithm>
#include <set>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/crd/crd_document.h"
#include "flyball/crd/definition_check.h"
#include "flyball/crd/structural_check.h"
#include "flyball/sandbox/custom/custom_schema.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using apiextensions::v1::CustomResourceDefinition;
using apiextensions::v1::CustomResourceDefinitionCondition;
using apiextensions::v1::CustomResourceDefinitionNames;

CustomResourceDefinition& AsDefinition(AnyObject& object) {
  return *static_cast<CustomResourceDefinition*>(object.get());
}
const CustomResourceDefinition& AsDefinition(const AnyObject& object) {
  return *static_cast<const CustomResourceDefinition*>(object.get());
}

void SetCondition(CustomResourceDefinition& crd, std::string type, std::string_view status,
                  std::string reason, std::string message, WallTime now) {
  auto& conditions = crd.status.conditions;
  auto found = std::ranges::find(conditions, type, &CustomResourceDefinitionCondition::type);
  if (found == conditions.end()) {
    conditions.emplace_back().type = std::move(type);
    found = conditions.end() - 1;
  }
  if (found->status != status) found->lastTransitionTime = api::Time(now);
  found->status = status;
  found->reason = std::move(reason);
  found->message = std::move(message);
}

bool IsTrue(const CustomResourceDefinition& crd, std::string_view type) {
  return std::ranges::any_of(crd.status.conditions, [&](const auto& condition) {
    return condition.type == type && condition.status == "True";
  });
}

/// What other CRDs of the group are called already.
struct TakenNames {
  std::set<std::string> resources, kinds;

  TakenNames(const CustomResourceDefinition& crd, const Surroundings& around) {
    for (const RecordPtr& record : around.List(kDefinitions, "")) {
      const AnyObject object = record->Decode();
      const CustomResourceDefinition& other = AsDefinition(object);
      if (other.spec.group != crd.spec.group || other.metadata.name == crd.metadata.name) continue;
      const auto& names = other.status.acceptedNames;
      resources.insert({names.plural, names.singular});
      resources.insert(names.shortNames.begin(), names.shortNames.end());
      kinds.insert({names.kind, names.listKind});
    }
  }
};

/// Accepts the names that nobody else has. Several conflicts show as the last of them.
void AcceptNames(CustomResourceDefinition& crd, const Surroundings& around) {
  const TakenNames taken(crd, around);
  const CustomResourceDefinitionNames& wanted = crd.spec.names;
  CustomResourceDefinitionNames& accepted = crd.status.acceptedNames;
  std::string reason;
  std::string message;
  const auto accept = [&](const std::string& name, std::string& place,
                          const std::set<std::string>& others, std::string_view conflict) {
    if (name == place || !others.contains(name)) {
      place = name;
      return;
    }
    reason = conflict;
    message = "\"" + name + "\" is already in use";
  };
  accept(wanted.plural, accepted.plural, taken.resources, "PluralConflict");
  accept(wanted.singular, accepted.singular, taken.resources, "SingularConflict");
  const auto used = std::ranges::find_if(
      wanted.shortNames, [&](const std::string& name) { return taken.resources.contains(name); });
  if (used == wanted.shortNames.end()) {
    accepted.shortNames = wanted.shortNames;
  } else {
    reason = "ShortNamesConflict";
    message = "\"" + *used + "\" is already in use";
  }
  accept(wanted.kind, accepted.kind, taken.kinds, "KindConflict");
  accept(wanted.listKind, accepted.listKind, taken.kinds, "ListKindConflict");
  accepted.categories = wanted.categories;
  const WallTime now = around.Now();
  if (!reason.empty()) {
    SetCondition(crd, "NamesAccepted", "False", reason, message, now);
    if (IsTrue(crd, "Established")) return;
    SetCondition(crd, "Established", "False", "NotAccepted", "not all names are accepted", now);
    return;
  }
  SetCondition(crd, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now);
  SetCondition(crd, "Established", "True", "InitialNamesAccepted",
               "the initial names have been accepted", now);
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

Result<> Check(const CustomResourceDefinition& crd) {
  FLYBALL_TRY(crd::CheckDefinition({"", crd}));
  for (std::size_t i = 0; i < crd.spec.versions.size(); ++i) {
    const auto& version = crd.spec.versions[i];
    const bool has_status = version.subresources && version.subresources->status;
    FLYBALL_TRY(
        crd::CheckStructural(*version.schema->openAPIV3Schema, has_status,
                             "spec.versions[" + std::to_string(i) + "].schema.openAPIV3Schema"));
  }
  return {};
}

FieldErrors ErrorsOf(const CustomResourceDefinition& crd) {
  FieldErrors errors;
  if (const auto checked = Check(crd); !checked) {
    errors.push_back(
        {FieldError::Kind::kInvalid, checked.error().path(), "\"\"", checked.error().message()});
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
  if (IsTrue(before, "Established")) {
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

class DefinitionBehaviour final : public Behaviour {
 public:
  Answered<> Admit(AnyObject& object, const Write&) const override {
    SetNameDefaults(AsDefinition(object));
    return {};
  }
  void Prepare(AnyObject& object, const Write& write) const override {
    CustomResourceDefinition& crd = AsDefinition(object);
    AddStoredVersion(crd);
    AcceptNames(crd, write.around);
  }
  FieldErrors Validate(const AnyObject& object, const Write&) const override {
    return ErrorsOf(AsDefinition(object));
  }
  Answered<> AdmitUpdate(AnyObject& now, const AnyObject&, const Write&) const override {
    SetNameDefaults(AsDefinition(now));
    return {};
  }
  void PrepareUpdate(AnyObject& now, const AnyObject&, const Write& write) const override {
    if (write.subresource == "status") return;
    CustomResourceDefinition& crd = AsDefinition(now);
    AddStoredVersion(crd);
    AcceptNames(crd, write.around);
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
  Answered<std::optional<Deletion>> Delete(AnyObject& object, const meta::v1::DeleteOptions&,
                                           const Write& write) const override {
    CustomResourceDefinition& crd = AsDefinition(object);
    if (crd.metadata.deletionTimestamp) return std::nullopt;
    const WallTime now = write.around.Now();
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
    return Deletion{Fate::kMarked, /*changed=*/true};
  }
};

class ObjectBehaviour final : public Behaviour {
 public:
  FieldErrors Validate(const AnyObject& object, const Write& write) const override {
    const Kind& kind = *write.resource.kind;
    if (kind.schema() == nullptr) return {};
    const auto tree = kind.ToJson(object);
    return tree ? kind.schema()->Validate(*tree) : FieldErrors();
  }
  FieldErrors ValidateUpdate(const AnyObject& now, const AnyObject& /*before*/,
                             const Write& write) const override {
    return Validate(now, write);
  }
};

}  // namespace

const Behaviour& CustomDefinitionBehaviour() {
  static const DefinitionBehaviour kBehaviour;
  return kBehaviour;
}

const Behaviour& CustomObjectBehaviour() {
  static const ObjectBehaviour kBehaviour;
  return kBehaviour;
}

}  // namespace flyball::sandbox
