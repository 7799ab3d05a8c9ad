#include "flyball/simulation/storage/node_expander.h"

#include "flyball/simulation/node_reconciler.h"
#include "flyball/simulation/storage/driver_deps.h"
#include "flyball/simulation/storage/resize_plan.h"
#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;

Result<Outcome> NodeExpander::operator()(Context& context, const ObjectKey& key) {
  const auto claim = deps_.claims.Get(key);
  if (!claim || !AwaitsNode(*claim)) {
    steps_.Forget(key.ToString());
    return Outcome::Done();
  }
  const auto volume = deps_.volumes.Get({"", claim->spec.volumeName});
  const std::string node = NodeOf(key);
  if (!volume || !IsBoundTo(*volume, *claim) || node.empty()) return Outcome::Done();

  const auto progress = steps_.Advance(key.ToString(), {.delay = options_.expand}, context.now());
  if (progress.state != StepLog::State::kDone)
    return Outcome::RequeueAfter(progress.until - context.now());
  const auto claims = deps_.client_of(node).Of<core::v1::PersistentVolumeClaim>();
  const auto updated = claims.UpdateStatus(Finished(*claim, StorageIn(volume->spec.capacity)));
  if (!updated) {
    context.writes().Failed(claims.resource(), key, updated.error());
    return LookAnew(updated.error());
  }
  context.writes().Stored(claims.resource(), key, updated->metadata.resourceVersion);
  return Outcome::Done();
}

std::string NodeExpander::NodeOf(const ObjectKey& claim) const {
  for (const auto& pod : PodsOfClaim(claim, deps_.pods)) {
    std::string node(pod->spec.nodeName.view());
    if (pod->status.phase != "Running" || deps_.registry.Find(node) == nullptr) continue;
    if (!IsSilent(deps_.registry, node, deps_.nodes.Get({"", node}).get())) return node;
  }
  return {};
}

}  // namespace flyball::simulation
