#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/views.h"
#include "flyball/controllers/common/pod_address.h"

/// A pod as an endpoint of a service.
namespace flyball::controllers::endpoint_slice {

/// `node` is null where it is not known. It has no addresses if the pod has none of the family.
discovery::v1::Endpoint EndpointOf(const views::Pod& pod, const views::Node* node,
                                   const core::v1::Service& service, common::IpFamily family);

/// The numbers of the service's ports in a pod, in the service's order; none for those that the pod
/// does not have. Pods with the same numbers share slices.
using PortNumbers = std::vector<std::optional<std::int32_t>>;
PortNumbers PortNumbersIn(const views::Pod& pod, const core::v1::Service& service);

/// The ports of the slices that such pods are in.
std::vector<discovery::v1::EndpointPort> PortsFor(const core::v1::Service& service,
                                                  const PortNumbers& numbers);

}  // namespace flyball::controllers::endpoint_slice
