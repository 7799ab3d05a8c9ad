#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "flyball/base/clock.h"
#include "flyball/base/executor.h"

namespace flyball {

/// All timers of a process: one task waits for the earliest of them, and there is none while none
/// is set. So what is idle needs no thread of its own to wait in.
///
/// Timers fire one after the other, earliest first, those of one time in the order in which they
/// were set. Any thread. Its timers, and the executor, must outlive its use; it may be destroyed
/// while its task still runs.
class Timers {
 public:
  explicit Timers(Executor& executor);
  ~Timers();
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  Clock& clock() const { return executor_.clock(); }

 private:
  friend class Timer;
  class State;

  Executor& executor_;
  const std::shared_ptr<State> state_;
};

/// One thing to be done at a time that can be set again and again. Any thread.
class Timer {
 public:
  /// `fire` is called on the task of `timers`, with no lock held, never twice at once. All other
  /// timers wait for it: what takes long is for it to start elsewhere. It may set the timer again,
  /// but not destroy it.
  Timer(Timers& timers, std::move_only_function<void()> fire);
  /// Waits until `fire` is not being called, so it must not hold a lock that `fire` needs.
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Fires when this time has come, unless it was set to an earlier one. To set the earliest of two
  /// times needs no agreement between those who set them on who comes first.
  void FireBy(SteadyTime at);

  /// Not set any more; does not wait for a call that is under way.
  void Cancel();

 private:
  friend class Timers::State;

  // Constant after construction.
  const std::shared_ptr<Timers::State> state_;
  std::move_only_function<void()> fire_;

  // Guarded by the mutex of state_.
  std::optional<SteadyTime> at_;
  std::uint64_t order_ = 0;
};

}  // namespace flyball
