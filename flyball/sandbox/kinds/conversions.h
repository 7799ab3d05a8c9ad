#pragma once

#include "flyball/sandbox/conversion.h"

/// The kinds that are stored as another one.
namespace flyball::sandbox {

/// autoscaling/v1 as autoscaling/v2: what v1 has no members for is in annotations.
Conversion AutoscalerConversion();
/// events.k8s.io/v1 as core/v1: the same under other names.
Conversion EventConversion();

}  // namespace flyball::sandbox
