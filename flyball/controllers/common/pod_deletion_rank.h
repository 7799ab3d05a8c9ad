#pragma once

#include <cstdint>
#include <string_view>

#include "flyball/api/views.h"

/// Ranks of pods for deletion when a set has too many: the lowest rank is deleted first.
namespace flyball::controllers::common {

int PhaseOrder(std::string_view phase);
/// The most restarts of any container.
std::int32_t MostRestarts(const views::Pod& pod);
/// Of any container that starts before the others and stays.
std::int32_t MostSidecarRestarts(const views::Pod& pod);

}  // namespace flyball::controllers::common
