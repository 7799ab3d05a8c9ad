#include "flyball/controllers/daemon_set/reconciler.h"

#include <algorithm>
#include <iterator>

#include "flyball/api/label_selector.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/controller_ref_manager.h"
#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/common/require_readable.h"
#include "flyball/controllers/common/status_write.h"
#include "flyball/controllers/daemon_set/daemon_status.h"
#include "flyball/controllers/daemon_set/rolling_plan.h"

namespace flyball::controllers::daemon_set {
namespace {

using api::ObjectKey;
using apps::v1::DaemonSet;
using runtime::Context;
using runtime::EventType;
using runtime::Outcome;
using std::chrono::nanoseconds;
using Wait = std::optional<nanoseconds>;

void Sooner(Wait& again, const Wait& wait) {
  if (wait) again = std::min(again.value_or(*wait), *wait);
}

template <typename T>
std::span<const T> Burst(const std::vector<T>& all) {
  return std::span<const T>(all).first(std::min(all.size(), kBurst));
}

}  // namespace

Result<Outcome> Reconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto set = deps_.sets.Get(key);
  if (!set) {
    context.log().V(3).Info("Daemon set has been deleted", {{"daemonset", key}});
    namespace_backoff_->Gone(key);
    return Outcome::Done();
  }
  if (set->spec.selector && *set->spec.selector == meta::v1::LabelSelector()) {
    context.events().Event(
        *set, EventType::kWarning, "SelectingAll",
        "This daemon set is selecting all pods. A non-empty selector is required.");
    return Outcome::Done();
  }
  // Its revisions go, or lose it, in no order that could be relied on: there is no telling which of
  // its pods are up to date.
  if (set->metadata.deletionTimestamp) return Outcome::Done();

  const auto selector = api::Selector::FromMessage(set->spec.selector);
  if (!selector) {
    return std::unexpected(selector.error().Wrap("failed to construct revisions of DaemonSet"));
  }
  FLYBALL_TRY(auto revisions, common::ClaimRevisions(context, *set, *selector, deps_.revisions));
  FLYBALL_TRY(const std::vector<PodRef> pods, ClaimPods(context, *set, *selector));
  FLYBALL_TRY(common::RequireReadable(pods));
  auto history = KeepHistory(context, *set, std::move(revisions), pods);
  if (!history) {
    if (!common::IsNamespaceTerminating(history.error())) {
      return std::unexpected(history.error().Wrap("failed to construct revisions of DaemonSet"));
    }
    return Outcome::RequeueAfter(common::TerminatingNamespaceBackoff::kRetryAfter);
  }

  // DIVERGES: upstream goes on with what its cache says, and may replace pods that it has just
  // called up to date.
  if (history->relabelled) return Outcome::Done();

  const Observed observed{.set = *set,
                          .nodes = FitNodes(*set),
                          .pods = ByNode(pods),
                          .template_revision = {history->hash, TemplateGenerationOf(*set)},
                          .now = context.now()};
  Wait again = common::NextAvailable(pods, set->spec.minReadySeconds, context.now());
  const Result<> updated = Update(context, observed, *std::move(history), pods, again);
  // Kept also where a write was refused: pods become available all the same.
  if (again) context.RequeueAfter(*again);
  // Also where that failed, so that people see how far it got.
  const Result<> told = common::WriteStatus(context, *set, StatusOf(observed));
  FLYBALL_TRY(updated);
  FLYBALL_TRY(told);

  Sooner(again, namespace_backoff_->Wait(key, set->metadata.uid));
  return again ? Outcome::RequeueAfter(*again) : Outcome::Done();
}

Result<> Reconciler::Update(Context& context, const Observed& observed, History history,
                            std::span<const PodRef> pods, Wait& again) const {
  const DaemonSet& set = observed.set;
  const Plan plan =
      PlanPods(observed, [&](std::string_view node) { return deps_.backoff->Wait(set, node); });
  for (const Event& event : plan.events) {
    context.events().Event(set, event.type, event.reason, event.message);
  }
  Sooner(again, plan.requeue_after);
  for (const std::string& node : plan.failed_on) {
    deps_.backoff->Removed(set, node);
    // Another one on the same node has to wait from now on.
    if (plan.requeue_after) Sooner(again, deps_.backoff->Wait(set, node));
  }
  FLYBALL_TRY(CarryOut(context, observed, plan, ""));

  // What was made and removed changes what may be: the next reconcile sees that.
  if (!plan.Acts() && set.spec.updateStrategy.type == kRollingUpdate) {
    FLYBALL_TRY(const Plan rolling, PlanRolling(observed));
    FLYBALL_TRY(CarryOut(context, observed, rolling, " for " + observed.template_revision.hash));
  }

  const auto dropped =
      common::DeleteRevisions(context, RevisionsToDrop(set, std::move(history.old), pods));
  if (!dropped) {
    return std::unexpected(dropped.error().Wrap("failed to clean up revisions of DaemonSet"));
  }
  return {};
}

Result<> Reconciler::CarryOut(Context& context, const Observed& observed, const Plan& plan,
                              std::string_view why) const {
  if (!plan.Acts()) return {};
  const DaemonSet& set = observed.set;
  const ObjectKey key = ObjectKey::Of(set);
  context.Decided(plan.ToString() + std::string(why));
  context.log().V(4).Info("Nodes needing daemon pods for daemon set, creating",
                          {{"daemonset", key},
                           {"needCount", plan.create.size()},
                           {"createCount", Burst(plan.create).size()}});
  context.log().V(4).Info("Pods to delete for daemon set, deleting",
                          {{"daemonset", key},
                           {"toDeleteCount", plan.remove.size()},
                           {"deleteCount", Burst(plan.remove).size()}});
  const core::v1::ObjectReference about = runtime::ReferenceTo(set);
  std::optional<Error> failure;
  if (!plan.create.empty() && !namespace_backoff_->Wait(key, set.metadata.uid)) {
    const core::v1::Pod pod = DaemonPod(set, observed.template_revision);
    const auto nodes = Burst(plan.create);
    failure = common::CreatePods(context, about, nodes.size(), [&](std::size_t index) {
                return BoundTo(pod, nodes[index]);
              }).failure;
    if (failure && common::IsNamespaceTerminating(*failure)) {
      namespace_backoff_->Refused(key, set.metadata.uid);
      failure.reset();
    }
  }
  // Whether or not all could be made: pods that go may make room for others.
  if (!plan.remove.empty()) {
    auto removal = common::DeletePods(context, about, Burst(plan.remove)).failure;
    if (!failure) failure = std::move(removal);
  }
  if (failure) return std::unexpected(*std::move(failure));
  return {};
}

Result<std::vector<PodRef>> Reconciler::ClaimPods(Context& context, const DaemonSet& set,
                                                  const api::Selector& selector) const {
  std::vector<PodRef> pods = common::ControlledBy(set, deps_.pods);
  std::ranges::move(common::OrphansIn(set.metadata.namespace_, deps_.pods),
                    std::back_inserter(pods));
  return common::ClaimObjects(context, set, selector, std::move(pods));
}

std::vector<FittedNode> Reconciler::FitNodes(const DaemonSet& set) const {
  const NodeFitness fitness(set, deps_.tolerations);
  std::vector<FittedNode> nodes;
  for (const auto& node : deps_.nodes.List()) {
    nodes.push_back({std::string(node->metadata.name), fitness.Of(*node)});
  }
  std::ranges::sort(nodes, {}, &FittedNode::name);
  return nodes;
}

}  // namespace flyball::controllers::daemon_set
