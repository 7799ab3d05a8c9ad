#pragma once

#include <string>
#include <utility>

#include "flyball/runtime/event_recorder.h"

namespace flyball::controllers::common {

/// What people who look at an object are told, as part of a plan.
struct PlannedEvent {
  runtime::EventType type = runtime::EventType::kNormal;
  std::string reason;
  std::string message;
  friend bool operator==(const PlannedEvent&, const PlannedEvent&) = default;
};

inline PlannedEvent Normal(std::string reason, std::string message) {
  return {runtime::EventType::kNormal, std::move(reason), std::move(message)};
}
inline PlannedEvent Warning(std::string reason, std::string message) {
  return {runtime::EventType::kWarning, std::move(reason), std::move(message)};
}

}  // namespace flyball::controllers::common
