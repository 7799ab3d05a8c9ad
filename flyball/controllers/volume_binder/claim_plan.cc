#include "flyball/controllers/volume_binder/claim_plan.h"

#include <algorithm>

namespace flyball::controllers::volume_binder {
namespace {

using Action = ClaimPlan::Action;
using common::Normal;
using common::Warning;

std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

ClaimPlan Bind(VolumeRef volume) { return {.action = Action::kBind, .volume = std::move(volume)}; }
ClaimPlan Pending(std::vector<common::PlannedEvent> events = {}) {
  return {.action = Action::kPending, .events = std::move(events)};
}
ClaimPlan Lost(const char* reason, const char* message) {
  return {.action = Action::kLost, .events = {Warning(reason, message)}};
}
ClaimPlan NotProvisioned(std::string message) {
  return {.events = {Warning("ProvisioningFailed", std::move(message))}};
}

/// Why a provisioner whose name says that it is part of Kubernetes makes no volumes.
// DIVERGES: of those there were, one is left upstream, for paths on the manager's own machine, and
// it is off by default. Here there is none.
std::string WhyNotInTree(const std::string& provisioner) {
  if (provisioner == "kubernetes.io/host-path") {
    return "Failed to create provisioner: provisioning in volume plugin "
           "\"kubernetes.io/host-path\" "
           "is disabled";
  }
  if (provisioner == "kubernetes.io/nfs") return "no provisionable volume plugin matched";
  return "no volume plugin matched name: " + provisioner;
}

ClaimPlan PlanToProvision(const std::string& name, const ClaimFacts& facts) {
  if (!facts.provisions) return {};
  const ClassRef storage_class = facts.storage_class(name);
  if (!storage_class) {
    return NotProvisioned("storageclass.storage.k8s.io " + Quoted(name) + " not found");
  }
  const std::string& named = storage_class->provisioner;
  const auto migrated = MigratedTo(named);
  if (!migrated && IsInTree(named)) return NotProvisioned(WhyNotInTree(named));
  const std::string provisioner = migrated.value_or(named);
  return {
      .action = Action::kProvision,
      .name = provisioner,
      .events = {Normal(
          "ExternalProvisioning",
          "Waiting for a volume to be created either by the external provisioner '" + provisioner +
              "' or manually by the system administrator. If volume creation is delayed, "
              "please verify that the provisioner is running and correctly registered.")}};
}

common::PlannedEvent WaitsForConsumer(const std::vector<std::string>& pods) {
  if (pods.empty()) {
    return Normal("WaitForFirstConsumer",
                  "waiting for first consumer to be created before binding");
  }
  std::string names;
  for (const std::string& pod : pods) names += (names.empty() ? "" : ",") + pod;
  return Normal("WaitForPodScheduled", std::string("waiting for ") +
                                           (pods.size() > 1 ? "pods " : "pod ") + names +
                                           " to be scheduled");
}

/// No volume is there for it.
ClaimPlan PlanWithoutVolume(const PersistentVolumeClaim& claim, bool delayed,
                            const ClaimFacts& facts) {
  if (!HasClass(claim)) {
    if (const ClassRef now_default = DefaultClass(facts.classes())) {
      return {.action = Action::kAssignClass, .name = now_default->metadata.name};
    }
  }
  if (delayed && !HasAnnotation(claim, kSelectedNode)) {
    return Pending({WaitsForConsumer(facts.waiting_pods())});
  }
  const std::string name = ClassOf(claim);
  if (!name.empty()) return PlanToProvision(name, facts);
  return Pending({Normal("FailedBinding",
                         "no persistent volumes available for this claim and no storage class is "
                         "set")});
}

ClaimPlan PlanForAny(const PersistentVolumeClaim& claim, const ClaimFacts& facts) {
  const std::string name = ClassOf(claim);
  const ClassRef storage_class = name.empty() ? nullptr : facts.storage_class(name);
  if (storage_class && !storage_class->volumeBindingMode) {
    return {.problem = "VolumeBindingMode not set for StorageClass " + Quoted(name)};
  }
  const bool delayed = storage_class && *storage_class->volumeBindingMode == "WaitForFirstConsumer";
  auto match = FindMatch(claim, delayed, facts.volumes);
  if (!match) return {.problem = "error finding PV for claim: " + match.error().Describe()};
  if (*match) return Bind(*std::move(match));
  return PlanWithoutVolume(claim, delayed, facts);
}

/// For a claim that names its volume, and was not bound to it yet.
ClaimPlan PlanForNamed(const PersistentVolumeClaim& claim, const ClaimFacts& facts) {
  const std::string& name = claim.spec.volumeName;
  VolumeRef volume = facts.volume(name);
  if (!volume) return Pending();
  if (!volume->spec.claimRef) {
    const auto misfit = Misfit(*volume, claim);
    if (!misfit) return Bind(std::move(volume));
    return Pending({Warning("VolumeMismatch",
                            "Cannot bind to requested volume " + Quoted(name) + ": " + *misfit)});
  }
  if (IsMeantFor(*volume, claim)) return Bind(std::move(volume));
  ClaimPlan plan = Pending({Warning(
      "FailedBinding", "volume " + Quoted(name) + " already bound to a different claim.")});
  if (HasAnnotation(claim, kBoundByController)) {
    // Somebody took away what says that it was bound.
    plan.action = Action::kNothing;
    plan.problem =
        "the claim was bound to volume " + Quoted(name) + ", which is claimed by somebody else";
  }
  return plan;
}

ClaimPlan PlanForBound(const PersistentVolumeClaim& claim, const ClaimFacts& facts) {
  if (claim.spec.volumeName.empty()) {
    return Lost("ClaimLost",
                "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  }
  VolumeRef volume = facts.volume(claim.spec.volumeName);
  if (!volume) {
    return Lost("ClaimLost",
                "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  }
  if (volume->spec.claimRef && volume->spec.claimRef->uid != claim.metadata.uid) {
    return Lost("ClaimMisbound",
                "Two claims are bound to the same volume, this one is bound incorrectly");
  }
  return Bind(std::move(volume));
}

bool IsDefault(const StorageClass& storage_class) {
  for (const char* const name : {"storageclass.kubernetes.io/is-default-class",
                                 "storageclass.beta.kubernetes.io/is-default-class"}) {
    const auto* const said = AnnotationOf(storage_class, name);
    if (said != nullptr && *said == "true") return true;
  }
  return false;
}

}  // namespace

ClaimPlan PlanFor(const PersistentVolumeClaim& claim, const ClaimFacts& facts) {
  if (HasAnnotation(claim, kBindCompleted)) return PlanForBound(claim, facts);
  return claim.spec.volumeName.empty() ? PlanForAny(claim, facts) : PlanForNamed(claim, facts);
}

ClassRef DefaultClass(const std::vector<ClassRef>& classes) {
  ClassRef best;
  for (const ClassRef& candidate : classes) {
    if (!IsDefault(*candidate)) continue;
    if (best) {
      const auto age = candidate->metadata.creationTimestamp.ToWallTime();
      const auto best_age = best->metadata.creationTimestamp.ToWallTime();
      if (age < best_age) continue;
      if (age == best_age && best->metadata.name < candidate->metadata.name) continue;
    }
    best = candidate;
  }
  return best;
}

std::string ClaimPlan::ToString() const {
  std::string text;
  switch (action) {
    case Action::kNothing:
      text = "leave it";
      break;
    case Action::kBind:
      text = "bind it to " + volume->metadata.name;
      break;
    case Action::kAssignClass:
      text = "give it the class " + name;
      break;
    case Action::kProvision:
      text = "have " + name + " make a volume";
      break;
    case Action::kPending:
      text = "let it wait";
      break;
    case Action::kLost:
      text = "it has lost its volume";
      break;
  }
  for (const auto& event : events) text += ", say " + event.reason;
  return problem.empty() ? text : text + ": " + problem;
}

}  // namespace flyball::controllers::volume_binder
