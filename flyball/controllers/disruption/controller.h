#pragma once

#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Says for each PodDisruptionBudget how many of its pods may be evicted now. The API server, which
/// carries out evictions, goes by that, and notes in the budget whom it has let go; which of them
/// stay after all is found out here.
///
///   coverage.h           which budget covers which pods
///   scales.h             how many pods their controllers ask for
///   plan.h               decides on a budget
///   stale_target_plan.h  decides on a pod that says that it is disrupted, and is not
///   reconciler.h         carries both out
///
/// What a budget says of pods that are not ready (spec.unhealthyPodEvictionPolicy) is the API
/// server's matter alone.
namespace flyball::controllers::disruption {

struct Options {
  std::size_t workers = 1;  ///< --concurrent-disruption-syncs
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::disruption
