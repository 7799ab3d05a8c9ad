#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/views.h"

/// The ports that a service's endpoints are reached by.
namespace flyball::controllers::common {

/// The number that a service's port has in a pod; none if the pod has no port of the name that the
/// service goes by.
std::optional<std::int32_t> FindPort(const views::Pod& pod, const core::v1::ServicePort& port);

/// Puts the ports of a slice in the order that upstream has them in.
// PARITY: that is the order of their hashes, which people see in `kubectl get endpointslices`.
void SortPorts(std::vector<discovery::v1::EndpointPort>& ports);

/// The same for two sets of ports that are the same, in whatever order.
std::string PortSetKey(std::span<const discovery::v1::EndpointPort> ports);

}  // namespace flyball::controllers::common
