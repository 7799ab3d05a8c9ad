#pragma once

#include <vector>

#include "flyball/api/scheduling/v1.h"

namespace flyball::sandbox {

/// Those that every cluster has from the start.
std::vector<scheduling::v1::PriorityClass> SystemPriorityClasses();

}  // namespace flyball::sandbox
