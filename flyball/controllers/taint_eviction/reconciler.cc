#include "flyball/controllers/taint_eviction/reconciler.h"

#include <chrono>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/resource_version.h"

namespace flyball::controllers::taint_eviction {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;
using Action = Plan::Action;

/// PARITY: of a pod nothing but its name.
void Tell(Context& context, const ObjectKey& pod, const std::string& what) {
  core::v1::ObjectReference about;
  about.apiVersion = "v1";
  about.kind = "Pod";
  about.namespace_ = pod.namespace_;
  about.name = pod.name;
  context.events().Event(about, runtime::EventType::kNormal, "TaintManagerEviction",
                         what + " Pod " + pod.namespace_ + "/" + pod.name);
}

/// Whether the server has nothing newer of a node than this. One that is gone does not get newer.
Result<bool> IsCurrent(Context& context, const views::Node& node) {
  const auto live = context.client()
                        .Metadata(client::Resource::Of<core::v1::Node>())
                        .Get({"", std::string(node.metadata.name)});
  if (!live && live.error().code() == ErrorCode::kNotFound) return true;
  FLYBALL_TRY(live);
  const auto order =
      api::CompareResourceVersions(node.metadata.resourceVersion, live->metadata.resourceVersion);
  return !order || *order >= 0;
}

Result<> Delete(Context& context, const views::Pod& pod) {
  if (const auto patch = DisruptionPatch(pod, context.now())) {
    FLYBALL_TRY(context.Patch<core::v1::Pod>(ObjectKey::Of(pod), client::Patch::Strategic(*patch),
                                             {}, "status"));
  }
  return context.Delete(pod);
}

}  // namespace

Metrics Metrics::In(MetricRegistry* registry) {
  if (registry == nullptr) return {};
  return {.deletions =
              registry
                  ->Counters({.name = "taint_eviction_controller_pod_deletions_total",
                              .help = "[ALPHA] Number of pods that the taint eviction controller "
                                      "deleted because they do not tolerate a taint."})
                  .With(),
          .seconds =
              registry
                  ->Histograms({.name = "taint_eviction_controller_pod_deletion_duration_seconds",
                                .help = "[ALPHA] Delay in seconds from the time at which a taint "
                                        "required the deletion of a pod to its deletion."},
                               {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240})
                  .With()};
}

Result<Outcome> PodReconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto pod = deps_.pods.Get(key);
  const auto deadline = deps_.deadlines->Find(key);
  if (!pod) {
    deps_.deadlines->Remove(key);
    if (deadline && !deadline->begun) Tell(context, key, "Cancelling deletion of");
    return Outcome::Done();
  }
  if (pod->spec.nodeName.empty()) return Outcome::Done();
  const auto node = deps_.nodes.Get({"", std::string(pod->spec.nodeName)});
  const SteadyTime now = deps_.clock.SteadyNow();
  const Plan plan =
      PlanFor(*pod, node.get(), deadline ? &*deadline : nullptr, now, deps_.tolerations);
  if (plan.cancelled) Tell(context, key, "Cancelling deletion of");
  if (plan.cancelled && node && !DrivesPodsOut(*node)) {
    context.log().V(4).Info("All taints were removed from the node. Cancelling all evictions...",
                            {{"node", api::KObj(*node)}, {"pod", key}});
  }
  if (plan.action == Action::kNothing) {
    deps_.deadlines->Remove(key);
    if (plan.cancelled) context.Decided(plan.ToString());
    return Outcome::Done();
  }
  context.Decided(plan.ToString());
  deps_.deadlines->Set(key, plan.deadline);
  if (plan.action == Action::kWait) return Outcome::RequeueAfter(plan.deadline.due - now);
  if (!deadline) {
    context.log().V(2).Info("Not all taints are tolerated after update for pod on node",
                            {{"pod", key}, {"node", api::KRef("", pod->spec.nodeName)}});
  }
  return Evict(context, *pod, node.get(), plan.deadline);
}

Result<Outcome> PodReconciler::Evict(Context& context, const views::Pod& pod,
                                     const views::Node* node, Deadline deadline) const {
  constexpr std::chrono::milliseconds kCachesCatchUp(100);
  const ObjectKey key = ObjectKey::Of(pod);
  if (node != nullptr) {
    // DIVERGES: upstream goes by what it last saw of the node.
    FLYBALL_TRY(const bool is_current, IsCurrent(context, *node));
    if (!is_current) return Outcome::RequeueAfter(kCachesCatchUp);
  }
  if (!deadline.begun) {
    Tell(context, key, "Marking for deletion");
    deadline.begun = true;
    deps_.deadlines->Set(key, deadline);
  }
  context.log().Info("Deleting pod", {{"controller", "taint-eviction-controller"},
                                      {"pod", key},
                                      {"node", api::KRef("", pod.spec.nodeName)}});
  // DIVERGES: upstream tries five times within 50 ms, and then leaves the pod where it is.
  const Result<> deleted = Delete(context, pod);
  const bool is_gone = !deleted && deleted.error().code() == ErrorCode::kNotFound;
  if (!deleted && !is_gone) return std::unexpected(deleted.error());
  deps_.deadlines->Remove(key);
  if (is_gone) return Outcome::Done();
  deps_.metrics.deletions.Increment();
  // DIVERGES: upstream's are billions of seconds for each.
  const std::chrono::duration<double> late = deps_.clock.SteadyNow() - deadline.due;
  deps_.metrics.seconds.Observe(late.count());
  return Outcome::Done();
}

}  // namespace flyball::controllers::taint_eviction
