#pragma once

#include <string_view>

#include "flyball/controllers/endpoint_slice/zone_hints.h"

/// Hints by which nodes send traffic to endpoints nearby, however many these are.
namespace flyball::controllers::endpoint_slice {

/// Gives them to all endpoints that are ready, as a service's spec.trafficDistribution says:
/// PreferSameNode, or one of the others, which mean the zone. Those that are not ready keep what
/// they have.
void GiveTrafficHints(std::string_view distribution, SliceGroup& slices);

}  // namespace flyball::controllers::endpoint_slice
