#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/controllers/common/pod_address.h"

/// What a service says of its slices, whatever is in them.
namespace flyball::controllers::endpoint_slice {

/// Who keeps a slice, as its label says.
inline constexpr std::string_view kManager = "endpointslice-controller.k8s.io";

/// Whether the service's slices are ours at all: it has a selector, and addresses of its own.
bool HasSlices(const core::v1::Service& service);

/// The families that the service has addresses of, in its order. There are slices for each.
std::vector<common::IpFamily> FamiliesOf(const core::v1::Service& service);

/// A slice without endpoints.
discovery::v1::EndpointSlice NewSlice(const core::v1::Service& service, common::IpFamily family,
                                      std::vector<discovery::v1::EndpointPort> ports);

/// Whether a slice has the labels of the service. Those that are ours are not looked at.
// PARITY: so a service that becomes headless, or ceases to be, has its slices say so only when
// there is something else to be written.
bool HasLabelsOf(const core::v1::Service& service, const discovery::v1::EndpointSlice& slice);

/// Whether a slice is of this service, and not of one that was called so before.
bool IsOwnedBy(const core::v1::Service& service, const discovery::v1::EndpointSlice& slice);

/// Whether two slices differ in nothing but their names, owners and history.
bool LookTheSame(const discovery::v1::EndpointSlice& a, const discovery::v1::EndpointSlice& b);

/// Whether endpoints are to be shared out among zones by the CPUs that these have.
bool WantsZoneHints(const core::v1::Service& service);

/// Which endpoints are preferred to others, if the service says so and zone hints do not.
std::optional<std::string_view> TrafficDistributionOf(const core::v1::Service& service);

}  // namespace flyball::controllers::endpoint_slice
