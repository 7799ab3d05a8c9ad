#include "flyball/controllers/job/pod_handler.h"

#include <string>

#include "flyball/api/label_selector.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/job/conditions.h"
#include "flyball/controllers/job/job_pod.h"

namespace flyball::controllers::job {
namespace {

using api::ObjectKey;
using batch::v1::Job;
using views::Pod;

/// It has ended, and has the finalizer.
bool Waits(const Pod& pod) {
  return (pod.status.phase == "Failed" || HasSucceeded(pod)) && HasTrackingFinalizer(pod);
}

bool SameController(const Pod& a, const Pod& b) {
  const auto* const of_a = common::ControllerOf(a);
  const auto* const of_b = common::ControllerOf(b);
  if (of_a == nullptr || of_b == nullptr) return of_a == of_b;
  return of_a->uid == of_b->uid && of_a->kind == of_b->kind && of_a->name == of_b->name;
}

}  // namespace

void PodHandler::Added(const Pod& pod) const {
  if (Waits(pod)) deps_.metrics.PodWaits(true);
  if (pod.metadata.deletionTimestamp) return Ends(pod);
  if (common::ControllerOf(pod) != nullptr) return AddJobOf(pod);
  if (HasTrackingFinalizer(pod)) deps_.add_orphan(pod);
  EnqueueMatchingOwners(pod);
}

void PodHandler::Updated(const Pod& old, const Pod& pod) const {
  if (Waits(old) != Waits(pod)) deps_.metrics.PodWaits(Waits(pod));
  if (old.metadata.resourceVersion == pod.metadata.resourceVersion) return;  // a resync
  if (pod.metadata.deletionTimestamp) return Ends(pod);
  const bool other_controller = !SameController(old, pod);
  if (other_controller) AddJobOf(old);
  if (common::ControllerOf(pod) != nullptr) return AddJobOf(pod);
  if (HasTrackingFinalizer(pod)) deps_.add_orphan(pod);
  if (other_controller || old.metadata.labels != pod.metadata.labels) EnqueueMatchingOwners(pod);
}

void PodHandler::Deleted(const Pod& pod) const {
  if (Waits(pod)) deps_.metrics.PodWaits(false);
  Ends(pod);
}

void PodHandler::Ends(const Pod& pod) const {
  const auto job = JobOf(pod);
  if (job && !IsFinished(*job)) return deps_.add_job(ObjectKey::Of(*job));
  // Nobody counts it any more.
  if (HasTrackingFinalizer(pod)) deps_.add_orphan(pod);
}

cache::Ref<Job> PodHandler::JobOf(const Pod& pod) const {
  const auto* const owner = common::ControllerOf(pod);
  if (owner == nullptr || owner->kind != Job::kType.name) return nullptr;
  auto job = deps_.jobs.Get({std::string(pod.metadata.namespace_), std::string(owner->name)});
  return job && owner->uid == job->metadata.uid ? job : nullptr;
}

void PodHandler::AddJobOf(const Pod& pod) const {
  if (const auto job = JobOf(pod)) deps_.add_job(ObjectKey::Of(*job));
}

void PodHandler::EnqueueMatchingOwners(const Pod& pod) const {
  if (pod.metadata.labels.empty()) return;
  for (const auto& job : deps_.jobs.InNamespace(pod.metadata.namespace_)) {
    const auto selector = api::Selector::FromMessage(job->spec.selector);
    if (selector && selector->Matches(pod.metadata.labels)) deps_.add_job(ObjectKey::Of(*job));
  }
}

}  // namespace flyball::controllers::job
