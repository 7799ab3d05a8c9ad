#pragma once

#include <vector>

#include "flyball/api/core/v1.h"

namespace flyball::controllers::common {

/// Subsets that say the same as these in the one way that upstream says it: addresses that are
/// reached by the same ports are together, each with all of its ports; an address that is not ready
/// anywhere at a port is not ready at it. Addresses are told apart by themselves and by the uid of
/// what they belong to. Addresses are in the order of their texts.
// PARITY: ports and subsets are in the order of the hashes of what Go prints of them: what upstream
// has written is not written again.
std::vector<core::v1::EndpointSubset> Repacked(
    const std::vector<core::v1::EndpointSubset>& subsets);

}  // namespace flyball::controllers::common
