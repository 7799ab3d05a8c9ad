#include "flyball/runtime/core_event_recorder.h"

#include <optional>
#include <utility>

#include "flyball/runtime/event_name.h"

namespace flyball::runtime {

std::string_view ToString(EventType type) {
  return type == EventType::kNormal ? "Normal" : "Warning";
}

core::v1::Event MakeEvent(const Occurrence& occurrence, const EventOrigin& origin, WallTime now,
                          const api::RandomBits& random) {
  core::v1::Event event;
  event.metadata.name = EventName(occurrence.about.name, now, random);
  event.metadata.namespace_ = EventNamespace(occurrence.about.namespace_);
  event.metadata.annotations = occurrence.annotations;
  event.involvedObject = occurrence.about;
  event.reason = occurrence.reason;
  event.message = occurrence.message;
  event.source.component = origin.component;
  event.source.host = origin.host;
  event.firstTimestamp = event.lastTimestamp = api::Time(now);
  event.count = 1;
  event.type = ToString(occurrence.type);
  event.reportingComponent = origin.component;
  event.reportingInstance = origin.host;
  return event;
}

/// Decides on the first try how to write an event, and writes it so on every try.
class CoreEventRecorder::Write {
 public:
  Write(const EventSink& sink, std::shared_ptr<EventCorrelator> correlator, core::v1::Event event)
      : sink_(&sink), correlator_(std::move(correlator)), event_(std::move(event)) {}

  Result<> operator()() {
    if (event_) {
      plan_ =
          correlator_->Correlate(*std::exchange(event_, std::nullopt), Moment::Now(sink_->clock()));
      if (!plan_) sink_->metrics().spam.Increment();
    }
    if (!plan_) return {};
    FLYBALL_TRY(const auto written, WriteEvent(sink_->client(), plan_->event, plan_->patch));
    correlator_->Learn(written);
    return {};
  }

 private:
  const EventSink* sink_;
  std::shared_ptr<EventCorrelator> correlator_;
  std::optional<core::v1::Event> event_;  // until it is decided
  std::optional<EventWrite> plan_;        // then; none: it is not to be written
};

CoreEventRecorder::CoreEventRecorder(EventSink& sink, EventOrigin origin,
                                     EventCorrelator::Options options)
    : sink_(sink),
      origin_(std::move(origin)),
      correlator_(std::make_shared<EventCorrelator>(options)) {}

WallTime CoreEventRecorder::NextMoment() {
  const WallTime now = sink_.clock().WallNow();
  const MutexLock lock(mutex_);
  since_ = now == last_now_ ? since_ + std::chrono::nanoseconds(1) : std::chrono::nanoseconds(0);
  last_now_ = now;
  return now + since_;
}

void CoreEventRecorder::Record(Occurrence occurrence) {
  sink_.log().V(3).Info("Event occurred",
                        {{"object", LogObject{occurrence.about.namespace_, occurrence.about.name}},
                         {"fieldPath", occurrence.about.fieldPath},
                         {"kind", occurrence.about.kind},
                         {"apiVersion", occurrence.about.apiVersion},
                         {"type", ToString(occurrence.type)},
                         {"reason", occurrence.reason},
                         {"message", occurrence.message}});
  auto event = MakeEvent(occurrence, origin_, NextMoment(), sink_.random());
  sink_.Add({.write = Write(sink_, correlator_, std::move(event)),
             .reason = std::move(occurrence.reason),
             .about = {occurrence.about.namespace_, occurrence.about.name}});
}

MakeEventRecorder CoreEventsTo(EventSink& sink) {
  return [&sink](const std::string& component) {
    return std::make_unique<CoreEventRecorder>(sink, EventOrigin{.component = component});
  };
}

}  // namespace flyball::runtime
