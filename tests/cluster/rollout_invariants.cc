#include "tests/cluster/rollout_invariants.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace flyball::cluster {
namespace {

std::string ControllerOf(const meta::v1::ObjectMeta& metadata) {
  for (const auto& owner : metadata.ownerReferences) {
    if (owner.controller == true) return owner.uid;
  }
  return {};
}

bool IsReady(const core::v1::Pod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

/// So much of what led to a broken promise is told with it.
constexpr std::size_t kRemembered = 40;

std::string At(std::int64_t revision, const std::string& what) {
  return "at " + std::to_string(revision) + ": " + what;
}

/// What a set says of itself, which is all that its deployment knows of its pods.
std::string SaidBy(const apps::v1::ReplicaSet& set) {
  return "generation " + std::to_string(set.status.observedGeneration) + " of " +
         std::to_string(set.metadata.generation) + ", " + std::to_string(set.status.replicas) +
         " pods, " + std::to_string(set.status.availableReplicas) + " available";
}

/// As upstream resolves them: what may be more is rounded up, what may be fewer down, and not both
/// may be nothing.
std::int64_t Resolve(const std::optional<api::IntOrString>& part, std::int64_t replicas,
                     bool round_up) {
  if (!part) return 0;
  return part->ScaledValue(replicas, round_up).value_or(0);
}

}  // namespace

void RolloutInvariants::Break(std::int64_t revision, const Deployment& deployment,
                              const std::string& what) {
  std::string told = At(revision, what);
  for (const std::string& each : deployment.lately) told += "\n    " + each;
  broken_.push_back(std::move(told));
}

void RolloutInvariants::Note(std::int64_t revision, const std::string& deployment,
                             const std::string& what) {
  const auto found = deployments_.find(deployment);
  if (found == deployments_.end()) return;
  std::deque<std::string>& lately = found->second.lately;
  lately.push_back(At(revision, what));
  if (lately.size() > kRemembered) lately.pop_front();
}

RolloutInvariants::Deployment* RolloutInvariants::LivingDeployment(const std::string& uid) {
  const auto found = deployments_.find(uid);
  return found == deployments_.end() || found->second.going ? nullptr : &found->second;
}

void RolloutInvariants::See(const std::string& key, std::int64_t /*revision*/,
                            const apps::v1::Deployment* now) {
  ++changes_;
  if (now == nullptr) {
    deployments_.erase(uid_at_[key]);
    uid_at_.erase(key);
    return;
  }
  uid_at_[key] = now->metadata.uid;
  Deployment& known = deployments_[now->metadata.uid];
  const std::int64_t replicas = now->spec.replicas.value_or(1);
  if (known.replicas != replicas) known.was_whole = false;
  known.name = now->metadata.name;
  known.replicas = replicas;
  known.going = now->metadata.deletionTimestamp.has_value();
  if (const auto& rolling = now->spec.strategy.rollingUpdate) {
    known.surge = Resolve(rolling->maxSurge, replicas, true);
    known.unavailable = Resolve(rolling->maxUnavailable, replicas, false);
    if (known.surge == 0 && known.unavailable == 0) known.unavailable = 1;
  }
}

void RolloutInvariants::See(const std::string& key, std::int64_t revision,
                            const apps::v1::ReplicaSet* now) {
  ++changes_;
  if (now == nullptr) {
    sets_.erase(uid_at_[key]);
    uid_at_.erase(key);
    return;
  }
  uid_at_[key] = now->metadata.uid;
  if (!sets_.contains(now->metadata.uid)) ++sets_seen_;
  ReplicaSet& known = sets_[now->metadata.uid];
  const std::int64_t step = now->spec.replicas.value_or(1) - known.replicas;
  known.name = now->metadata.name;
  known.owner = ControllerOf(now->metadata);
  known.going = now->metadata.deletionTimestamp.has_value();
  known.replicas += step;
  (step > 0 ? known.raised : known.lowered) += std::abs(step);
  if (std::string said = SaidBy(*now); step != 0 || said != known.said) {
    Note(revision, known.owner,
         known.name + " wants " + std::to_string(known.replicas) + " and says " + said);
    known.said = std::move(said);
  }
  if (step > 0) CheckSurge(revision, known.owner, known.name);
}

void RolloutInvariants::CheckSurge(std::int64_t revision, const std::string& owner,
                                   const std::string& set) {
  const Deployment* const deployment = LivingDeployment(owner);
  if (deployment == nullptr) return;
  std::int64_t sum = 0;
  for (const auto& [uid, each] : sets_) {
    if (each.owner == owner) sum += each.replicas;
  }
  if (sum <= deployment->replicas + deployment->surge) return;
  Break(revision, *deployment,
        set + " was scaled up, to " + std::to_string(sum) + " pods of " + deployment->name +
            ", which allows for " + std::to_string(deployment->replicas) + " and " +
            std::to_string(deployment->surge) + " more");
}

void RolloutInvariants::See(const std::string& key, std::int64_t revision,
                            const core::v1::Pod* now) {
  ++changes_;
  if (now == nullptr) {
    const auto known = pods_.find(uid_at_[key]);
    uid_at_.erase(key);
    if (known == pods_.end()) return;
    const Pod last = known->second;
    pods_.erase(known);
    if (last.active) PodGoes(revision, last);
    return;
  }
  uid_at_[key] = now->metadata.uid;
  const bool is_new = !pods_.contains(now->metadata.uid);
  Pod& known = pods_[now->metadata.uid];
  const Pod before = known;
  known.name = now->metadata.name;
  known.owner = ControllerOf(now->metadata);
  known.active = !now->metadata.deletionTimestamp && now->status.phase != "Succeeded" &&
                 now->status.phase != "Failed";
  known.available = known.active && IsReady(*now);
  if (is_new) PodIsNew(revision, known);
  if (before.active && !known.active) PodGoes(revision, before);
  if (known.available && !before.available) BecameAvailable(revision, known);
}

void RolloutInvariants::PodIsNew(std::int64_t revision, const Pod& pod) {
  ++pods_seen_;
  const auto set = sets_.find(pod.owner);
  if (set == sets_.end() || set->second.going) return;
  ReplicaSet& its = set->second;
  Note(revision, its.owner, pod.name + " is new");
  const Deployment* const deployment = LivingDeployment(its.owner);
  if (++its.created <= its.raised || deployment == nullptr) return;
  Break(revision, *deployment,
        pod.name + " is pod number " + std::to_string(its.created) + " that " + its.name +
            " got, which was scaled up by " + std::to_string(its.raised) + " in all");
}

void RolloutInvariants::PodGoes(std::int64_t revision, const Pod& pod) {
  const auto set = sets_.find(pod.owner);
  if (set == sets_.end() || set->second.going) return;
  ReplicaSet& its = set->second;
  Note(revision, its.owner, pod.name + (pod.available ? " goes, available" : " goes"));
  const Deployment* const deployment = LivingDeployment(its.owner);
  if (deployment == nullptr) return;
  if (++its.deleted > its.lowered) {
    Break(revision, *deployment,
          pod.name + " is pod number " + std::to_string(its.deleted) + " that " + its.name +
              " lost, which was scaled down by " + std::to_string(its.lowered) + " in all");
  }
  const std::int64_t left = AvailableOf(its.owner);
  if (!pod.available || !deployment->was_whole) return;
  if (left >= deployment->replicas - deployment->unavailable) return;
  Break(revision, *deployment,
        pod.name + " was available and was deleted, which leaves " + deployment->name + " with " +
            std::to_string(left) + " of " + std::to_string(deployment->replicas) + ", of which " +
            std::to_string(deployment->unavailable) + " may be missing");
}

std::int64_t RolloutInvariants::AvailableOf(const std::string& deployment) const {
  return std::ranges::count_if(pods_, [&](const auto& pod) {
    if (!pod.second.available) return false;
    const auto set = sets_.find(pod.second.owner);
    return set != sets_.end() && set->second.owner == deployment;
  });
}

void RolloutInvariants::BecameAvailable(std::int64_t revision, const Pod& pod) {
  const auto its = sets_.find(pod.owner);
  if (its == sets_.end()) return;
  Note(revision, its->second.owner, pod.name + " is available");
  Deployment* const deployment = LivingDeployment(its->second.owner);
  if (deployment == nullptr || deployment->was_whole) return;
  deployment->was_whole = AvailableOf(its->second.owner) >= deployment->replicas;
}

std::vector<std::string> RolloutInvariants::WrongAtRest() const {
  std::vector<std::string> wrong;
  std::map<std::string, std::int64_t> pods_of;
  for (const auto& [uid, pod] : pods_) {
    if (!pod.active) wrong.push_back("the pod " + pod.name + " is still going");
    if (!sets_.contains(pod.owner)) wrong.push_back("the pod " + pod.name + " has no owner");
    ++pods_of[pod.owner];
  }
  std::map<std::string, std::int64_t> wanted_of;
  for (const auto& [uid, set] : sets_) {
    if (!deployments_.contains(set.owner)) wrong.push_back(set.name + " has no owner");
    if (pods_of[uid] != set.replicas) {
      wrong.push_back(set.name + " has " + std::to_string(pods_of[uid]) + " pods, and wants " +
                      std::to_string(set.replicas));
    }
    wanted_of[set.owner] += set.replicas;
  }
  for (const auto& [uid, deployment] : deployments_) {
    if (wanted_of[uid] == deployment.replicas) continue;
    wrong.push_back(deployment.name + " wants " + std::to_string(deployment.replicas) +
                    " pods, its sets " + std::to_string(wanted_of[uid]));
  }
  return wrong;
}

std::string RolloutInvariants::Describe() const {
  return std::to_string(changes_) + " changes, " + std::to_string(deployments_.size()) +
         " deployments now, " + std::to_string(sets_seen_) + " ReplicaSets and " +
         std::to_string(pods_seen_) + " pods ever";
}

}  // namespace flyball::cluster
