#include "tests/faults/ordinal_invariants.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace flyball::faults {
namespace {

using sandbox::RecordPtr;

template <typename T>
std::optional<T> As(const RecordPtr& record) {
  if (!record) return std::nullopt;
  const api::AnyObject object = record->Decode();
  const T* const typed = object.As<T>();
  return typed == nullptr ? std::nullopt : std::optional<T>(*typed);
}

/// What follows the last dash; -1 if that is no number.
std::int64_t OrdinalOf(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  std::int64_t ordinal = -1;
  if (dash != std::string::npos) {
    std::from_chars(name.data() + dash + 1, name.data() + name.size(), ordinal);
  }
  return ordinal;
}

bool IsReady(const core::v1::Pod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

std::int64_t MostUnavailable(const apps::v1::StatefulSet& set) {
  const auto& rolling = set.spec.updateStrategy.rollingUpdate;
  if (!rolling || !rolling->maxUnavailable) return 1;
  const auto most = rolling->maxUnavailable->ScaledValue(set.spec.replicas.value_or(1), false);
  return std::max<std::int64_t>(most.value_or(1), 1);
}

std::int64_t StartOf(const apps::v1::StatefulSet& set) {
  return set.spec.ordinals ? set.spec.ordinals->start : 0;
}

/// The ordinal below which pods stay as they are: all, where people delete them themselves.
std::int64_t PartitionOf(const apps::v1::StatefulSet& set) {
  if (set.spec.updateStrategy.type == "OnDelete") return std::numeric_limits<std::int32_t>::max();
  const auto& rolling = set.spec.updateStrategy.rollingUpdate;
  return StartOf(set) + (rolling ? rolling->partition.value_or(0) : 0);
}

}  // namespace

void OrdinalInvariants::Tell(const Happening& happening) {
  const std::string uid = (happening.after ? happening.after : happening.before)->uid();
  if (happening.resource == "pods") {
    TellOfPod(uid, As<core::v1::Pod>(happening.after));
  } else if (happening.resource == "apps/statefulsets") {
    TellOfSet(uid, As<apps::v1::StatefulSet>(happening.after));
  } else if (happening.resource == "persistentvolumeclaims") {
    const auto claim =
        As<core::v1::PersistentVolumeClaim>(happening.after ? happening.after : happening.before);
    const bool goes = !happening.after || (claim && claim->metadata.deletionTimestamp);
    if (claim && goes) TellOfGoingClaim(*claim);
  } else if (happening.resource == "namespaces") {
    const auto space = As<core::v1::Namespace>(happening.after);
    if (space && space->metadata.deletionTimestamp) ending_namespaces_.insert(space->metadata.name);
  }
}

void OrdinalInvariants::Note(Set& set, bool anew) {
  const auto& spec = set.now.spec;
  const std::int64_t start = StartOf(set.now);
  const std::int64_t end = start + spec.replicas.value_or(1);
  const auto& policy = spec.persistentVolumeClaimRetentionPolicy;
  set.lowest_start = anew ? start : std::min(set.lowest_start, start);
  set.highest_start = anew ? start : std::max(set.highest_start, start);
  set.lowest_end = anew ? end : std::min(set.lowest_end, end);
  set.highest_end = anew ? end : std::max(set.highest_end, end);
  set.most_unavailable =
      anew ? MostUnavailable(set.now) : std::max(set.most_unavailable, MostUnavailable(set.now));
  set.lowest_partition =
      anew ? PartitionOf(set.now) : std::min(set.lowest_partition, PartitionOf(set.now));
  set.deletes_when_scaled =
      (!anew && set.deletes_when_scaled) || (policy && policy->whenScaled == "Delete");
  set.deletes_when_deleted =
      (!anew && set.deletes_when_deleted) || (policy && policy->whenDeleted == "Delete");
}

void OrdinalInvariants::TellOfSet(const std::string& uid,
                                  const std::optional<apps::v1::StatefulSet>& set) {
  const auto [known, is_new] = sets_.try_emplace(uid);
  Set& facts = known->second;
  facts.gone = !set;
  facts.goes = facts.goes || facts.gone || set->metadata.deletionTimestamp;
  if (!set) return;
  facts.orphans =
      std::ranges::find(set->metadata.finalizers, "orphan") != set->metadata.finalizers.end();
  facts.now = *set;
  Note(facts, is_new);
}

OrdinalInvariants::Pod OrdinalInvariants::FactsOf(const core::v1::Pod& pod) {
  Pod facts{.key = api::ObjectKey::Of(pod), .ordinal = OrdinalOf(pod.metadata.name)};
  for (const auto& owner : pod.metadata.ownerReferences) {
    if (owner.controller.value_or(false)) facts.set = owner.uid;
  }
  const bool over = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  facts.active = !over && !pod.metadata.deletionTimestamp;
  facts.ready = facts.active && IsReady(pod);
  return facts;
}

void OrdinalInvariants::TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod) {
  const auto known = pods_.find(uid);
  const std::optional<Pod> before =
      known == pods_.end() ? std::nullopt : std::optional<Pod>(known->second);
  if (pod) {
    pods_[uid] = FactsOf(*pod);
  } else {
    pods_.erase(uid);
  }
  if (!pod && !before) return;
  const Pod now = pod ? pods_[uid] : *before;
  const auto set = sets_.find(now.set);
  if (set == sets_.end()) return;
  if (pod && now.ready) set->second.been_ready.insert(now.ordinal);
  if (!before) return JudgeCreation(now, set->second);
  if (before->active && (!pod || pod->metadata.deletionTimestamp)) {
    JudgeDeletion(*before, set->second);
  }
}

void OrdinalInvariants::JudgeCreation(const Pod& pod, const Set& set) {
  if (!set.MayAskFor(pod.ordinal)) {
    violations_.push_back("pod " + pod.key.name + " is made, and nobody asks for it");
  }
  if (!set.Ordered()) return;
  for (std::int64_t lower = set.highest_start; lower < pod.ordinal; ++lower) {
    if (set.been_ready.contains(lower)) continue;
    violations_.push_back("pod " + pod.key.name + " is made before number " +
                          std::to_string(lower) + " has been ready");
  }
}

void OrdinalInvariants::JudgeDeletion(const Pod& pod, const Set& set) {
  if (peoples_.erase(pod.key) > 0 || set.goes) return;
  if (ending_namespaces_.contains(pod.key.namespace_)) return;
  std::int64_t ready = 0;
  for (const auto& [uid, other] : pods_) {
    if (other.set != pod.set || other.key == pod.key) continue;
    if (other.ready && set.AsksFor(other.ordinal)) ++ready;
    if (set.Ordered() && !set.AsksFor(pod.ordinal) && other.active && other.ordinal > pod.ordinal &&
        !set.AsksFor(other.ordinal)) {
      violations_.push_back("pod " + pod.key.name + " is deleted before " + other.key.name);
    }
  }
  if (set.AsksFor(pod.ordinal) && pod.ordinal < set.lowest_partition) {
    violations_.push_back("pod " + pod.key.name + " is deleted: the partition is at " +
                          std::to_string(set.lowest_partition));
  }
  const std::int64_t needed = set.lowest_end - set.highest_start - set.most_unavailable;
  if (pod.ready && set.AsksFor(pod.ordinal) && ready < needed) {
    violations_.push_back("pod " + pod.key.name + " is deleted: " + std::to_string(ready) +
                          " others are ready, and " + std::to_string(needed) + " are to be");
  }
}

void OrdinalInvariants::TellOfGoingClaim(const core::v1::PersistentVolumeClaim& claim) {
  if (!going_claims_.insert(claim.metadata.uid).second) return;
  const std::string& name = claim.metadata.name;
  if (ending_namespaces_.contains(claim.metadata.namespace_)) return;
  const std::int64_t ordinal = OrdinalOf(name);
  bool is_kept = false;
  for (const auto& [uid, set] : sets_) {
    if (set.now.metadata.namespace_ != claim.metadata.namespace_) continue;
    const bool its = std::ranges::any_of(
        set.now.spec.volumeClaimTemplates, [&, &of = set.now](const auto& made_of) {
          return name ==
                 made_of.metadata.name + "-" + of.metadata.name + "-" + std::to_string(ordinal);
        });
    if (!its) continue;
    const bool scaled_away = set.deletes_when_scaled && !set.AsksFor(ordinal);
    // One of several that had the name, one after the other, is enough.
    if (scaled_away || (set.goes && !set.orphans && set.deletes_when_deleted)) return;
    is_kept = true;
  }
  if (is_kept) violations_.push_back("claim " + name + " is deleted, which its set keeps");
}

void OrdinalInvariants::Checkpoint() {
  std::erase_if(sets_, [](const auto& set) { return set.second.gone; });
  for (auto& [uid, set] : sets_) {
    Note(set, /*anew=*/true);
    set.been_ready.clear();
    for (const auto& [pod_uid, pod] : pods_) {
      if (pod.set == uid && pod.ready) set.been_ready.insert(pod.ordinal);
    }
  }
}

}  // namespace flyball::faults
