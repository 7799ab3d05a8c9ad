#include "flyball/simulation/scheduler.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/json.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/base/mutex.h"
#include "flyball/simulation/node_table.h"
#include "flyball/simulation/scheduling_queue.h"
#include "flyball/simulation/storage/pod_volumes.h"
#include "flyball/simulation/storage/scheduler_volumes.h"
#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {
namespace {

using api::Json;
using api::ObjectKey;
using runtime::Context;
using runtime::EventType;
using runtime::Outcome;
using PodRef = cache::Ref<views::KubeletPod>;
using NodeRef = cache::Ref<views::KubeletNode>;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using storage::v1::StorageClass;

// PARITY: for so long volumes are waited for.
constexpr std::chrono::nanoseconds kBindTimeout = std::chrono::minutes(10);
// PARITY: and looked at so often, also if nobody says that they have changed.
constexpr std::chrono::nanoseconds kLookAtVolumesEvery = std::chrono::seconds(1);
// PARITY: what events may have room for.
constexpr std::size_t kLongestNote = 1024;

bool IsOver(const views::KubeletPod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// Whether a node is such now that pods might fit on it that did not before.
bool MayHelp(const views::KubeletNode& old, const views::KubeletNode& now) {
  const auto same_taint = [](const auto& a, const auto& b) {
    return a.key == b.key && a.value == b.value && a.effect == b.effect;
  };
  return old.spec.unschedulable != now.spec.unschedulable ||
         old.metadata.labels != now.metadata.labels ||
         old.status.allocatable != now.status.allocatable ||
         !std::ranges::equal(old.spec.taints, now.spec.taints, same_taint);
}

std::string Shortened(std::string message) {
  if (message.size() > kLongestNote) message = message.substr(0, kLongestNote - 4) + " ...";
  return message;
}

/// The condition that a pod has no node, and why; nothing where the pod says so already.
std::optional<client::Patch> UnschedulablePatch(const views::KubeletPod& pod,
                                                const std::string& problem, WallTime now) {
  const auto& conditions = pod.status.conditions;
  const auto shown = std::ranges::find_if(
      conditions, [](const auto& condition) { return condition.type == "PodScheduled"; });
  core::v1::PodCondition condition;
  condition.type = "PodScheduled";
  condition.status = "False";
  condition.reason = "Unschedulable";
  condition.message = problem;
  condition.observedGeneration = pod.metadata.generation;
  condition.lastTransitionTime = api::Time(now);
  if (shown != conditions.end() && shown->status == "False") {
    condition.lastTransitionTime = shown->lastTransitionTime;
    const auto rare = api::DecodeProtobuf<core::v1::PodCondition>(shown->rare.view());
    if (rare && rare->message == problem && shown->reason == condition.reason) return std::nullopt;
  }
  Json::Object metadata;
  metadata["uid"] = pod.metadata.uid.view();
  Json::Object status;
  status["conditions"] = Json::Array{*api::ToJson(condition)};
  Json::Object patch;
  patch["metadata"] = std::move(metadata);
  patch["status"] = std::move(status);
  return client::Patch::Strategic(std::move(patch));
}

/// What is decided about all pods, by one task, and carried out by several.
class Scheduler {
 public:
  /// `volumes` is null if they are not looked at.
  Scheduler(SchedulerOptions options, Clock& clock, cache::Lister<views::KubeletPod> pods,
            std::unique_ptr<SchedulerVolumes> volumes)
      : options_(std::move(options)),
        clock_(clock),
        pods_(std::move(pods)),
        volumes_(std::move(volumes)) {}

  /// What the queues of the controller are; before anything else.
  void Connect(runtime::ReconcileQueue<std::string>& turns,
               runtime::ReconcileQueue<ObjectKey>& decided) {
    turns_ = &turns;
    decided_ = &decided;
  }

  void NodeIs(const NodeRef& old, const NodeRef& now) {
    MutexLock lock(mutex_);
    table_.PutNode(now);
    if (old && !MayHelp(*old, *now)) return;
    LookAgain();
  }
  void NodeIsGone(const NodeRef& last) {
    MutexLock lock(mutex_);
    table_.RemoveNode(last->metadata.name);
  }

  void PodIs(const PodRef& pod) {
    MutexLock lock(mutex_);
    const std::string_view uid = pod->metadata.uid;
    if (IsOver(*pod)) return PodLeaves(*pod);
    if (!pod->spec.nodeName.empty()) {
      queue_.Remove(ObjectKey::Of(*pod));
      // What it takes was reckoned when it was given to the node, if that was here.
      if (table_.NodeOf(uid) != pod->spec.nodeName.view()) {
        table_.PutPod(uid, pod->spec.nodeName, PodFootprint::Of(*pod));
      }
      return;
    }
    if (!table_.NodeOf(uid).empty()) return;  // on its way there
    const bool waits = pod->spec.schedulerName == options_.name &&
                       pod->spec.schedulingGates.empty() && !pod->metadata.deletionTimestamp;
    if (!waits) return queue_.Remove(ObjectKey::Of(*pod));
    queue_.Put(pod);
    Wake();
  }
  void PodIsGone(const PodRef& last) {
    MutexLock lock(mutex_);
    PodLeaves(*last);
  }

  /// A claim has changed: pods may go on that were promised its volume, or be worth another look.
  void ClaimIs(const ObjectKey& claim) {
    MutexLock lock(mutex_);
    const auto pods = PodsOfClaim(claim, pods_);
    for (const PodRef& pod : pods) {
      const bool on_its_way =
          pod->spec.nodeName.empty() && !table_.NodeOf(pod->metadata.uid).empty();
      if (on_its_way) decided_->Add(ObjectKey::Of(*pod));
    }
    if (!pods.empty()) LookAgain();
  }
  /// There is another volume, or class, or it is another than it was.
  void StorageIs() {
    MutexLock lock(mutex_);
    LookAgain();
  }

  /// Decides about all pods whose turn it is.
  Result<Outcome> TakeTurns(Context& context) {
    while (!context.stop().stop_requested()) {
      MutexLock lock(mutex_);
      const SteadyTime now = clock_.SteadyNow();
      const PodRef pod = queue_.Pop(now);
      if (pod) {
        Decide(pod, now);
        continue;
      }
      const auto due = queue_.NextDue();
      return due ? Outcome::RequeueAfter(*due - now) : Outcome::Done();
    }
    return Outcome::Done();
  }

  /// Carries out what was decided about a pod.
  Result<Outcome> CarryOut(Context& context, const ObjectKey& key) {
    std::optional<Decision> decision;
    {
      MutexLock lock(mutex_);
      auto taken = decisions_.extract(key);
      if (!taken.empty()) decision = std::move(taken.mapped());
    }
    if (!decision) return Outcome::Done();
    if (decision->placement.node.empty()) {
      auto refused = Refuse(context, key, *decision);
      if (refused) return refused;
      // It is tried again, unless something else has been decided by then.
      MutexLock lock(mutex_);
      decisions_.try_emplace(key, *std::move(decision));
      return refused;
    }
    const auto ready = VolumesAreReady(context, *decision);
    if (ready && !*ready) return WaitForVolumes(key, *decision);
    const Result<> bound = ready ? Bind(context, key, *decision) : std::unexpected(ready.error());
    if (volumes_) volumes_->Settle(key);
    if (bound) return Outcome::Done();
    context.log().Error(bound.error(), "Failed to bind pod",
                        {{"pod", key}, {"node", api::KRef("", decision->placement.node)}});
    BindingFailed(key, decision->pod->metadata.uid);
    return Outcome::Done();
  }

 private:
  struct Decision {
    PodRef pod;
    Placement placement;
    VolumeChoice volumes = {};
    bool written = false;   ///< what was chosen of volumes
    SteadyTime until = {};  ///< for how long they are waited for
  };

  void Wake() FLYBALL_REQUIRES(mutex_) { turns_->Add("turn"); }

  void LookAgain() FLYBALL_REQUIRES(mutex_) {
    queue_.LookAgain(clock_.SteadyNow());
    Wake();
  }

  void PodLeaves(const views::KubeletPod& pod) FLYBALL_REQUIRES(mutex_) {
    const ObjectKey key = ObjectKey::Of(pod);
    queue_.Remove(key);
    const auto decision = decisions_.find(key);
    if (decision != decisions_.end() && decision->second.pod->metadata.uid == pod.metadata.uid) {
      decisions_.erase(decision);
    }
    if (volumes_) volumes_->Settle(key);
    if (table_.RemovePod(pod.metadata.uid)) LookAgain();
  }

  void Decide(const PodRef& pod, SteadyTime now) FLYBALL_REQUIRES(mutex_) {
    ObjectKey key = ObjectKey::Of(*pod);
    PodNeeds needs = PodNeeds::Of(pod);
    if (volumes_) needs.volumes = volumes_->NeedsOf(*pod);
    Decision decision{.pod = pod, .placement = table_.Place(needs)};
    const std::string& node = decision.placement.node;
    if (node.empty()) {
      queue_.PutAside(pod, now);
    } else {
      table_.PutPod(pod->metadata.uid, node, std::move(needs.footprint));
    }
    if (!node.empty() && needs.volumes && !needs.volumes->delayed.empty()) {
      decision.volumes = ChooseVolumes(*needs.volumes, *table_.Find(node)->node);
      decision.until = now + kBindTimeout;
      volumes_->Promise(key, decision.volumes, node);
    }
    decisions_.insert_or_assign(key, std::move(decision));
    decided_->Add(key);
  }

  /// Writes what was chosen of volumes, and looks whether all of it has come about.
  Result<bool> VolumesAreReady(Context& context, Decision& decision) const {
    if (!volumes_ || decision.until == SteadyTime()) return true;
    const std::string& node = decision.placement.node;
    if (!std::exchange(decision.written, true)) {
      FLYBALL_TRY(volumes_->Write(context, decision.volumes, node));
      return false;  // the caches do not show it before this has ended
    }
    auto bound = volumes_->AreBound(decision.volumes, node);
    if (bound && !*bound && clock_.SteadyNow() >= decision.until) {
      return Fail(ErrorCode::kTimeout, "timed out waiting for the condition");
    }
    if (bound) return bound;
    return std::unexpected(bound.error().Wrap("binding volumes"));
  }

  Outcome WaitForVolumes(const ObjectKey& key, const Decision& decision) {
    MutexLock lock(mutex_);
    if (table_.NodeOf(decision.pod->metadata.uid).empty()) {
      volumes_->Settle(key);  // the pod has left meanwhile
      return Outcome::Done();
    }
    decisions_.try_emplace(key, decision);
    return Outcome::RequeueAfter(kLookAtVolumesEvery);
  }

  Result<> Bind(Context& context, const ObjectKey& key, const Decision& decision) const {
    core::v1::Binding binding;
    binding.metadata.namespace_ = key.namespace_;
    binding.metadata.name = key.name;
    binding.metadata.uid = decision.pod->metadata.uid.view();
    binding.target.kind = "Node";
    binding.target.name = decision.placement.node;
    FLYBALL_TRY(context.client().Bind(binding));
    if (options_.events != nullptr) {
      options_.events->Event(*decision.pod, EventType::kNormal, "Scheduled", "Binding",
                             "Successfully assigned " + key.namespace_ + "/" + key.name + " to " +
                                 decision.placement.node);
    }
    return {};
  }

  /// The pod is on no node after all, unless the cache shows that it is.
  void BindingFailed(const ObjectKey& key, std::string_view uid) {
    PodRef pod = pods_.Get(key);
    MutexLock lock(mutex_);
    const bool same = pod && pod->metadata.uid == uid;
    if (same && !pod->spec.nodeName.empty()) return;
    table_.RemovePod(uid);
    const SteadyTime now = clock_.SteadyNow();
    if (same) queue_.PutAside(std::move(pod), now);
    queue_.LookAgain(now);
    Wake();
  }

  Result<Outcome> Refuse(Context& context, const ObjectKey& key, const Decision& decision) const {
    const std::string& problem = decision.placement.problem;
    if (options_.events != nullptr) {
      options_.events->Event(*decision.pod, EventType::kWarning, "FailedScheduling", "Scheduling",
                             Shortened(problem));
    }
    const auto patch = UnschedulablePatch(*decision.pod, problem, context.now());
    if (!patch) return Outcome::Done();
    const auto patched = context.Patch<core::v1::Pod>(key, *patch, {}, "status");
    // Gone, or another of that name: it does not matter any more.
    const bool gone = !patched && (patched.error().code() == ErrorCode::kNotFound ||
                                   patched.error().code() == ErrorCode::kConflict);
    if (!gone) FLYBALL_TRY(patched);
    return Outcome::Done();
  }

  const SchedulerOptions options_;
  Clock& clock_;
  const cache::Lister<views::KubeletPod> pods_;
  const std::unique_ptr<SchedulerVolumes> volumes_;
  runtime::ReconcileQueue<std::string>* turns_ = nullptr;
  runtime::ReconcileQueue<ObjectKey>* decided_ = nullptr;

  Mutex mutex_;
  NodeTable table_ FLYBALL_GUARDED_BY(mutex_);
  SchedulingQueue queue_ FLYBALL_GUARDED_BY(mutex_);
  std::unordered_map<ObjectKey, Decision> decisions_ FLYBALL_GUARDED_BY(mutex_);
};

void WatchStorage(runtime::Controller& controller, cache::InformerFactory& informers,
                  const std::shared_ptr<Scheduler>& scheduler) {
  const auto claim_is = [scheduler](const auto& claim) {
    scheduler->ClaimIs(ObjectKey::Of(*claim));
  };
  controller.On<PersistentVolumeClaim>(
      informers.Of<PersistentVolumeClaim>(),
      {.added = [claim_is](const auto& claim, bool) { claim_is(claim); },
       .updated = [claim_is](const auto&, const auto& claim) { claim_is(claim); },
       .deleted = [claim_is](const auto& claim, bool) { claim_is(claim); }});
  controller.On<PersistentVolume>(
      informers.Of<PersistentVolume>(),
      {.added = [scheduler](const auto&, bool) { scheduler->StorageIs(); },
       .updated =
           [scheduler](const auto& old, const auto& volume) {
             if (old->status.phase != volume->status.phase) scheduler->StorageIs();
           }});
  controller.On<StorageClass>(
      informers.Of<StorageClass>(),
      {.added = [scheduler](const auto&, bool) { scheduler->StorageIs(); }});
}

}  // namespace

std::unique_ptr<runtime::Controller> MakeScheduler(const runtime::Controller::Deps& deps,
                                                   const SchedulerOptions& options) {
  auto controller = std::make_unique<runtime::Controller>("scheduler", deps);
  const auto pods = controller->Reads<views::KubeletPod>();
  const auto nodes = controller->Reads<views::KubeletNode>();
  std::unique_ptr<SchedulerVolumes> volumes;
  if (options.volumes) {
    IndexByClaim(pods);
    volumes = std::make_unique<SchedulerVolumes>(
        SchedulerVolumes::Deps{controller->Reads<PersistentVolumeClaim>().lister(),
                               controller->Reads<PersistentVolume>().lister(),
                               controller->Reads<StorageClass>().lister()});
  }
  const auto scheduler = std::make_shared<Scheduler>(options, deps.executor.clock(), pods.lister(),
                                                     std::move(volumes));
  // One decides at a time, of all pods: the key means nothing.
  auto& turns = controller->AddQueue<std::string>(
      {.name = "scheduler_turns"},
      [scheduler](Context& context, const std::string&) { return scheduler->TakeTurns(context); });
  auto& decided = controller->AddQueue<>({.name = "scheduler_decided", .workers = options.writers},
                                         [scheduler](Context& context, const ObjectKey& key) {
                                           return scheduler->CarryOut(context, key);
                                         });
  scheduler->Connect(turns, decided);

  controller->On<views::KubeletNode>(
      nodes, {.added = [scheduler](const NodeRef& now, bool) { scheduler->NodeIs(nullptr, now); },
              .updated = [scheduler](const NodeRef& old,
                                     const NodeRef& now) { scheduler->NodeIs(old, now); },
              .deleted = [scheduler](const NodeRef& last, bool) { scheduler->NodeIsGone(last); }});
  controller->On<views::KubeletPod>(
      pods, {.added = [scheduler](const PodRef& pod, bool) { scheduler->PodIs(pod); },
             .updated = [scheduler](const PodRef&, const PodRef& pod) { scheduler->PodIs(pod); },
             .deleted = [scheduler](const PodRef& last, bool) { scheduler->PodIsGone(last); }});
  if (options.volumes) WatchStorage(*controller, deps.informers, scheduler);
  return controller;
}

}  // namespace flyball::simulation
