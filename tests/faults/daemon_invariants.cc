#include "tests/faults/daemon_invariants.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace flyball::faults {
namespace {

/// Where it is, or is to be.
std::string NodeOf(const core::v1::PodSpec& spec) {
  if (!spec.nodeName.empty() || !spec.affinity || !spec.affinity->nodeAffinity) {
    return spec.nodeName;
  }
  const auto& required =
      spec.affinity->nodeAffinity->requiredDuringSchedulingIgnoredDuringExecution;
  if (!required || required->nodeSelectorTerms.empty()) return {};
  const auto& fields = required->nodeSelectorTerms[0].matchFields;
  return fields.empty() || fields[0].values.empty() ? "" : fields[0].values[0];
}

}  // namespace

void DaemonInvariants::TellOfSet(const std::string& uid,
                                 const std::optional<apps::v1::DaemonSet>& set) {
  if (!set) {
    sets_.erase(uid);
    return;
  }
  const auto& rolling = set->spec.updateStrategy.rollingUpdate;
  const std::int64_t desired = set->status.desiredNumberScheduled;
  const auto limit = [&](const std::optional<api::IntOrString>& value) {
    return value ? value->ScaledValue(desired, /*round_up=*/true).value_or(0) : 0;
  };
  sets_[uid] = {.name = set->metadata.name,
                .goes = set->metadata.deletionTimestamp.has_value(),
                .surges = rolling && limit(rolling->maxSurge) > 0,
                .unavailable = rolling ? limit(rolling->maxUnavailable) : 0,
                .desired = desired,
                .min_ready_seconds = set->spec.minReadySeconds};
}

DaemonInvariants::Pod DaemonInvariants::FactsOf(const core::v1::Pod& pod) {
  Pod facts{.name = pod.metadata.name, .set = {}, .node = NodeOf(pod.spec), .ready = {}};
  for (const auto& owner : pod.metadata.ownerReferences) {
    if (owner.controller.value_or(false)) facts.set = owner.uid;
  }
  const bool over = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  facts.active = !over && !pod.metadata.deletionTimestamp;
  for (const auto& condition : pod.status.conditions) {
    if (condition.type == "Ready" && condition.status == "True") {
      facts.ready = condition.lastTransitionTime.ToWallTime();
    }
  }
  return facts;
}

void DaemonInvariants::TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod,
                                 bool deliberate) {
  const auto known = pods_.find(uid);
  if (known == pods_.end()) {
    if (pod) JudgeCreation(pods_.emplace(uid, FactsOf(*pod)).first->second);
    return;
  }
  const Pod before = known->second;
  if (pod) {
    known->second = FactsOf(*pod);
  } else {
    pods_.erase(known);
  }
  const bool deleted = !pod || pod->metadata.deletionTimestamp;
  if (before.active && deleted && !deliberate) JudgeDeletion(before);
}

void DaemonInvariants::JudgeCreation(const Pod& pod) {
  const auto set = sets_.find(pod.set);
  if (set == sets_.end()) return;
  const auto beside = std::ranges::count_if(pods_, [&](const auto& entry) {
    const Pod& other = entry.second;
    return other.active && other.set == pod.set && other.node == pod.node;
  });
  if (beside > (set->second.surges ? 2 : 1)) {
    violations_.push_back("pod " + pod.name + " is made: daemon set " + set->second.name + " has " +
                          std::to_string(beside) + " on " + pod.node + " now");
  }
}

void DaemonInvariants::JudgeDeletion(const Pod& pod) {
  const auto found = sets_.find(pod.set);
  if (found == sets_.end() || found->second.goes) return;
  const Set& set = found->second;
  if (!IsAvailable(pod, set)) return;
  const auto available = std::ranges::count_if(pods_, [&](const auto& entry) {
    return entry.second.set == pod.set && IsAvailable(entry.second, set);
  });
  const std::int64_t needed = set.desired - set.unavailable;
  if (available < needed) {
    violations_.push_back("pod " + pod.name + " is deleted: daemon set " + set.name + " has " +
                          std::to_string(available) + " available ones left, and needs " +
                          std::to_string(needed));
  }
}

bool DaemonInvariants::IsAvailable(const Pod& pod, const Set& set) const {
  if (!pod.active || !pod.ready) return false;
  return *pod.ready + std::chrono::seconds(set.min_ready_seconds) <= clock_.WallNow();
}

}  // namespace flyball::faults
