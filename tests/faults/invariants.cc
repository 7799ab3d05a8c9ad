#include "tests/faults/invariants.h"

#include <algorithm>
#include <iterator>

#include "tests/scenario/scenario_file.h"

namespace flyball::faults {
namespace {

using api::Json;
using sandbox::RecordPtr;

const meta::v1::OwnerReference* ControllerOf(const meta::v1::ObjectMeta& metadata) {
  const auto& owners = metadata.ownerReferences;
  const auto found = std::ranges::find_if(
      owners, [](const auto& owner) { return owner.controller.value_or(false); });
  return found == owners.end() ? nullptr : &*found;
}

std::string ControllerUidOf(const meta::v1::ObjectMeta& metadata) {
  const auto* const controller = ControllerOf(metadata);
  return controller == nullptr ? "" : controller->uid;
}

std::optional<WallTime> ReadySince(const core::v1::Pod& pod) {
  for (const auto& condition : pod.status.conditions) {
    if (condition.type != "Ready" || condition.status != "True") continue;
    return condition.lastTransitionTime.ToWallTime();
  }
  return std::nullopt;
}

/// Whether it goes because somebody asked for its eviction, and no budget was against it.
bool IsEvicted(const core::v1::Pod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
    return condition.type == "DisruptionTarget" && condition.status == "True" &&
           condition.reason == "EvictionByEvictionAPI";
  });
}

/// A number or a percentage of the replicas; what cannot be read is none.
std::int64_t Scaled(const std::optional<api::IntOrString>& value, std::int64_t replicas,
                    bool round_up) {
  return value ? value->ScaledValue(replicas, round_up).value_or(0) : 0;
}

std::int64_t MinReadySecondsOf(const apps::v1::ReplicaSet& set) { return set.spec.minReadySeconds; }
std::int64_t MinReadySecondsOf(const core::v1::ReplicationController& set) {
  return set.spec.minReadySeconds;
}

}  // namespace

void Invariants::Range::Set(std::int64_t value) {
  now = value;
  least = std::min(least, value);
  most = std::max(most, value);
}

template <typename T>
std::optional<T> Invariants::As(const RecordPtr& record) {
  if (!record) return std::nullopt;
  const api::AnyObject object = record->Decode();
  const T* const typed = object.As<T>();
  return typed == nullptr ? std::nullopt : std::optional<T>(*typed);
}

void Invariants::Tell(const Happening& happening) {
  of_ordinals_.Tell(happening);
  const RecordPtr& record = happening.after ? happening.after : happening.before;
  const std::string& uid = record->uid();
  if (happening.resource == "pods") {
    const auto pod = As<core::v1::Pod>(happening.after);
    TellOfPod(uid, pod);
    const api::ObjectKey key{std::string(record->Field("metadata.namespace")),
                             std::string(record->Field("metadata.name"))};
    daemons_.TellOfPod(uid, pod,
                       peoples_.contains(key) || ending_namespaces_.contains(key.namespace_));
    jobs_.TellOfPod(uid, pod);
    nodes_.TellOfPod(uid, pod);
    endpoints_.TellOfPod(uid, pod);
    slices_.TellOfPod(key.name);
    storage_.TellOfPod(uid, pod);
    attach_.TellOfPod(uid, pod);
  } else if (happening.resource == "nodes") {
    const auto node = As<core::v1::Node>(happening.after);
    nodes_.TellOfNode(std::string(record->Field("metadata.name")), node);
    ranges_.TellOfNode(uid, node);
    attach_.TellOfNode(std::string(record->Field("metadata.name")), node);
  } else if (happening.resource == "persistentvolumeclaims") {
    storage_.TellOfClaim(uid, As<core::v1::PersistentVolumeClaim>(happening.after));
  } else if (happening.resource == "persistentvolumes") {
    const auto volume = As<core::v1::PersistentVolume>(happening.after);
    storage_.TellOfVolume(uid, volume);
    attach_.TellOfVolume(uid, volume);
  } else if (happening.resource == "storage.k8s.io/volumeattachments") {
    attach_.TellOfAttachment(uid, As<storage::v1::VolumeAttachment>(happening.after));
  } else if (happening.resource == "apps/daemonsets") {
    daemons_.TellOfSet(uid, As<apps::v1::DaemonSet>(happening.after));
  } else if (happening.resource == "batch/jobs") {
    jobs_.TellOfJob(uid, As<batch::v1::Job>(happening.after));
  } else if (happening.resource == "apps/replicasets") {
    TellOfSet(uid, As<apps::v1::ReplicaSet>(happening.after));
  } else if (happening.resource == "replicationcontrollers") {
    TellOfSet(uid, As<core::v1::ReplicationController>(happening.after));
  } else if (happening.resource == "apps/deployments") {
    TellOfDeployment(uid, As<apps::v1::Deployment>(happening.after));
  } else if (happening.resource == "policy/poddisruptionbudgets") {
    TellOfBudget(uid, As<policy::v1::PodDisruptionBudget>(happening.after));
  } else if (happening.resource == "discovery.k8s.io/endpointslices") {
    const auto slice = As<discovery::v1::EndpointSlice>(happening.after);
    endpoints_.TellOfSlice(uid, slice);
    slices_.TellOfSlice(uid, slice);
  } else if (happening.resource == "services" || happening.resource == "endpoints") {
    TellOfNetwork(happening);
  } else if (happening.resource == "namespaces") {
    TellOfNamespace(std::string(record->Field("metadata.name")),
                    As<core::v1::Namespace>(happening.after));
  }
}

void Invariants::TellOfNetwork(const Happening& happening) {
  const RecordPtr& record = happening.after ? happening.after : happening.before;
  const api::ObjectKey key{std::string(record->Field("metadata.namespace")),
                           std::string(record->Field("metadata.name"))};
  if (happening.resource == "services") {
    endpoints_.TellOfService(key, As<core::v1::Service>(happening.after));
    slices_.TellOfService(key.name);
  } else {
    endpoints_.TellOfEndpoints(key, As<core::v1::Endpoints>(happening.after));
  }
}

Invariants::Pod Invariants::FactsOf(const core::v1::Pod& pod) {
  const bool over = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  return {.key = api::ObjectKey::Of(pod),
          .set = ControllerUidOf(pod.metadata),
          .labels = pod.metadata.labels,
          .active = !over && !pod.metadata.deletionTimestamp,
          .evicted = IsEvicted(pod),
          .ready = ReadySince(pod)};
}

void Invariants::TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod) {
  const auto known = pods_.find(uid);
  if (!pod) {
    if (known == pods_.end()) return;
    Pod last = known->second;
    pods_.erase(known);
    if (last.active) last.evicted ? JudgeEviction(last) : JudgeDeletion(last);
    return;
  }
  Pod facts = FactsOf(*pod);
  if (known == pods_.end()) {
    pods_.emplace(uid, facts);
    return JudgeCreation(facts);
  }
  const Pod before = std::exchange(known->second, facts);
  if (!before.active || !pod->metadata.deletionTimestamp) return;
  facts.evicted ? JudgeEviction(before) : JudgeDeletion(before);
}

template <typename T>
void Invariants::TellOfSet(const std::string& uid, const std::optional<T>& set) {
  if (!set) {
    sets_.erase(uid);
    return;
  }
  const std::int64_t replicas = set->spec.replicas.value_or(1);
  const auto [known, is_new] = sets_.try_emplace(uid);
  Set& facts = known->second;
  const bool grows = is_new || replicas > facts.replicas.now;
  facts.name = set->metadata.name;
  facts.deployment = ControllerUidOf(set->metadata);
  facts.goes = set->metadata.deletionTimestamp.has_value();
  facts.min_ready_seconds = MinReadySecondsOf(*set);
  if (is_new) facts.replicas = Range(replicas);
  facts.replicas.Set(replicas);
  if (grows) JudgeGrowth(facts);
}

void Invariants::TellOfDeployment(const std::string& uid,
                                  const std::optional<apps::v1::Deployment>& told) {
  if (!told) {
    deployments_.erase(uid);
    return;
  }
  const std::int64_t replicas = told->spec.replicas.value_or(1);
  std::int64_t surge = 0;
  std::int64_t available = 0;
  if (const auto& rolling = told->spec.strategy.rollingUpdate) {
    surge = Scaled(rolling->maxSurge, replicas, /*round_up=*/true);
    std::int64_t unavailable = Scaled(rolling->maxUnavailable, replicas, /*round_up=*/false);
    // Else no pod could ever be replaced.
    if (surge == 0 && unavailable == 0) unavailable = 1;
    available = std::max<std::int64_t>(replicas - unavailable, 0);
  }
  const auto [known, is_new] = deployments_.try_emplace(uid);
  Deployment& deployment = known->second;
  deployment.name = told->metadata.name;
  deployment.goes = told->metadata.deletionTimestamp.has_value();
  if (is_new) {
    deployment.replicas = Range(replicas);
    deployment.most = Range(replicas + surge);
    deployment.available = Range(available);
  }
  deployment.replicas.Set(replicas);
  deployment.most.Set(replicas + surge);
  deployment.available.Set(available);
}

void Invariants::TellOfBudget(const std::string& uid,
                              const std::optional<policy::v1::PodDisruptionBudget>& told) {
  if (!told) {
    budgets_.erase(uid);
    return;
  }
  auto selector = api::Selector::FromMessage(told->spec.selector);
  budgets_[uid] = {.key = api::ObjectKey::Of(*told),
                   .selector = selector ? *std::move(selector) : api::Selector::Nothing(),
                   .spec = told->spec};
}

void Invariants::TellOfNamespace(const std::string& name,
                                 const std::optional<core::v1::Namespace>& space) {
  if (space && space->metadata.deletionTimestamp) ending_namespaces_.insert(name);
}

std::int64_t Invariants::ActivePodsOf(const std::string& set) const {
  return std::ranges::count_if(
      pods_, [&](const auto& entry) { return entry.second.active && entry.second.set == set; });
}

std::int64_t Invariants::ReplicasOfDeployment(const std::string& deployment) const {
  std::int64_t replicas = 0;
  for (const auto& [uid, set] : sets_) {
    if (set.deployment == deployment) replicas += set.replicas.now;
  }
  return replicas;
}

bool Invariants::IsAvailable(const Pod& pod) const {
  const auto set = sets_.find(pod.set);
  if (!pod.active || !pod.ready || set == sets_.end()) return false;
  return *pod.ready + std::chrono::seconds(set->second.min_ready_seconds) <= clock_.WallNow();
}

std::int64_t Invariants::AvailablePodsOfDeployment(const std::string& deployment) const {
  return std::ranges::count_if(pods_, [&](const auto& entry) {
    const auto set = sets_.find(entry.second.set);
    return set != sets_.end() && set->second.deployment == deployment && IsAvailable(entry.second);
  });
}

void Invariants::JudgeCreation(const Pod& pod) {
  const auto set = sets_.find(pod.set);
  if (set == sets_.end()) return;
  const std::int64_t pods = ActivePodsOf(pod.set);
  const std::int64_t most = set->second.replicas.most;
  if (pods > most) {
    violations_.push_back("pod " + pod.key.name + " is made: " + set->second.name + " has " +
                          std::to_string(pods) + " now, and asks for " + std::to_string(most));
  }
}

void Invariants::JudgeGrowth(const Set& set) {
  const auto deployment = deployments_.find(set.deployment);
  if (deployment == deployments_.end()) return;
  const std::int64_t replicas = ReplicasOfDeployment(deployment->first);
  const std::int64_t room = deployment->second.most.most;
  if (replicas <= room) return;
  violations_.push_back(set.name + " is scaled to " + std::to_string(set.replicas.now) +
                        ": deployment " + deployment->second.name + " has " +
                        std::to_string(replicas) + " replicas now, and room for " +
                        std::to_string(room));
}

void Invariants::JudgeDeletion(const Pod& pod) {
  const auto set = sets_.find(pod.set);
  if (peoples_.contains(pod.key) || ending_namespaces_.contains(pod.key.namespace_)) return;
  if (set == sets_.end() || set->second.goes) return;
  const std::int64_t pods = ActivePodsOf(pod.set);
  const std::int64_t least = set->second.replicas.least;
  if (pods < least) {
    violations_.push_back("pod " + pod.key.name + " is deleted: " + set->second.name + " has " +
                          std::to_string(pods) + " left, and asks for " + std::to_string(least));
  }
  const auto deployment = deployments_.find(set->second.deployment);
  if (deployment == deployments_.end() || deployment->second.goes || !IsAvailable(pod)) return;
  const std::int64_t available = AvailablePodsOfDeployment(deployment->first);
  const std::int64_t needed = deployment->second.available.least;
  if (available < needed) {
    violations_.push_back("pod " + pod.key.name + " is deleted: deployment " +
                          deployment->second.name + " has " + std::to_string(available) +
                          " available ones left, and needs " + std::to_string(needed));
  }
}

std::int64_t Invariants::ReplicasFor(const Budget& budget) const {
  std::map<std::string, std::int64_t> by_uid;
  for (const auto& [uid, pod] : pods_) {
    const auto set = sets_.find(pod.set);
    if (set == sets_.end() || !budget.Covers(pod)) continue;
    const auto deployment = deployments_.find(set->second.deployment);
    if (deployment == deployments_.end()) {
      by_uid[pod.set] = set->second.replicas.least;
    } else {
      by_uid[deployment->first] = deployment->second.replicas.least;
    }
  }
  std::int64_t replicas = 0;
  for (const auto& [uid, its] : by_uid) replicas += its;
  return replicas;
}

std::int64_t Invariants::HealthyFor(const Budget& budget) const {
  const std::int64_t replicas = ReplicasFor(budget);
  if (!budget.spec.maxUnavailable) return Scaled(budget.spec.minAvailable, replicas, true);
  return std::max<std::int64_t>(replicas - Scaled(budget.spec.maxUnavailable, replicas, true), 0);
}

void Invariants::JudgeEviction(const Pod& pod) {
  if (!pod.ready) return;
  for (const auto& [uid, budget] : budgets_) {
    if (!budget.Covers(pod)) continue;
    const std::int64_t healthy = std::ranges::count_if(pods_, [&](const auto& entry) {
      return entry.second.active && entry.second.ready && budget.Covers(entry.second);
    });
    const std::int64_t wanted = HealthyFor(budget);
    if (healthy >= wanted) continue;
    violations_.push_back("pod " + pod.key.name + " is evicted: budget " + budget.key.name +
                          " has " + std::to_string(healthy) + " healthy ones left, and needs " +
                          std::to_string(wanted));
  }
}

void Invariants::Checkpoint() {
  nodes_.Checkpoint();
  of_ordinals_.Checkpoint();
  jobs_.Checkpoint();
  endpoints_.Checkpoint();
  slices_.Checkpoint();
  for (auto& [uid, set] : sets_) set.replicas.Forget();
  for (auto& [uid, deployment] : deployments_) {
    deployment.replicas.Forget();
    deployment.most.Forget();
    deployment.available.Forget();
  }
}

void Invariants::Finish(const parity::World& world) {
  std::ranges::copy(of_ordinals_.violations(), std::back_inserter(violations_));
  std::set<std::string> present;
  for (const parity::WorldObject& each : world.present) {
    present.insert(parity::TextAtPath(*each.tree, "metadata.uid"));
  }
  for (const parity::WorldObject& each : world.present) {
    const Json* const owners = scenario::FindPath(*each.tree, "metadata.ownerReferences");
    if (owners == nullptr || owners->If<Json::Array>()->empty()) continue;
    const bool owned = std::ranges::any_of(*owners->If<Json::Array>(), [&](const Json& owner) {
      return present.contains(parity::TextAtPath(owner, "uid"));
    });
    if (!owned) violations_.push_back(each.reference.ToString() + " is left, its owners are gone");
  }
}

}  // namespace flyball::faults
