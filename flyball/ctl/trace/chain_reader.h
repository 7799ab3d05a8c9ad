#pragma once

#include "flyball/base/result.h"
#include "flyball/ctl/cluster.h"
#include "flyball/ctl/selection.h"
#include "flyball/ctl/trace/chain.h"

namespace flyball::ctl::trace {

/// Asks the server for an object and what it has to do with. Fails only if the object itself cannot
/// be had; what else cannot is said in the chain.
Result<Chain> ReadChain(Cluster& cluster, const Selected& selected);

}  // namespace flyball::ctl::trace
