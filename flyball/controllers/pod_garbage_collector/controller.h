#pragma once

#include <cstdint>
#include <memory>

#include "flyball/runtime/controller.h"

/// Deletes pods that nobody else will: the oldest that have ended, when there are too many of them;
/// those whose node is gone; those that are to go and have no node, or one that is out of service.
/// Those that have not ended are marked as failed before.
///
///   plan.h        decides: which pods, why, and what is said of them before
///   controller.h  looks at all pods every 20 s; nodes that are missing are given 40 s to appear,
///                 and are asked for before their pods are deleted
namespace flyball::controllers::pod_garbage_collector {

struct Options {
  /// --terminated-pod-gc-threshold: so many pods that have ended are kept; not positive: all.
  std::int32_t terminated_threshold = 12500;
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::pod_garbage_collector
