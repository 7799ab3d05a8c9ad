#pragma once

#include <string>
#include <string_view>

#include "flyball/controllers/common/planned_event.h"

namespace flyball::controllers::deployment {

/// Told once something has been done.
using Event = common::PlannedEvent;

/// Of a set that has got another size.
inline Event Scaled(std::string_view set, std::int32_t from, std::int32_t to) {
  return {.reason = "ScalingReplicaSet",
          .message = std::string("Scaled ") + (from < to ? "up" : "down") + " replica set " +
                     std::string(set) + " from " + std::to_string(from) + " to " +
                     std::to_string(to)};
}

}  // namespace flyball::controllers::deployment
