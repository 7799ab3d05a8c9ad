#include "flyball/controllers/endpoint_slice_mirroring/reconciler.h"

#include <chrono>
#include <string>
#include <vector>

#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/common/slice_index.h"

namespace flyball::controllers::endpoint_slice_mirroring {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;

Result<Outcome> Reconciler::operator()(Context& context, const ObjectKey& key) const {
  const SteadyTime start = deps_.clock.SteadyNow();
  const Result<> reconciled = Reconcile(context, key);
  deps_.metrics->Took(std::chrono::duration<double>(deps_.clock.SteadyNow() - start).count());
  FLYBALL_TRY(reconciled);
  return Outcome::Done();
}

Result<> Reconciler::Reconcile(Context& context, const ObjectKey& key) const {
  const auto slices = common::SlicesOf(key, kManager, deps_.slices);
  const auto endpoints = ToMirror(key);
  if (!endpoints) {
    deps_.metrics->Gone(key);
    return CleanUp(context, slices);
  }
  const Plan plan = PlanFor(*endpoints, slices, most_per_subset_);
  deps_.metrics->Planned(key, plan);
  for (const common::PlannedEvent& event : plan.events) {
    context.events().Event(*endpoints, event.type, event.reason, event.message);
  }
  context.Decided(plan.ToString());
  return Write(context, plan.changes);
}

cache::Ref<Endpoints> Reconciler::ToMirror(const ObjectKey& key) const {
  auto endpoints = deps_.endpoints.Get(key);
  if (!endpoints || !MayBeMirrored(*endpoints)) return nullptr;
  const auto service = deps_.services.Get(key);
  if (!service || !IsByHand(*service)) return nullptr;
  return endpoints;
}

Result<> Reconciler::Write(Context& context, const common::SliceChanges& changes) const {
  for (const EndpointSlice& slice : changes.to_create) {
    const auto created = context.Create(slice);
    if (!created && common::IsNamespaceTerminating(created.error())) return {};
    FLYBALL_TRY(created);
    deps_.metrics->Changed("create");
  }
  for (const EndpointSlice& slice : changes.to_update) {
    FLYBALL_TRY(context.Update(slice));
    deps_.metrics->Changed("update");
  }
  for (const SliceRef& slice : changes.to_delete) {
    const auto deleted = context.Delete(*slice);
    // Somebody else was quicker.
    if (!deleted && deleted.error().code() == ErrorCode::kNotFound) continue;
    FLYBALL_TRY(deleted);
    deps_.metrics->Changed("delete");
  }
  return {};
}

Result<> Reconciler::CleanUp(Context& context, const std::vector<SliceRef>& slices) const {
  if (slices.empty()) return {};
  context.Decided("delete " + std::to_string(slices.size()) + " slices: nothing is to be mirrored");
  Result<> all = {};
  for (const SliceRef& slice : slices) {
    auto deleted = context.Delete(*slice);
    if (!deleted && deleted.error().code() != ErrorCode::kNotFound) all = std::move(deleted);
  }
  return all;
}

}  // namespace flyball::controllers::endpoint_slice_mirroring
