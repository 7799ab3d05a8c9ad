#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/map.h"
#include "flyball/runtime/object_reference.h"

namespace flyball::runtime {

enum class EventType : std::uint8_t { kNormal, kWarning };

/// "Normal" or "Warning".
std::string_view ToString(EventType type);

/// Something that happened, for people who look at the object it is about.
struct Occurrence {
  core::v1::ObjectReference about;
  EventType type = EventType::kNormal;
  std::string reason;   ///< what, in one word for programs: "SuccessfulCreate"
  std::string message;  ///< in a sentence for people
  api::Map<std::string> annotations = {};

  friend bool operator==(const Occurrence&, const Occurrence&) = default;
};

/// Where controllers say what they did:
///
///   recorder.Event(job, EventType::kNormal, "Completed", "Job completed");
///
/// Never blocks and never fails: an event is a courtesy, and may get lost. Any thread.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;

  virtual void Record(Occurrence occurrence) = 0;

  /// About an object of any generated kind, a view, a Json, or an ObjectReference.
  template <typename T>
  void Event(const T& object, EventType type, std::string_view reason, std::string_view message,
             const api::Map<std::string>& annotations = {}) {
    Record({.about = ReferenceTo(object),
            .type = type,
            .reason = std::string(reason),
            .message = std::string(message),
            .annotations = annotations});
  }
};

/// Makes the recorder of a component, under whose name its events are: "job-controller".
using MakeEventRecorder =
    std::function<std::unique_ptr<EventRecorder>(const std::string& component)>;

}  // namespace flyball::runtime
