#include "flyball/endpoints/key_state.h"

namespace flyball::endpoints {

std::string_view StateName(const runtime::KeyReport& key) {
  switch (key.state) {
    case queue::KeyState::kIdle:
      // One that waits for nothing but its time is not idle to a reader.
      return key.due_in ? "delayed" : "idle";
    case queue::KeyState::kWaiting:
      return "waiting";
    case queue::KeyState::kProcessing:
      return "processing";
    case queue::KeyState::kHeld:
      return "held";
  }
  return "";
}

}  // namespace flyball::endpoints
