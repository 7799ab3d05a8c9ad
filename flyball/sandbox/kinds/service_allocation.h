#pragma once

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/rest_strategy.h"

/// What a service gets from the server: addresses, IP families and node ports.
namespace flyball::sandbox {

/// All but those that are only a name for another.
bool NeedsClusterIp(const core::v1::Service& service);
bool NeedsNodePorts(const core::v1::Service& service);
/// Load balancers that send to nodes with an endpoint only have to ask which those are.
bool NeedsHealthPort(const core::v1::Service& service);
bool IsHeadless(const core::v1::Service& service);

StatusOr<> AllocateNew(core::v1::Service& service, const Write& write);
/// Keeps what it has, if the author left that out, and adds what it has not.
StatusOr<> AllocateChange(core::v1::Service& now, const core::v1::Service& before,
                          const Write& write);

}  // namespace flyball::sandbox
