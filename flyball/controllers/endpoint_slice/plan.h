#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/planned_event.h"
#include "flyball/controllers/common/pod_address.h"
#include "flyball/controllers/common/slice_packing.h"
#include "flyball/controllers/endpoint_slice/zone_hints.h"

namespace flyball::controllers::endpoint_slice {

/// What a service's slices follow from.
struct ServiceState {
  const core::v1::Service& service;
  /// All that it selects.
  std::vector<cache::Ref<views::Pod>> pods;
  /// Those of one address family that we keep for it.
  std::vector<common::SliceRef> slices;
  /// Null if it is not there.
  std::function<cache::Ref<views::Node>(std::string_view name)> node;
};

/// How many endpoints there are behind a set of ports, and in how many slices.
struct PortSetSize {
  std::size_t endpoints = 0;
  std::size_t slices = 0;
  friend bool operator==(const PortSetSize&, const PortSetSize&) = default;
};

/// What the slices of one address family ought to become, but for hints.
struct PackPlan {
  SliceGroup slices;
  std::vector<PortSetSize> sizes;
  std::size_t endpoints_added = 0;
  std::size_t endpoints_removed = 0;
  /// Pods that were left out, and why: they are to be looked at again.
  std::vector<std::string> problems;
};
PackPlan PlanPacking(const ServiceState& service_state, common::IpFamily family,
                     std::size_t most_in_a_slice);

/// Creations that can be updates of slices which would go. None of those are a service's that was
/// called so before: whoever collects garbage is after them.
void RecycleSlices(const core::v1::Service& service, common::SliceChanges& changes);

/// "create 1 slice, update 2 of web: 5 endpoints more, 3 fewer"; empty if nothing is to be written.
std::string Describe(const PackPlan& plan, const common::SliceChanges& changes);

}  // namespace flyball::controllers::endpoint_slice
