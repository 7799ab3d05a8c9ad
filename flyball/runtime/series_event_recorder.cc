#include "flyball/runtime/series_event_recorder.h"

#include <utility>

#include "flyball/base/mutex.h"
#include "flyball/runtime/event_name.h"

namespace flyball::runtime {
namespace {

using V1Event = events::v1::Event;

V1Event MakeEvent(SeriesOccurrence occurrence, const SeriesEventRecorder::Origin& origin,
                  WallTime now, const api::RandomBits& random) {
  Occurrence& what = occurrence.what;
  V1Event event;
  event.metadata.name = EventName(what.about.name, now, random);
  event.metadata.namespace_ = EventNamespace(what.about.namespace_);
  event.metadata.annotations = std::move(what.annotations);
  event.eventTime = api::MicroTime(now);
  event.reportingController = origin.controller;
  event.reportingInstance = origin.instance;
  event.action = std::move(occurrence.action);
  event.reason = std::move(what.reason);
  event.regarding = std::move(what.about);
  if (occurrence.related) event.related = *std::move(occurrence.related);
  event.note = std::move(what.message);
  event.type = ToString(what.type);
  return event;
}

/// Writes an event, or its series.
Result<V1Event> WriteSeries(const client::Client& client, const V1Event& event) {
  const std::string patch = SeriesPatch(event);
  auto written = WriteEvent(client, event, patch);
  if (written || patch.empty() || written.error().code() != ErrorCode::kAlreadyExists) {
    return written;
  }
  // It was not there to be patched, and then it was there already: it has just come.
  return WriteEvent(client, event, patch);
}

}  // namespace

/// The table, and the rounds in which series are ended and refreshed.
class SeriesEventRecorder::Series : public std::enable_shared_from_this<Series> {
 public:
  Series(EventSink& sink, Timers& timers)
      : sink_(sink), timer_(std::make_unique<Timer>(timers, [this] { AddRound(); })) {}

  /// No more rounds. The sink may still have something of this to write.
  void Close() {
    // Outlives the lock: its end waits for a round that is being added.
    std::unique_ptr<Timer> timer;
    const MutexLock lock(mutex_);
    timer = std::move(timer_);
  }

  void Add(V1Event event) {
    EventSink::Work work;
    work.reason = event.reason;
    work.about = {event.regarding.namespace_, event.regarding.name};
    work.write = Write(shared_from_this(), std::move(event));
    sink_.Add(std::move(work));
  }

 private:
  /// Decides on the first try what to write, and writes that on every try.
  class Write {
   public:
    Write(std::shared_ptr<Series> series, V1Event event)
        : series_(std::move(series)), event_(std::move(event)) {}

    Result<> operator()() {
      if (!std::exchange(decided_, true)) event_ = series_->Observe(*std::move(event_));
      if (!event_) return {};
      // What the server makes of it is not taken over: it might not be the same event any more.
      FLYBALL_TRY(WriteSeries(series_->sink_.client(), *event_));
      return {};
    }

   private:
    std::shared_ptr<Series> series_;
    std::optional<V1Event> event_;  // none: it is only counted
    bool decided_ = false;
  };

  std::optional<V1Event> Observe(V1Event event) {
    const Moment now = Moment::Now(sink_.clock());
    if (table_.empty()) next_refresh_ = now.steady + EventSeriesTable::kRefreshedEvery;
    std::optional<V1Event> write = table_.Observe(std::move(event), now);
    ScheduleRound();
    return write;
  }

  void AddRound() {
    sink_.Add({.write = [series = shared_from_this()] { return series->Round(); },
               .reason = "end and refresh series",
               .about = {}});
  }

  /// Each series is tried once: what fails now has its turn in the next round.
  Result<> Round() {
    const SteadyTime now = sink_.clock().SteadyNow();
    for (const std::string& key : table_.TakeEnded(now)) {
      const auto written = WriteSeries(sink_.client(), table_.At(key));
      if (!written && WorthAnotherTry(written.error())) break;
      table_.Forget(key);
    }
    if (now >= next_refresh_) {
      next_refresh_ = now + EventSeriesTable::kRefreshedEvery;
      for (const std::string& key : table_.Running()) {
        auto written = WriteSeries(sink_.client(), table_.At(key));
        if (written) table_.Learn(key, *std::move(written));
      }
    }
    if (!table_.empty()) ScheduleRound();
    return {};
  }

  void ScheduleRound() {
    const MutexLock lock(mutex_);
    if (timer_ == nullptr) return;
    timer_->FireBy(sink_.clock().DeadlineAfter(EventSeriesTable::kEndsAfter));
  }

  EventSink& sink_;

  // For the sink's task alone.
  EventSeriesTable table_;
  SteadyTime next_refresh_ = {};

  Mutex mutex_;
  std::unique_ptr<Timer> timer_ FLYBALL_GUARDED_BY(mutex_);  // null when closed
};

SeriesEventRecorder::SeriesEventRecorder(EventSink& sink, Timers& timers, Origin origin)
    : sink_(sink), origin_(std::move(origin)), series_(std::make_shared<Series>(sink, timers)) {}

SeriesEventRecorder::~SeriesEventRecorder() { series_->Close(); }

void SeriesEventRecorder::Record(SeriesOccurrence occurrence) {
  series_->Add(MakeEvent(std::move(occurrence), origin_, sink_.clock().WallNow(), sink_.random()));
}

}  // namespace flyball::runtime
