#include "flyball/controllers/job/reconciler.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "flyball/api/label_selector.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/controller_ref_manager.h"
#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/common/pod_writes.h"
#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/job_spec.h"
#include "flyball/controllers/job/new_pods.h"
#include "flyball/controllers/job/pod_release.h"

namespace flyball::controllers::job {
namespace {

using api::ObjectKey;
using batch::v1::Job;
using runtime::Context;
using runtime::EventType;
using runtime::Outcome;

std::vector<PodRef> RefsOf(std::span<const JobPod> pods) {
  std::vector<PodRef> refs;
  refs.reserve(pods.size());
  for (const JobPod& its : pods) refs.push_back(its.ref);
  return refs;
}

/// Moves pods that were told to end from one count to the other.
// PARITY: one that has no node is gone at once and none the less terminating, until it is seen.
void NoteRemoved(std::span<const PodRef> removed, PodCounts& counts) {
  for (const PodRef& pod : removed) {
    --counts.active;
    ++counts.terminating;
    if (common::IsReady(*pod)) --counts.ready;
  }
}

/// In words; empty if there is nothing to do but to look again later.
std::string Words(const TrackingPlan& plan) {
  std::string words;
  if (!plan.release.empty()) words = "count " + std::to_string(plan.release.size()) + " pods";
  if (plan.end) {
    words += (words.empty() ? "" : ", ") + std::string("end as ") + plan.end->type + " (" +
             plan.end->reason + ")";
  } else if (words.empty() && plan.write_first) {
    words = "write the status";
  }
  return words;
}

void LogPlan(const Context& context, const Job& job, const JobSyncState& sync_state,
             const PodsPlan& plan) {
  const auto log = context.log().V(4);
  if (!log) return;
  if (!plan.remove.empty() && IsSuspended(job)) {
    log.Info("Deleting all active pods in suspended job",
             {{"job", api::KObj(job)}, {"active", sync_state.counts.active}});
  } else if (!plan.remove.empty()) {
    log.Info("Too many pods running for job",
             {{"job", api::KObj(job)}, {"deleted", plan.remove.size()}, {"target", plan.wanted}});
  } else if (plan.create > 0) {
    log.Info(
        "Too few pods running",
        {{"key", ObjectKey::Of(job).ToString()}, {"need", plan.wanted}, {"creating", plan.create}});
  }
}

Result<> PutStatus(Context& context, Job& job) {
  FLYBALL_TRY(auto stored, context.UpdateStatus(job));
  job.metadata.resourceVersion = std::move(stored.metadata.resourceVersion);
  return {};
}

}  // namespace

Result<Outcome> Reconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto job = deps_.jobs.Get(key);
  if (!job || IsFinished(*job)) {
    if (!job) context.log().V(4).Info("Job has been deleted", {{"key", key.ToString()}});
    memory_->Gone(key);
    namespace_backoff_->Gone(key);
    return Outcome::Done();
  }
  if (const auto manager = OtherManagerOf(*job)) {
    context.log().V(2).Info(
        "Skip syncing the job as it is managed by an external controller",
        {{"key", key.ToString()}, {"uid", job->metadata.uid}, {"controllerName", *manager}});
    return Outcome::Done();
  }
  if (!HasKnownMode(*job)) {
    context.events().Event(*job, EventType::kWarning, "UnknownCompletionMode",
                           "Skipped Job sync because completion mode is unknown");
    return Outcome::Done();
  }
  if (IsIndexed(*job) && !job->spec.completions) {
    context.log().Info("Skipping sync of Indexed job without spec.completions", {{"job", key}});
    return Outcome::Done();  // no server takes it; until it has another
  }
  const SteadyTime began = deps_.clock.SteadyNow();
  Metrics::Sync sync;
  auto outcome = Sync(context, *job, sync.action);
  sync.failed = !outcome;
  sync.took = deps_.clock.SteadyNow() - began;
  deps_.metrics.Synced(*job, sync);
  return outcome;
}

Result<Outcome> Reconciler::Sync(Context& context, const Job& job, std::string_view& action) const {
  FLYBALL_TRY(std::vector<JobPod> pods, PodsOf(context, job));
  JobSyncState sync_state =
      Assess(job, std::move(pods), memory_->FailuresOf(ObjectKey::Of(job), job.metadata.uid),
             context.now());
  // Kept also where a write is refused: the deadline does not wait for that.
  if (sync_state.deadline_in) context.RequeueAfter(*sync_state.deadline_in);
  const PodSync pod_sync = SyncPods(context, job, sync_state);
  if (pod_sync.wait) context.RequeueAfter(*pod_sync.wait);
  action = pod_sync.action;
  const auto event = Conclude(job, sync_state, pod_sync.rules, context.now());
  const TrackingPlan plan = PlanTracking(job, sync_state, context.now());
  if (std::string words = Words(plan); !words.empty()) context.Decided(std::move(words));
  if (auto tracked = Track(context, job, sync_state, plan, event); !tracked) {
    return std::unexpected(tracked.error().Wrap("tracking status"));
  }
  if (pod_sync.failure) return std::unexpected(*pod_sync.failure);

  if (sync_state.deadline_in) {
    context.log().V(2).Info(
        "Job has activeDeadlineSeconds configuration. Will sync this job again",
        {{"key", ObjectKey::Of(job).ToString()}, {"nextSyncIn", *sync_state.deadline_in}});
  }
  return Outcome::Done();
}

Result<std::vector<JobPod>> Reconciler::PodsOf(Context& context, const Job& job) const {
  const auto selector = api::Selector::FromMessage(job.spec.selector);
  if (!selector) return std::unexpected(selector.error().Wrap("couldn't convert Job selector"));
  std::vector<PodRef> refs = common::ControlledBy(job, deps_.pods);
  std::ranges::move(common::OrphansIn(job.metadata.namespace_, deps_.pods),
                    std::back_inserter(refs));
  FLYBALL_TRY(refs,
              common::ClaimObjects(context, job, *selector, std::move(refs), kTrackingFinalizer));
  std::vector<JobPod> pods;
  pods.reserve(refs.size());
  for (PodRef& pod : refs) {
    const bool adopted = common::ControllerOf(*pod) == nullptr;
    pods.push_back(JobPodOf(std::move(pod), adopted));
  }
  memory_->Correct(ObjectKey::Of(job), job.metadata.uid, pods);
  return pods;
}

Reconciler::PodSync Reconciler::SyncPods(Context& context, const Job& job,
                                         JobSyncState& sync_state) const {
  if (sync_state.end) return EndPods(context, job, sync_state);
  if (job.metadata.deletionTimestamp) return {.rules = {.managed = false}};
  const PodsPlan plan = PlanPods(job, sync_state, context.now());
  if (!plan.remove.empty() || plan.create > 0 || plan.wait) {
    context.Decided(plan.ToString() + ": " + std::to_string(sync_state.counts.active) +
                    " active, " + std::to_string(sync_state.succeeded) + " succeeded, " +
                    std::to_string(sync_state.failed) + " failed");
  }
  const ConcludeRules rules{.stops_the_clock = deps_.options.stops_the_clock};
  LogPlan(context, job, sync_state, plan);
  if (!plan.remove.empty() || IsSuspended(job)) {
    PodSync removed = RemovePods(context, job, plan.remove, sync_state);
    removed.rules = rules;
    return removed;
  }
  if (plan.wait) return {.rules = rules, .action = "pods_created", .wait = plan.wait};
  if (plan.create == 0) return {.rules = rules, .action = "tracking"};
  PodSync created = CreatePods(context, job, plan, sync_state);
  created.rules = rules;
  return created;
}

Reconciler::PodSync Reconciler::EndPods(Context& context, const Job& job,
                                        JobSyncState& sync_state) const {
  if (sync_state.active.empty()) return {.rules = {.managed = false}};
  // Their finalizers go when they are counted.
  const auto deleted =
      common::DeletePods(context, runtime::ReferenceTo(job), RefsOf(sync_state.active));
  NoteRemoved(deleted.removed, sync_state.counts);
  return {.rules = {.managed = false, .pods_remain = deleted.failure.has_value()},
          .failure = deleted.failure};
}

Reconciler::PodSync Reconciler::RemovePods(Context& context, const Job& job,
                                           std::span<const JobPod> pods,
                                           JobSyncState& sync_state) const {
  // They are not to count as failed: so they lose their finalizer before they are told to end.
  std::vector<PodRef> tracked;
  std::vector<PodRef> ready_to_go;
  for (const JobPod& its : pods) (its.tracked ? tracked : ready_to_go).push_back(its.ref);
  const auto released = ReleasePods(context, tracked);
  PodSync pod_sync{.action = "pods_deleted"};
  for (std::size_t i = 0; i < tracked.size(); ++i) {
    if (released[i]) {
      memory_->Released(ObjectKey::Of(job), job.metadata.uid, tracked[i]->metadata.uid);
      ready_to_go.push_back(tracked[i]);
    } else if (!pod_sync.failure) {
      pod_sync.failure = released[i].error();
    }
  }
  const auto deleted = common::DeletePods(context, runtime::ReferenceTo(job), ready_to_go);
  NoteRemoved(deleted.removed, sync_state.counts);
  if (!pod_sync.failure) pod_sync.failure = deleted.failure;
  memory_->Correct(ObjectKey::Of(job), job.metadata.uid, sync_state.pods);
  return pod_sync;
}

Reconciler::PodSync Reconciler::CreatePods(Context& context, const Job& job, const PodsPlan& plan,
                                           JobSyncState& sync_state) const {
  const ObjectKey key = ObjectKey::Of(job);
  PodSync pod_sync{.action = "pods_created"};
  if (const auto wait = namespace_backoff_->Wait(key, job.metadata.uid)) {
    pod_sync.wait = wait;
    return pod_sync;
  }
  const core::v1::ObjectReference about = runtime::ReferenceTo(job);
  const common::PodWrites made =
      IsIndexed(job)
          ? common::CreatePods(context, about, NewPodsOfIndexes(job, sync_state, plan.indexes))
          : common::CreatePods(context, about, NewPod(job), plan.create);
  const bool in_vain = made.failure && common::IsNamespaceTerminating(*made.failure);
  deps_.metrics.Created(job, sync_state, made.created, in_vain ? 0 : made.refused);
  sync_state.counts.active += static_cast<std::int32_t>(made.created);
  if (in_vain) {
    // DIVERGES: upstream takes them for made, and its status says so.
    namespace_backoff_->Refused(key, job.metadata.uid);
    pod_sync.wait = namespace_backoff_->Wait(key, job.metadata.uid);
  } else {
    pod_sync.failure = made.failure;
  }
  return pod_sync;
}

Result<> Reconciler::Track(Context& context, const Job& job, const JobSyncState& sync_state,
                           const TrackingPlan& plan, const std::optional<JobEvent>& event) const {
  const ObjectKey key = ObjectKey::Of(job);
  Job writing = job;
  writing.metadata.managedFields.clear();
  writing.status = plan.status;
  if (plan.write_first) {
    if (auto put = PutStatus(context, writing); !put) {
      memory_->ForgetFailures(key);
      return std::unexpected(put.error().Wrap("adding uncounted pods to status"));
    }
    memory_->Remember(key, job.metadata.uid, sync_state.failures);
    if (event) context.events().Event(job, EventType::kNormal, event->reason, event->message);
    deps_.metrics.Counted(job, job.status, writing.status);
  }
  deps_.metrics.HandledByPolicy(plan.handled);

  const batch::v1::JobStatus before = writing.status;
  Uids tracked = plan.tracked;
  const Result<> released = Release(context, job, plan.release, tracked);
  bool changed = CountReleased(writing.status, tracked);
  const bool finished = released && plan.end && Finish(writing.status, *plan.end, context.now());
  changed = changed || finished;
  if (changed) {
    if (auto put = PutStatus(context, writing); !put) {
      return std::unexpected(put.error().Wrap("removing uncounted pods from status"));
    }
    deps_.metrics.Counted(job, before, writing.status);
    if (finished) TellEnd(context, writing, *plan.end);
  }
  return released;
}

Result<> Reconciler::Release(Context& context, const Job& job, const std::vector<JobPod>& pods,
                             Uids& tracked) const {
  const auto released = ReleasePods(context, RefsOf(pods));
  Result<> all;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (!released[i]) {
      if (all) all = released[i];
      continue;
    }
    const std::string_view uid = pods[i].pod().metadata.uid;
    tracked.erase(uid);
    memory_->Released(ObjectKey::Of(job), job.metadata.uid, uid);
  }
  return all;
}

void Reconciler::TellEnd(Context& context, const Job& job,
                         const batch::v1::JobCondition& end) const {
  memory_->Gone(ObjectKey::Of(job));
  if (end.type == kComplete) {
    if (job.spec.completions && job.status.succeeded > *job.spec.completions) {
      context.events().Event(job, EventType::kWarning, "TooManySucceededPods",
                             "Too many succeeded pods running after completion count reached");
    }
    context.events().Event(job, EventType::kNormal, "Completed", "Job completed");
  } else {
    context.events().Event(job, EventType::kWarning, end.reason, end.message);
  }
  deps_.metrics.Finished(job, end);
}

}  // namespace flyball::controllers::job
