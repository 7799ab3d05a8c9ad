#include <algorithm>
#include <array>

#include "flyball/api/human_duration.h"
#include "flyball/base/saturating.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/trace/findings.h"

namespace flyball::ctl::trace {
namespace {

using api::Json;

/// What a finalizer waits for, if it is one of the cluster's own.
struct KnownFinalizer {
  std::string_view name;
  std::string_view waits_for;
};
constexpr std::array kKnown = {
    KnownFinalizer{"foregroundDeletion", "what it owns to be gone"},
    KnownFinalizer{"orphan", "garbage collection to free what it owns"},
    KnownFinalizer{"kubernetes.io/pvc-protection", "the pods that use the claim to be gone"},
    KnownFinalizer{"kubernetes.io/pv-protection", "the claim of the volume to be gone"},
    KnownFinalizer{"batch.kubernetes.io/job-tracking", "the job controller to count the pod"},
};

/// The conditions in which a namespace says what keeps it.
constexpr std::array<std::string_view, 5> kNamespaceConditions = {
    "NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure",
    "NamespaceDeletionContentFailure", "NamespaceFinalizersRemaining", "NamespaceContentRemaining"};

std::string WaitsFor(std::string_view finalizer) {
  const auto* const known = std::ranges::find(kKnown, finalizer, &KnownFinalizer::name);
  return known == kKnown.end() ? "whoever put it there to take it off"
                               : std::string(known->waits_for);
}

std::string Ago(WallTime then, WallTime now) {
  return api::HumanDuration(std::max(SaturatingSubtract(now, then), std::chrono::nanoseconds(0))) +
         " ago";
}

/// A namespace goes by itself, unless something in it does not.
Finding NamespaceFinding(const Link& link, WallTime deleted, WallTime now) {
  Finding finding{
      .cause = link.Title() + " was deleted " + Ago(deleted, now) + ", and is not empty yet",
      .evidence = {},
      .advice = "namespace-controller empties it; give it some time"};
  for (const std::string_view type : kNamespaceConditions) {
    const auto condition = ConditionOf(link.object, type);
    if (!condition || condition->status != "True") continue;
    const std::string what = condition->message;
    if (finding.evidence.empty()) finding.cause = link.Title() + " cannot go: " + what;
    finding.evidence.push_back(std::string(type) + ": " + what);
    if (type == "NamespaceFinalizersRemaining") {
      finding.advice = "find those objects, and out who has to take their finalizers off";
    }
  }
  return finding;
}

void AddFinalizers(const std::string& title, const std::vector<std::string>& finalizers,
                   WallTime deleted, WallTime now, Findings& findings) {
  for (const std::string& finalizer : finalizers) {
    const bool known = std::ranges::find(kKnown, finalizer, &KnownFinalizer::name) != kKnown.end();
    findings.push_back(
        {.cause =
             title + " cannot go: its finalizer " + finalizer + " waits for " + WaitsFor(finalizer),
         .evidence = {"it was deleted " + Ago(deleted, now)},
         .advice = known ? "see what it waits for; it goes by itself then"
                         : "start what takes the finalizer off; if that is gone for good, take it "
                           "off by hand (kubectl edit)"});
  }
}

std::vector<std::string> FinalizersOf(const Json& object) {
  std::vector<std::string> finalizers;
  for (const Json& each : ListAt(object, {"metadata", "finalizers"})) {
    finalizers.push_back(TextAt(each, {}));
  }
  return finalizers;
}

/// A pod whose time to end is over and that is still there.
void AddPod(const core::v1::Pod& pod, WallTime now, Findings& findings) {
  const auto& metadata = pod.metadata;
  if (!metadata.deletionTimestamp) return;
  const WallTime due = metadata.deletionTimestamp->ToWallTime();
  AddFinalizers("pod " + metadata.name, metadata.finalizers, due, now, findings);
  constexpr std::chrono::seconds kPatience{10};
  if (!metadata.finalizers.empty() || pod.spec.nodeName.empty() ||
      now < SaturatingAdd(due, kPatience))
    return;
  findings.push_back({.cause = "pod " + metadata.name + " does not end: node " + pod.spec.nodeName +
                               " has not said that its containers are gone",
                      .evidence = {"it had to end " + Ago(due, now)},
                      .advice = "look at the node; if it is gone for good, delete the node"});
}

}  // namespace

Findings DeletionFindings(const Observation& observation) {
  Findings findings;
  for (const Link* const link : observation.chain.Sets()) {
    const auto deleted = DeletedAt(link->object);
    if (!deleted) continue;
    if (link->resource == "namespaces") {
      findings.push_back(NamespaceFinding(*link, *deleted, observation.now));
    }
    AddFinalizers(link->Title(), FinalizersOf(link->object), *deleted, observation.now, findings);
  }
  for (const core::v1::Pod& pod : observation.chain.pods) AddPod(pod, observation.now, findings);
  return findings;
}

}  // namespace flyball::ctl::trace
