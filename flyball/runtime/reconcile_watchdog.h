#pragma once

#include <chrono>
#include <list>
#include <stop_token>
#include <string>

#include "flyball/base/logging.h"
#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"

namespace flyball::runtime {

/// Notices reconciles that take long: it says so in the log, once, and later asks them to stop.
///
/// Any thread.
class ReconcileWatchdog {
 public:
  struct Deps {
    Timers& timers;
    Counter stuck = {};    ///< those that were said to be
    Counter overdue = {};  ///< those that were asked to stop
    Logger log = {};
  };
  struct Options {
    std::string queue;  ///< in the log
    std::chrono::nanoseconds stuck = std::chrono::minutes(1);
    std::chrono::nanoseconds deadline = std::chrono::minutes(5);
  };
  ReconcileWatchdog(Deps deps, Options options);
  ReconcileWatchdog(const ReconcileWatchdog&) = delete;
  ReconcileWatchdog& operator=(const ReconcileWatchdog&) = delete;

 private:
  struct Run {
    std::string key;
    SteadyTime since;
    std::stop_source stop = {};
    bool reported = false;
    bool stopped = false;
  };
  using Runs = std::list<Run>;  // the oldest first

 public:
  /// A reconcile that is under way; over when this goes.
  class Watched {
   public:
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { watchdog_.End(run_); }
    std::stop_token stop() const { return run_->stop.get_token(); }

   private:
    friend class ReconcileWatchdog;
    Watched(ReconcileWatchdog& watchdog, Runs::iterator run) : watchdog_(watchdog), run_(run) {}

    ReconcileWatchdog& watchdog_;
    const Runs::iterator run_;
  };

  [[nodiscard]] Watched Watch(std::string key);

  /// Asks all to stop, those that begin later too.
  void StopAll();

 private:
  void End(Runs::iterator run);
  void Look();

  const Deps deps_;
  const Options options_;
  Mutex mutex_;
  Runs runs_ FLYBALL_GUARDED_BY(mutex_);
  bool stopping_ FLYBALL_GUARDED_BY(mutex_) = false;
  Timer timer_;
};

}  // namespace flyball::runtime
