#include "flyball/controllers/replica_set/set_status.h"

#include <algorithm>

#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::replica_set {
namespace {

constexpr std::string_view kReplicaFailure = "ReplicaFailure";

/// Which way the number of pods had to go when it could not.
std::string FailureReason(const Observed& observed, std::int32_t replicas) {
  const Plan plan = PlanFor(observed.active.size() + observed.created, replicas);
  if (plan.create > 0) return "FailedCreate";
  return plan.remove > 0 ? "FailedDelete" : "";
}

// PARITY: the first failure stays as it is, however the next ones differ, until all is well.
template <typename Set>
void NoteFailure(const Set& set, const Observed& observed, WallTime now, StatusOf<Set>& status) {
  const auto found =
      std::ranges::find(status.conditions, kReplicaFailure,
                        [](const auto& its) -> std::string_view { return its.type; });
  const bool noted = found != status.conditions.end();
  if (!observed.failure && noted) {
    std::erase_if(status.conditions, [](const auto& its) { return its.type == kReplicaFailure; });
  } else if (observed.failure && !noted) {
    auto& condition = status.conditions.emplace_back();
    condition.type = kReplicaFailure;
    condition.status = "True";
    condition.lastTransitionTime = api::Time(now);
    condition.reason = FailureReason(observed, ReplicasOf(set));
    condition.message = observed.failure->message();
  }
}

}  // namespace

template <typename Set>
StatusOf<Set> ComputeStatus(const Set& set, const Observed& observed, WallTime now) {
  StatusOf<Set> status = set.status;
  NoteFailure(set, observed, now, status);
  const auto wanted = api::Selector::FromLabels(TemplateOf(set).metadata.labels);
  const auto created = static_cast<std::int32_t>(observed.created);
  status.replicas = static_cast<std::int32_t>(observed.active.size()) + created;
  status.fullyLabeledReplicas = created;
  status.readyReplicas = status.availableReplicas = 0;
  for (const PodRef& pod : observed.active) {
    if (wanted.Matches(pod->metadata.labels)) ++status.fullyLabeledReplicas;
    if (common::IsReady(*pod)) ++status.readyReplicas;
    if (common::IsAvailable(*pod, set.spec.minReadySeconds, now)) ++status.availableReplicas;
  }
  if constexpr (requires { status.terminatingReplicas; }) {
    status.terminatingReplicas = observed.terminating;
  }
  status.observedGeneration = set.metadata.generation;
  return status;
}

template StatusOf<apps::v1::ReplicaSet> ComputeStatus(const apps::v1::ReplicaSet&, const Observed&,
                                                      WallTime);
template StatusOf<core::v1::ReplicationController> ComputeStatus(
    const core::v1::ReplicationController&, const Observed&, WallTime);

}  // namespace flyball::controllers::replica_set
