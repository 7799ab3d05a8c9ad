#pragma once

#include <string>
#include <string_view>

#include "flyball/runtime/event_recorder.h"

namespace flyball::controllers::deployment {

/// What people who look at a deployment are told once something has been done.
struct Event {
  runtime::EventType type = runtime::EventType::kNormal;
  std::string reason;
  std::string message;
  friend bool operator==(const Event&, const Event&) = default;
};

/// Of a set that has got another size.
inline Event Scaled(std::string_view set, std::int32_t from, std::int32_t to) {
  return {.reason = "ScalingReplicaSet",
          .message = std::string("Scaled ") + (from < to ? "up" : "down") + " replica set " +
                     std::string(set) + " from " + std::to_string(from) + " to " +
                     std::to_string(to)};
}

}  // namespace flyball::controllers::deployment
