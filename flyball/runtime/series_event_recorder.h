#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/events/v1.h"
#include "flyball/base/timers.h"
#include "flyball/runtime/event_recorder.h"
#include "flyball/runtime/event_series.h"
#include "flyball/runtime/event_sink.h"
#include "flyball/runtime/object_reference.h"

namespace flyball::runtime {

/// What events.k8s.io/v1 wants to know beside an occurrence.
struct SeriesOccurrence {
  Occurrence what;
  std::string action;  ///< what was done or failed, for programs: "Binding"
  std::optional<core::v1::ObjectReference> related = {};
};

/// Records events of events.k8s.io/v1, with series (see EventSeriesTable), for programs that have
/// no readers of the older kind to keep. Shares a sink, which must outlive it.
///
/// Never blocks. Any thread.
class SeriesEventRecorder {
 public:
  struct Origin {
    std::string controller;  ///< "example.com/backup-controller"
    std::string instance;    ///< upstream's are "<controller>-<host name>"
  };

  /// `timers` run only while an event may still become a series, or a series go on.
  SeriesEventRecorder(EventSink& sink, Timers& timers, Origin origin);
  SeriesEventRecorder(const SeriesEventRecorder&) = delete;
  SeriesEventRecorder& operator=(const SeriesEventRecorder&) = delete;
  ~SeriesEventRecorder();

  void Record(SeriesOccurrence occurrence);

  /// As EventRecorder::Event().
  template <typename T>
  void Event(const T& object, EventType type, std::string_view reason, std::string_view action,
             std::string_view note) {
    Record({.what = {.about = ReferenceTo(object),
                     .type = type,
                     .reason = std::string(reason),
                     .message = std::string(note)},
            .action = std::string(action)});
  }

 private:
  class Series;

  EventSink& sink_;
  const Origin origin_;
  const std::shared_ptr<Series> series_;  // shared with what the sink has still to do
};

}  // namespace flyball::runtime
