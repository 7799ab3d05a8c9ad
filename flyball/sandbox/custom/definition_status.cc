#include "flyball/sandbox/custom/definition_status.h"

#include <algorithm>
#include <set>

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using apiextensions::v1::CustomResourceDefinition;
using apiextensions::v1::CustomResourceDefinitionCondition;
using apiextensions::v1::CustomResourceDefinitionNames;

/// What other CRDs of the group are called already.
struct TakenNames {
  std::set<std::string> resources, kinds;

  TakenNames(const CustomResourceDefinition& crd, const StrategyContext& context) {
    for (const RecordPtr& record : context.List(kDefinitions, "")) {
      const AnyObject object = record->Decode();
      const auto& other = *static_cast<const CustomResourceDefinition*>(object.get());
      if (other.spec.group != crd.spec.group || other.metadata.name == crd.metadata.name) continue;
      const auto& names = other.status.acceptedNames;
      resources.insert({names.plural, names.singular});
      resources.insert(names.shortNames.begin(), names.shortNames.end());
      kinds.insert({names.kind, names.listKind});
    }
  }
};

}  // namespace

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

bool HasCondition(const CustomResourceDefinition& crd, std::string_view type) {
  return std::ranges::any_of(crd.status.conditions, [&](const auto& condition) {
    return condition.type == type && condition.status == "True";
  });
}

void AcceptNames(CustomResourceDefinition& crd, const StrategyContext& context) {
  const TakenNames taken(crd, context);
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
  const WallTime now = context.Now();
  if (!reason.empty()) {
    SetCondition(crd, "NamesAccepted", "False", reason, message, now);
    if (HasCondition(crd, "Established")) return;
    SetCondition(crd, "Established", "False", "NotAccepted", "not all names are accepted", now);
    return;
  }
  SetCondition(crd, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now);
  SetCondition(crd, "Established", "True", "InitialNamesAccepted",
               "the initial names have been accepted", now);
}

}  // namespace flyball::sandbox
