#pragma once

#include <memory>

#include "flyball/base/result.h"
#include "flyball/controllers/node_ipam/range_plan.h"
#include "flyball/runtime/controller.h"

/// Gives every node a range of addresses for its pods, out of the cluster's (spec.podCIDRs).
///
///   range_plan.h  what the flags come to: ranges of the cluster's, in parts
///   partition.h   one such range
///   cidr_ref_counts.h how many hold which of its parts
///   cidr_allocator.h who holds which parts, and who gets which: says why no part is given to two
///   plan.h        what a node needs
///   controller.h  does
namespace flyball::controllers::node_ipam {

/// Null where nodes are not to get ranges; an error where the flags make no sense.
Result<std::unique_ptr<runtime::Controller>> Make(const runtime::Controller::Deps& deps,
                                                  const Options& options);

}  // namespace flyball::controllers::node_ipam
