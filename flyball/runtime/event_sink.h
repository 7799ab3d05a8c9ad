#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "flyball/api/names.h"
#include "flyball/api/object_key.h"
#include "flyball/base/clock.h"
#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/client.h"
#include "flyball/runtime/event_metrics.h"

namespace flyball::runtime {

/// Writes events, one after the other, in the order in which they came, and without those who
/// record them waiting for it. There is a task only while there is something to write.
///
/// As upstream: while the server cannot be reached everything waits, and each event is tried up to
/// 12 times, 10 s apart (the first time after a random part of that, so that the components of a
/// cluster do not come back at once). What the server refuses is dropped. So is what comes when
/// 1000 events wait: an event is worth less than the memory of a process that cannot get rid of
/// them.
///
/// Any thread may call it.
class EventSink {
 public:
  struct Deps {
    Executor& executor;
    client::Client client;
    api::RandomBits random;  ///< for any thread
    Logger log = {};
    EventMetrics metrics = {};
  };
  struct Options {
    std::string name = "events";  ///< of its task and its metrics' label: whose events these are
    std::size_t capacity = 1000;
    int tries = 12;
    std::chrono::nanoseconds delay = std::chrono::seconds(10);
  };

  /// An event on its way.
  struct Work {
    /// Tries to write it, with the sink's client. Called on the sink's task, again if it failed and
    /// that is worth it, never at the same time as that of another event.
    std::move_only_function<Result<>()> write;
    std::string reason;  ///< for the log, as is
    api::ObjectKey about;
  };

  explicit EventSink(Deps deps) : EventSink(std::move(deps), Options()) {}
  EventSink(Deps deps, Options options);
  /// Drops what has not been written, and waits for a write that is under way.
  ~EventSink();
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;

  /// Never blocks. What is dropped is counted, and logged once in a while.
  void Add(Work work);

  /// Takes no more, and waits until the rest is written. Nothing is waited for between tries any
  /// more: each event is tried one more time. False if there is still something to write at the
  /// deadline, which is then dropped.
  [[nodiscard]] bool Shutdown(SteadyTime deadline);

  const client::Client& client() const;
  Clock& clock() const;
  const Logger& log() const;
  const EventMetrics& metrics() const;
  const api::RandomBits& random() const;

 private:
  class Writer;

  const std::shared_ptr<Writer> writer_;  // shared with its task
};

/// Writes an event: by the patch, or whole where there is none, or where what it would change is
/// gone, as events are after an hour. Returns it as the server has it now.
template <typename T>
Result<T> WriteEvent(const client::Client& client, T event, std::string_view patch) {
  const auto events = client.Of<T>();
  if (!patch.empty()) {
    auto patched = events.Patch(api::ObjectKey::Of(event),
                                {client::PatchType::kStrategic, std::string(patch)});
    if (patched || patched.error().code() != ErrorCode::kNotFound) return patched;
  }
  event.metadata.resourceVersion.clear();
  return events.Create(event);
}

/// Whether the server might take an event another time. What it has answered is final, as it is
/// upstream.
bool WorthAnotherTry(const Error& error);

}  // namespace flyball::runtime
