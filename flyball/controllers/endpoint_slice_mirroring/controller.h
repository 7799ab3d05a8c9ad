#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Keeps EndpointSlices for Endpoints that people write by hand, for a service without a selector:
/// what reads slices alone, as nodes do, finds those addresses too.
///
///   plan.h        decides which slices there ought to be
///   metrics.h     what is counted
///   reconciler.h  carries it out
namespace flyball::controllers::endpoint_slice_mirroring {

struct Options {
  std::size_t workers = 5;             ///< --mirroring-concurrent-service-endpoint-syncs
  std::size_t most_per_subset = 1000;  ///< --mirroring-max-endpoints-per-subset
  /// --mirroring-endpointslice-updates-batch-period: changes of slices are collected for so long.
  std::chrono::nanoseconds batch_period = {};
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::endpoint_slice_mirroring
