#include "flyball/controllers/node_lifecycle/reconciler.h"

#include <chrono>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/node_lifecycle/pod_plan.h"
#include "flyball/controllers/node_lifecycle/readiness.h"
#include "flyball/controllers/node_lifecycle/taint_plan.h"

namespace flyball::controllers::node_lifecycle {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;

/// How often a zone is asked whether it is the next one's turn, while nodes wait.
constexpr std::chrono::milliseconds kTurns(100);

/// What is gone needs no change.
Result<> Apply(Context& context, const std::string& node, const NodeChange& change) {
  context.Decided(change.what);
  context.log().V(2).Info("Updating node taints and labels",
                          {{"node", api::KRef("", node)}, {"change", change.what}});
  const auto patched =
      context.Patch<core::v1::Node>({"", node}, client::Patch::Strategic(change.patch));
  if (patched || patched.error().code() == ErrorCode::kNotFound) return {};
  return std::unexpected(patched.error());
}

}  // namespace

Result<Outcome> NodeReconciler::operator()(Context& context, const std::string& name) const {
  const auto node = deps_.nodes.Get({"", name});
  if (!node) return Outcome::Done();
  // DIVERGES: upstream has a patch for each: what is added, what is taken away, and labels.
  const auto change = PlanTaints(*node, deps_.spares_pods(name), context.now());
  if (!change) return Outcome::Done();
  FLYBALL_TRY(Apply(context, name, *change));
  if (HasEvictingTaint(*node) && ReadinessOf(*node) == Readiness::kReady) {
    context.log().V(2).Info("Node is healthy again, removed all taints",
                            {{"node", api::KObj(*node)}});
  }
  return Outcome::Done();
}

Result<Outcome> ZoneReconciler::operator()(Context& context, const std::string& zone) const {
  while (const auto node = deps_.evictions->Next(zone, deps_.clock.SteadyNow())) {
    // A patch that met a conflict waits until the cache shows what it met.
    if (context.AwaitsOwnWrite(client::Resource::Of<core::v1::Node>(), {"", *node})) break;
    const auto cached = deps_.nodes.Get({"", *node});
    if (cached && LacksConditionTaints(*cached)) break;
    if (const auto tainted = Taint(context, zone, *node); !tainted) {
      // Somebody may have changed the node meanwhile. It is still its turn.
      context.log().Error(tainted.error(), "Unable to evict pods from node",
                          {{"node", api::KRef("", *node)}});
      break;
    }
    deps_.evictions->Done(zone, *node);
  }
  return deps_.evictions->Waits(zone) ? Outcome::RequeueAfter(kTurns) : Outcome::Done();
}

Result<> ZoneReconciler::Taint(Context& context, const std::string& zone,
                               const std::string& name) const {
  const auto node = deps_.nodes.Get({"", name});
  const auto change = node ? AddEvictingTaint(*node, context.now()) : std::nullopt;
  if (!change) return {};
  FLYBALL_TRY(Apply(context, name, *change));
  context.log().V(4).Info("Added taint to node",
                          {{"taint", change->what}, {"node", api::KObj(*node)}});
  deps_.tainted.With({zone}).Increment();
  return {};
}

Result<Outcome> PodReconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto pod = pods_.Get(key);
  if (!pod || !health_->IsUnwell(std::string(pod->spec.nodeName))) return Outcome::Done();
  const auto patch = NotReadyPatch(*pod, context.now());
  if (!patch) return Outcome::Done();
  context.Decided("not ready, since its node is not");
  context.log().V(2).Info("Updating ready status of pod to false", {{"pod", key}});
  const auto patched =
      context.Patch<core::v1::Pod>(key, client::Patch::Strategic(*patch), {}, "status");
  if (!patched && patched.error().code() == ErrorCode::kNotFound) return Outcome::Done();
  FLYBALL_TRY(patched);
  context.events().Event(*pod, runtime::EventType::kWarning, "NodeNotReady", "Node is not ready");
  return Outcome::Done();
}

}  // namespace flyball::controllers::node_lifecycle
