#pragma once

#include <string>
#include <utility>

#include "flyball/runtime/event_recorder.h"

namespace flyball::controllers::cron_job {

/// What people who look at a cron job are told.
struct Event {
  runtime::EventType type = runtime::EventType::kNormal;
  std::string reason;
  std::string message;
  friend bool operator==(const Event&, const Event&) = default;
};

inline Event Normal(std::string reason, std::string message) {
  return {runtime::EventType::kNormal, std::move(reason), std::move(message)};
}
inline Event Warning(std::string reason, std::string message) {
  return {runtime::EventType::kWarning, std::move(reason), std::move(message)};
}

}  // namespace flyball::controllers::cron_job
