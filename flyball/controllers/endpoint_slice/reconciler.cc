#include "flyball/controllers/endpoint_slice/reconciler.h"

#include <algorithm>
#include <set>
#include <utility>

#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/common/slice_index.h"
#include "flyball/controllers/endpoint_slice/service_slices.h"
#include "flyball/controllers/endpoint_slice/traffic_hints.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using api::ObjectKey;
using common::IpFamily;
using common::PlannedEvent;
using common::SliceRef;
using discovery::v1::EndpointSlice;
using runtime::Context;
using runtime::EventType;
using runtime::Outcome;

std::string WithFamily(const std::string& text, IpFamily family) {
  return text + ", addressType: " + std::string(ToString(family));
}

PlannedEvent HintsDisabled(const std::string& why, IpFamily family) {
  return common::Warning("TopologyAwareHintsDisabled", WithFamily(why, family));
}

void SetTrigger(EndpointSlice& slice, const api::Time& trigger) {
  if (trigger.IsZero()) {
    slice.metadata.annotations.erase(common::kTriggerTimeAnnotation);
  } else {
    slice.metadata.annotations[common::kTriggerTimeAnnotation] = trigger.ToString();
  }
}

std::string OfService(const core::v1::Service& service) {
  return "EndpointSlice for Service " + service.metadata.namespace_ + "/" + service.metadata.name;
}

}  // namespace

class Reconciler::Problems {
 public:
  void Add(const Error& error) {
    if (!first_) first_ = error;
    if (seen_.insert(error.message()).second) texts_.push_back(error.message());
  }

  Result<> AsResult() const {
    if (!first_) return {};
    return std::unexpected(Error(first_->code(), Text()));
  }

 private:
  std::string Text() const {
    if (texts_.size() == 1) return texts_.front();
    std::string text;
    for (const std::string& each : texts_) text += (text.empty() ? "[" : ", ") + each;
    return text + "]";
  }

  std::optional<Error> first_;
  std::vector<std::string> texts_;
  std::set<std::string> seen_;
};

Result<Outcome> Reconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto service = deps_.services.Get(key);
  Result<> synced;
  if (!service) {
    Forget(key);
  } else if (HasSlices(*service)) {
    synced = Sync(context, *service);
  }
  deps_.metrics->Synced(!synced);
  FLYBALL_TRY(synced);
  return Outcome::Done();
}

Result<> Reconciler::Sync(Context& context, const Service& service) const {
  const ObjectKey key = ObjectKey::Of(service);
  const std::vector<IpFamily> families = FamiliesOf(service);
  ServiceState service_state{
      .service = service, .pods = deps_.pods->Of(key), .slices = {}, .node = {}};
  service_state.node = [this](std::string_view name) {
    return deps_.nodes.Get({"", std::string(name)});
  };
  const std::vector<SliceRef> all = common::SlicesOf(key, kManager, deps_.slices);
  const api::Time trigger = deps_.triggers->Next(service, service_state.pods);

  Problems problems;
  std::set<const EndpointSlice*> sorted;
  for (const IpFamily family : families) {
    service_state.slices.clear();
    for (const SliceRef& slice : all) {
      if (slice->addressType != ToString(family)) continue;
      service_state.slices.push_back(slice);
      sorted.insert(slice.get());
    }
    SyncFamily(context, service_state, family, trigger, problems);
  }
  for (const SliceRef& slice : all) {
    if (sorted.contains(slice.get())) continue;
    // The service has no addresses of that family any more.
    for (const IpFamily family : {IpFamily::kV4, IpFamily::kV6}) {
      if (slice->addressType == ToString(family)) deps_.zones->Remove(key, family);
    }
    context.Decided("delete a slice of a family that the service does not have");
    if (const auto deleted = Delete(context, *slice); !deleted) {
      problems.Add(deleted.error().Wrap("error deleting " + slice->metadata.name + " " +
                                        OfService(service)));
    }
  }
  auto result = problems.AsResult();
  if (!result && !context.stop().stop_requested()) {
    context.events().Event(service, EventType::kWarning, "FailedToUpdateEndpointSlices",
                           "Error updating Endpoint Slices for Service " + key.ToString() + ": " +
                               result.error().message());
  }
  return result;
}

void Reconciler::SyncFamily(Context& context, const ServiceState& service_state, IpFamily family,
                            const api::Time& trigger, Problems& problems) const {
  const Service& service = service_state.service;
  PackPlan plan = PlanPacking(service_state, family, deps_.most_in_a_slice);
  for (const std::string& problem : plan.problems) {
    problems.Add(Error(ErrorCode::kNotFound, problem));
  }
  deps_.metrics->Packed(ObjectKey::Of(service), plan);

  const std::vector<PlannedEvent> events = GiveHints(service, family, plan.slices);
  common::SliceChanges& changes = plan.slices.changes;
  RecycleSlices(service, changes);
  for (EndpointSlice& slice : changes.to_create) SetTrigger(slice, trigger);
  for (EndpointSlice& slice : changes.to_update) SetTrigger(slice, trigger);
  if (changes.count() > 0) context.Decided(Describe(plan, changes));
  if (const auto written = Write(context, service, changes); !written) {
    problems.Add(written.error());
  }
  for (const PlannedEvent& event : events) {
    context.events().Event(service, event.type, event.reason, event.message);
  }
}

std::vector<PlannedEvent> Reconciler::GiveHints(const Service& service, IpFamily family,
                                                SliceGroup& slices) const {
  const ObjectKey key = ObjectKey::Of(service);
  const auto distribution = TrafficDistributionOf(service);
  deps_.metrics->Distributes(key, distribution);
  if (WantsZoneHints(service)) return ShareOut(key, family, slices);

  std::vector<PlannedEvent> events;
  if (deps_.zones->Remove(key, family)) {
    events.push_back(HintsDisabled("Topology Aware Hints has been disabled", family));
  }
  if (distribution) {
    GiveTrafficHints(*distribution, slices);
  } else {
    RemoveHints(slices);
  }
  return events;
}

std::vector<PlannedEvent> Reconciler::ShareOut(const ObjectKey& service, IpFamily family,
                                               SliceGroup& slices) const {
  // Aside, since slices that are looked at in vain need not be written.
  SliceGroup shared = slices;
  auto counts = GiveZoneHints(Shares(), shared);
  if (!counts) {
    deps_.zones->Remove(service, family);
    RemoveHints(slices);
    return {HintsDisabled(counts.error().message(), family)};
  }
  slices = std::move(shared);
  if (!deps_.zones->Put(service, family, *std::move(counts))) return {};
  return {common::Normal("TopologyAwareHintsEnabled",
                         WithFamily("Topology Aware Hints has been enabled", family))};
}

ZoneShares Reconciler::Shares() const {
  ZoneShares shares = deps_.zones->shares();
  if (!shares || !shares->empty()) return shares;
  // We have only just begun, and they may not have been counted yet.
  // DIVERGES: upstream's may then take hints for impossible, and take away those that there are.
  const auto nodes = deps_.nodes.List();
  return nodes.empty() ? shares : SharesOf(nodes);
}

Result<> Reconciler::Write(Context& context, const Service& service,
                           const common::SliceChanges& changes) const {
  // What is made for a service that is on its way out would be in the way of those who clear up.
  if (!service.metadata.deletionTimestamp) {
    for (const EndpointSlice& slice : changes.to_create) {
      const auto created = Create(context, slice);
      if (created) continue;
      if (common::IsNamespaceTerminating(created.error())) return {};
      return std::unexpected(created.error().Wrap("failed to create " + OfService(service)));
    }
  }
  for (const EndpointSlice& slice : changes.to_update) {
    if (const auto updated = Update(context, slice); !updated) {
      return std::unexpected(updated.error().Wrap("failed to update " + slice.metadata.name + " " +
                                                  OfService(service)));
    }
  }
  for (const SliceRef& slice : changes.to_delete) {
    if (const auto deleted = Delete(context, *slice); !deleted) {
      return std::unexpected(deleted.error().Wrap("failed to delete " + slice->metadata.name + " " +
                                                  OfService(service)));
    }
  }
  deps_.metrics->ChangedInAll(WantsZoneHints(service),
                              TrafficDistributionOf(service).value_or(std::string_view()),
                              changes.count());
  return {};
}

Result<> Reconciler::Create(Context& context, const EndpointSlice& slice) const {
  FLYBALL_TRY(const auto created, context.Create(slice));
  deps_.own_slices->Wrote(created.metadata.uid, created.metadata.generation);
  deps_.metrics->Changed("create");
  return {};
}

Result<> Reconciler::Update(Context& context, const EndpointSlice& slice) const {
  deps_.own_slices->WillUpdate(slice);
  const auto updated = context.Update(slice);
  if (!updated) {
    deps_.own_slices->DidNotWrite(slice);
    return std::unexpected(updated.error());
  }
  deps_.own_slices->Wrote(updated->metadata.uid, updated->metadata.generation);
  deps_.metrics->Changed("update");
  return {};
}

Result<> Reconciler::Delete(Context& context, const EndpointSlice& slice) const {
  deps_.own_slices->WillDelete(slice);
  const auto deleted = context.Delete(slice);
  // DIVERGES: upstream tries again, and complains, when somebody else was quicker.
  if (!deleted && deleted.error().code() != ErrorCode::kNotFound) {
    deps_.own_slices->DidNotWrite(slice);
    return std::unexpected(deleted.error());
  }
  deps_.metrics->Changed("delete");
  return {};
}

void Reconciler::Forget(const ObjectKey& service) const {
  deps_.triggers->Forget(service);
  deps_.metrics->Forget(service);
  deps_.zones->Forget(service);
}

}  // namespace flyball::controllers::endpoint_slice
