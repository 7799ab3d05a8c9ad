#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/time.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/pods_of_services.h"
#include "flyball/controllers/common/trigger_times.h"
#include "flyball/controllers/endpoint_slice/metrics.h"
#include "flyball/controllers/endpoint_slice/own_slices.h"
#include "flyball/controllers/endpoint_slice/plan.h"
#include "flyball/controllers/endpoint_slice/zone_book.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::endpoint_slice {

/// Keeps the slices of a service. What it deletes comes last, so that no endpoint is missed while
/// it moves. Any thread.
class Reconciler {
 public:
  struct Deps {
    cache::Lister<core::v1::Service> services;
    cache::Lister<discovery::v1::EndpointSlice> slices;
    cache::Lister<views::Node> nodes;
    std::shared_ptr<const common::PodsOfServices> pods;
    std::shared_ptr<common::TriggerTimes> triggers;
    std::shared_ptr<ZoneBook> zones;
    std::shared_ptr<OwnSlices> own_slices;
    std::shared_ptr<Metrics> metrics;
    std::size_t most_in_a_slice = 100;
  };
  explicit Reconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  using Service = core::v1::Service;
  /// What went wrong with some of a service's slices.
  class Problems;

  Result<> Sync(runtime::Context& context, const Service& service) const;
  void SyncFamily(runtime::Context& context, const ServiceState& service_state,
                  common::IpFamily family, const api::Time& trigger, Problems& problems) const;
  std::vector<common::PlannedEvent> GiveHints(const Service& service, common::IpFamily family,
                                              SliceGroup& slices) const;
  std::vector<common::PlannedEvent> ShareOut(const api::ObjectKey& service, common::IpFamily family,
                                             SliceGroup& slices) const;
  ZoneShares Shares() const;
  Result<> Write(runtime::Context& context, const Service& service,
                 const common::SliceChanges& changes) const;
  Result<> Create(runtime::Context& context, const discovery::v1::EndpointSlice& slice) const;
  Result<> Update(runtime::Context& context, const discovery::v1::EndpointSlice& slice) const;
  Result<> Delete(runtime::Context& context, const discovery::v1::EndpointSlice& slice) const;
  void Forget(const api::ObjectKey& service) const;

  const Deps deps_;
};

}  // namespace flyball::controllers::endpoint_slice
