#include "flyball/simulation/pod_reconciler.h"

#include <functional>
#include <utility>

#include "flyball/base/saturating.h"
#include "flyball/simulation/node_reconciler.h"

namespace flyball::simulation {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;

/// The pod is gone, or another has come to be called the same.
bool IsTooLate(const Error& error) {
  return error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kConflict;
}

Outcome Until(std::optional<WallTime> next, WallTime now) {
  return next ? Outcome::RequeueAfter(SaturatingSubtract(*next, now)) : Outcome::Done();
}

}  // namespace

Result<Outcome> PodReconciler::operator()(Context& context, const ObjectKey& key) {
  const auto pod = deps_.pods.Get(key);
  if (!pod) {
    Forget(key);
    return Outcome::Done();
  }
  const std::string node_name(pod->spec.nodeName.view());
  const NodeRegistry::Facts* const facts = deps_.registry.Find(node_name);
  if (facts == nullptr) return Outcome::Done();
  const auto node = deps_.nodes.Get({"", node_name});
  if (IsSilent(deps_.registry, node_name, node.get())) return Outcome::Done();

  const WallTime now = context.now();
  Memory& memory = MemoryOf(key, *pod, node.get(), now);
  // Nothing but what was written has changed.
  const bool waits = memory.next && *memory.next > now;
  if (waits && memory.version == pod->metadata.resourceVersion) return Until(memory.next, now);

  SeeToVolumes(context, *pod, node.get(), memory);
  const bool was_over = memory.run.over;
  const PodScript script = ReadScript(context, *pod);
  PodProgress progress = Advance(std::move(memory.run), *pod, script, now);
  memory.run = std::move(progress.run);
  memory.next = progress.next;
  // What was over before this node was simulated here says so already.
  if (!was_over || memory.written != 0) {
    SeeToAddress(*pod, node.get(), memory);
    const auto status =
        StatusOf(*pod, memory.run, script, {.host_ip = facts->address, .pod_ip = memory.address},
                 now, memory.times);
    FLYBALL_TRY(WriteStatus(context, *pod, status, memory));
  }
  if (memory.run.over && pod->metadata.deletionTimestamp) FLYBALL_TRY(Delete(context, *pod));
  return Until(memory.next, now);
}

PodReconciler::Memory& PodReconciler::MemoryOf(const ObjectKey& key, const views::KubeletPod& pod,
                                               const views::KubeletNode* node, WallTime now) {
  std::optional<Memory> before;
  MutexLock lock(mutex_);
  const auto [at, added] = memories_.try_emplace(key);
  Memory& memory = at->second;
  if (!added && memory.uid == pod.metadata.uid) return memory;
  if (!added) before = std::move(memory);
  memory = Memory{.uid = std::string(pod.metadata.uid.view()),
                  .node = std::string(pod.spec.nodeName.view()),
                  .run = Accept(pod, now),
                  .times = ConditionTimes::Of(pod),
                  .address = {}};
  // One that runs has what it needs, whoever saw to that.
  const bool starts = !memory.run.sandbox && !memory.run.over;
  if (deps_.volumes && starts && !ClaimsOf(pod).empty()) memory.run.mounted.reset();
  lock.Unlock();
  if (before) ReleaseAddress(*before);
  if (!pod.status.podIP.empty() && !pod.spec.hostNetwork && !memory.run.over) {
    memory.address = pod.status.podIP.view();
    memory.holds_address = true;
    const std::string_view range = node == nullptr ? "" : node->spec.podCIDR.view();
    deps_.registry.ReserveAddress(memory.node, range, memory.address);
  }
  return memory;
}

void PodReconciler::Forget(const ObjectKey& key) {
  MutexLock lock(mutex_);
  auto forgotten = memories_.extract(key);
  lock.Unlock();
  if (!forgotten.empty()) ReleaseAddress(forgotten.mapped());
}

void PodReconciler::ReleaseAddress(Memory& memory) {
  if (!std::exchange(memory.holds_address, false)) return;
  deps_.registry.ReleaseAddress(memory.node, memory.address);
}

void PodReconciler::SeeToVolumes(Context& context, const views::KubeletPod& pod,
                                 const views::KubeletNode* node, Memory& memory) const {
  if (memory.run.mounted || node == nullptr) return;
  if (const auto obstacle = deps_.volumes->Obstacle(pod, *node)) {
    context.Decided("wait for volumes: " + *obstacle);
  } else {
    memory.run.mounted = context.now();
  }
}

PodScript PodReconciler::ReadScript(const Context& context, const views::KubeletPod& pod) const {
  auto script = ScriptOf(pod, timings_);
  if (script) return *std::move(script);
  context.log().Error(script.error(), "Ignoring invalid pod simulation script",
                      {{"pod", api::KObj(pod)}});
  return {.start = timings_.start,
          .init = timings_.init,
          .ready = timings_.ready,
          .run = timings_.run,
          .stop = timings_.stop};
}

void PodReconciler::SeeToAddress(const views::KubeletPod& pod, const views::KubeletNode* node,
                                 Memory& memory) {
  if (pod.spec.hostNetwork) return;
  if (memory.run.sandbox && memory.address.empty()) {
    const std::string_view range = node == nullptr ? "" : node->spec.podCIDR.view();
    memory.address = deps_.registry.TakeAddress(memory.node, range);
    memory.holds_address = !memory.address.empty();
  }
  // PARITY: a pod that is over still shows the address that it had, and that others may have now.
  if (memory.run.over) ReleaseAddress(memory);
}

Result<> PodReconciler::WriteStatus(Context& context, const views::KubeletPod& pod,
                                    const core::v1::PodStatus& status, Memory& memory) {
  FLYBALL_TRY(const client::Patch patch, StatusPatch(pod, status));
  const std::size_t hash = std::hash<std::string>()(patch.text);
  if (hash == memory.written && !IsAtOdds(pod, status)) return {};
  const auto pods = deps_.client_of(memory.node).Of<core::v1::Pod>();
  const auto patched = pods.Patch(ObjectKey::Of(pod), patch, {}, "status");
  if (!patched) {
    if (IsTooLate(patched.error())) return {};
    context.writes().Failed(pods.resource(), ObjectKey::Of(pod), patched.error());
    return std::unexpected(patched.error());
  }
  context.writes().Stored(pods.resource(), ObjectKey::Of(pod), patched->metadata.resourceVersion);
  memory.written = hash;
  memory.version = patched->metadata.resourceVersion;
  return {};
}

Result<> PodReconciler::Delete(Context& context, const views::KubeletPod& pod) {
  const auto pods = deps_.client_of(std::string(pod.spec.nodeName.view())).Of<core::v1::Pod>();
  meta::v1::DeleteOptions options;
  options.gracePeriodSeconds = 0;
  options.preconditions.emplace().uid = std::string(pod.metadata.uid.view());
  const ObjectKey key = ObjectKey::Of(pod);
  const Result<> deleted = pods.Delete(key, options);
  if (!deleted && !IsTooLate(deleted.error())) return deleted;
  context.writes().Deleted(pods.resource(), key, std::string(pod.metadata.uid.view()));
  return {};
}

std::size_t PodReconciler::size() const {
  MutexLock lock(mutex_);
  return memories_.size();
}

}  // namespace flyball::simulation
