#include "flyball/runtime/reconcile_watchdog.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace flyball::runtime {

ReconcileWatchdog::ReconcileWatchdog(Deps deps, Options options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      timer_(deps_.timers, [this] { Look(); }) {}

ReconcileWatchdog::Watched ReconcileWatchdog::Watch(std::string key) {
  const SteadyTime now = deps_.timers.clock().SteadyNow();
  Runs::iterator run;
  {
    MutexLock lock(mutex_);
    run = runs_.insert(runs_.end(), {.key = std::move(key), .since = now});
    if (stopping_) run->stop.request_stop();
  }
  // One look is due already if another is under way.
  timer_.FireBy(now + std::min(options_.stuck, options_.deadline));
  return {*this, run};
}

void ReconcileWatchdog::End(Runs::iterator run) {
  MutexLock lock(mutex_);
  runs_.erase(run);
}

void ReconcileWatchdog::StopAll() {
  std::vector<std::stop_source> stops;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    for (const Run& run : runs_) stops.push_back(run.stop);
  }
  for (std::stop_source& stop : stops) stop.request_stop();
}

void ReconcileWatchdog::Look() {
  const SteadyTime now = deps_.timers.clock().SteadyNow();
  std::vector<std::stop_source> stops;
  std::optional<SteadyTime> next;
  {
    MutexLock lock(mutex_);
    for (Run& run : runs_) {
      const bool stuck = now - run.since >= options_.stuck;
      const bool late = now - run.since >= options_.deadline;
      if (stuck && !std::exchange(run.reported, true)) {
        deps_.stuck.Increment();
        deps_.log.Error("Reconcile is stuck",
                        {{"queue", options_.queue}, {"key", run.key}, {"after", options_.stuck}});
      }
      if (late) {
        if (std::exchange(run.stopped, true)) continue;
        deps_.overdue.Increment();
        stops.push_back(run.stop);
        continue;
      }
      const SteadyTime due = run.since + (stuck ? options_.deadline : options_.stuck);
      if (!next || due < *next) next = due;
    }
  }
  // Outside the lock, since what is told runs here.
  for (std::stop_source& stop : stops) stop.request_stop();
  if (next) timer_.FireBy(*next);
}

}  // namespace flyball::runtime
