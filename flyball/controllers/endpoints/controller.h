#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Keeps for each service with a selector an Endpoints of its name, with the addresses of the pods
/// that it selects. EndpointSlices have taken their place long since; old clients still read them.
///
///   plan.h        decides what a service's Endpoints ought to say
///   reconciler.h  carries it out
namespace flyball::controllers::endpoints {

struct Options {
  std::size_t workers = 5;  ///< --concurrent-endpoint-syncs
  /// --endpoint-updates-batch-period: changes of pods are collected for so long.
  std::chrono::nanoseconds batch_period = {};
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::endpoints
