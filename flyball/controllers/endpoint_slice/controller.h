#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Keeps EndpointSlices for each Service with a selector: which addresses its pods have, which of
/// them are ready, and where they are. Those who send traffic to a service go by them.
///
///   service_slices.h  what a service says of its slices
///   pod_endpoint.h    a pod as an endpoint
///   plan.h            which endpoints are in which slices (packed by common/slice_packing.h)
///   zone_hints.h      who ought to use which, by the CPUs of zones; zone_book.h keeps those
///   traffic_hints.h   the same, by what is near
///   own_slices.h      which changes of slices are news
///   reconciler.h      carries all of it out
///
/// Slices without the label of this manager are left alone.
namespace flyball::controllers::endpoint_slice {

struct Options {
  std::size_t workers = 5;                             ///< --concurrent-service-endpoint-syncs
  std::size_t max_endpoints_per_slice = 100;           ///< --max-endpoints-per-slice
  std::chrono::nanoseconds updates_batch_period = {};  ///< --endpointslice-updates-batch-period
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::endpoint_slice
