#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"

namespace flyball::cache {

/// Calls handlers that may block, on as few tasks as that takes: one walks from handler to handler,
/// and where one of them takes its time, another goes on with the rest, some milliseconds later.
/// With a task for each, ten who follow a collection would be ten threads to wake for each change.
///
/// Any thread.
class Dispatcher : public std::enable_shared_from_this<Dispatcher> {
 public:
  /// One who has something to do now and then.
  class Worker {
   public:
    virtual ~Worker() = default;
    /// Does all there is to do.
    virtual void Work() = 0;
  };

  Dispatcher(Executor& executor, Timers& timers, std::string name);

  /// Has a worker work soon. Not again before that is done, as far as it knows itself.
  void Add(std::shared_ptr<Worker> worker);
  /// Returns when nobody works any more. Whoever is waiting must work before, and none come after.
  void Stop();

 private:
  void StartWalk() FLYBALL_REQUIRES(mutex_);
  void Walk(std::uint64_t walk);
  /// The next one for that walk, or none if it is over.
  std::shared_ptr<Worker> Next(std::uint64_t walk);
  void Look();

  Executor& executor_;
  Clock& clock_;
  const std::string name_;

  Mutex mutex_;
  CondVar changed_;
  std::deque<std::shared_ptr<Worker>> waiting_ FLYBALL_GUARDED_BY(mutex_);
  bool walking_ FLYBALL_GUARDED_BY(mutex_) = false;      // somebody will look at who is waiting
  bool working_ FLYBALL_GUARDED_BY(mutex_) = false;      // and has begun
  std::uint64_t walk_ FLYBALL_GUARDED_BY(mutex_) = 0;    // the latest
  std::uint64_t turns_ FLYBALL_GUARDED_BY(mutex_) = 0;   // how many have worked
  std::uint64_t looked_ FLYBALL_GUARDED_BY(mutex_) = 0;  // of those, at the last look
  int tasks_ FLYBALL_GUARDED_BY(mutex_) = 0;             // walking, or held up
  bool will_look_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool stopped_ FLYBALL_GUARDED_BY(mutex_) = false;

  Timer timer_;  // ends before what it looks at
};

}  // namespace flyball::cache
