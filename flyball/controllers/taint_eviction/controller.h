#pragma once

#include <cstddef>
#include <memory>

#include "flyball/api/toleration.h"
#include "flyball/runtime/controller.h"

/// Deletes pods from nodes with NoExecute taints, when they no longer tolerate them.
///
///   plan.h        decides: whether a pod goes, and when
///   deadlines.h   remembers since when
///   reconciler.h  carries it out
namespace flyball::controllers::taint_eviction {

struct Options {
  bool compare_tolerations = false;  ///< the gate TaintTolerationComparisonOperators
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::taint_eviction
