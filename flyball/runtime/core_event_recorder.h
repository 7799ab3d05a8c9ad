#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/names.h"
#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"
#include "flyball/runtime/event_correlator.h"
#include "flyball/runtime/event_recorder.h"
#include "flyball/runtime/event_sink.h"

namespace flyball::runtime {

/// Who records: "deployment-controller", and on which machine, which upstream's controllers leave
/// out.
struct EventOrigin {
  std::string component;
  std::string host = {};
};

/// The event of an occurrence, as upstream's recorder makes it.
core::v1::Event MakeEvent(const Occurrence& occurrence, const EventOrigin& origin, WallTime now,
                          const api::RandomBits& random);

/// Records core/v1 events, as upstream's controllers do: through an EventCorrelator of its own to a
/// sink, which it may share and which must outlive it.
class CoreEventRecorder final : public EventRecorder {
 public:
  CoreEventRecorder(EventSink& sink, EventOrigin origin, EventCorrelator::Options options = {});

  void Record(Occurrence occurrence) override;

 private:
  class Write;

  /// The name of an event is made of its moment, so no two of a recorder have the same: the server
  /// would refuse the second. Clocks may be coarse, and those of tests stand still.
  WallTime NextMoment();

  EventSink& sink_;
  const EventOrigin origin_;
  const std::shared_ptr<EventCorrelator> correlator_;  // for the sink's task, and its alone

  Mutex mutex_;
  WallTime last_now_ FLYBALL_GUARDED_BY(mutex_) = {};               // what the clock said
  std::chrono::nanoseconds since_ FLYBALL_GUARDED_BY(mutex_) = {};  // moments that were given out
};

/// Recorders for controllers, whose events all go to this sink, which must outlive them.
MakeEventRecorder CoreEventsTo(EventSink& sink);

}  // namespace flyball::runtime
