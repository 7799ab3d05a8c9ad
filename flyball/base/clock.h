#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <mutex>
#include <optional>
#include <source_location>
#include <stop_token>

#include "flyball/base/mutex.h"

// Time and waiting.
//
// All of the product's time comes from a Clock, and every blocking wait goes through one, because
// tests put another in its place: FakeClock (fake_clock.h), which a test moves by hand, or that of
// DeterministicExecutor (deterministic_executor.h), which also decides who runs next.
//
// BANNED outside flyball/base/ (`make lint` holds it): std::thread and std::jthread (use Executor),
// std::condition_variable (CondVar), std::mutex (Mutex), system_clock::now, steady_clock::now,
// clock_gettime, sleep_for, sleep_until and their C relatives. What waits behind a Clock's back
// cannot be tested without sleeping, and stops a deterministic run dead.

namespace flyball {

/// A date, as written into objects and logs. People and NTP move it, backwards too, so it measures
/// nothing: how long something took or may take is a matter of SteadyTime.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

/// A point on a line that only moves forward and goes on while the machine is suspended: what
/// deadlines, timeouts and lease expiry are reckoned in. Means nothing in another process. The tag
/// has no now(); that is the Clock's.
struct SteadyTimeline;
using SteadyTime = std::chrono::time_point<SteadyTimeline, std::chrono::nanoseconds>;

enum class WaitResult : bool { kTimedOut, kNotified };

class Clock;
class CondVar;

/// One thread's wait, on that thread's stack; for implementers of Clock only.
struct Waiter {
  enum class State : std::uint32_t { kWaiting, kNotified, kTimedOut };

  // Constant once the wait has begun.
  Clock* clock = nullptr;
  std::optional<SteadyTime> deadline;
  std::source_location where;  ///< the call that waits, for reports on who is stuck

  // Leaves kWaiting once, which the clock sees to.
  std::atomic<State> state = State::kWaiting;

  // Guarded by the CondVar's mutex.
  Waiter* previous = nullptr;
  Waiter* next = nullptr;
  bool linked = false;
};

/// A condition variable that can be waited on under any clock: the waiting is done by
/// Clock::Wait(), the waking here. Waiters are woken first come, first served, and a notification
/// is never lost on a waiter that has just timed out.
///
/// Any thread may notify, with or without the mutex that goes with the condition; nothing of the
/// caller's is run meanwhile. Must outlive its waits.
class CondVar {
 public:
  CondVar() = default;
  ~CondVar();
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void NotifyOne();
  void NotifyAll();

 private:
  friend class Clock;

  void Link(Waiter& waiter);
  void Unlink(Waiter& waiter);
  Waiter* PopLocked();
  void RemoveLocked(Waiter& waiter);

  // Taken before any lock of a clock, never after.
  std::mutex mutex_;
  Waiter* first_ = nullptr;  // guarded by mutex_, as is last_
  Waiter* last_ = nullptr;
};

/// Where time and waiting come from. All methods may be called from any thread.
///
/// The waits release `lock`, block, and take it again before they return, as those of
/// std::condition_variable do; no other mutex may be held. There are no spurious wake-ups, but
/// another thread may come between the notification and the lock, so a condition is checked in a
/// loop or given as `ready`, which is called with the lock held.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual WallTime WallNow() const = 0;
  virtual SteadyTime SteadyNow() const = 0;

  /// SteadyNow() + delay, or the end of time if that is beyond it.
  SteadyTime DeadlineAfter(std::chrono::nanoseconds delay) const;

  /// Blocks until notified.
  void Wait(MutexLock& lock, CondVar& cv,
            std::source_location where = std::source_location::current());

  /// Blocks until notified or until the deadline has come, which it may have at once.
  WaitResult WaitUntil(MutexLock& lock, CondVar& cv, SteadyTime deadline,
                       std::source_location where = std::source_location::current());

  /// Blocks until `ready()`.
  template <std::predicate Ready>
  void Wait(MutexLock& lock, CondVar& cv, Ready ready,
            std::source_location where = std::source_location::current())
      FLYBALL_NO_THREAD_SAFETY_ANALYSIS {  // which mutex `lock` holds, `ready` itself declares
    while (!ready()) Wait(lock, cv, where);
  }

  /// Blocks until `ready()` or until the deadline has come; says whether it is ready.
  template <std::predicate Ready>
  [[nodiscard]] bool WaitUntil(MutexLock& lock, CondVar& cv, SteadyTime deadline, Ready ready,
                               std::source_location where = std::source_location::current())
      FLYBALL_NO_THREAD_SAFETY_ANALYSIS {
    while (!ready()) {
      if (WaitUntil(lock, cv, deadline, where) == WaitResult::kTimedOut) return ready();
    }
    return true;
  }

  /// Sleeps until the time has come (true) or a stop is asked for (false), whichever is first.
  bool SleepUntil(SteadyTime deadline, std::stop_token stop = {},
                  std::source_location where = std::source_location::current());
  bool SleepFor(std::chrono::nanoseconds delay, std::stop_token stop = {},
                std::source_location where = std::source_location::current());

 protected:
  friend class CondVar;

  /// Blocks the calling thread until `waiter.state` has left kWaiting, which Unpark() may have
  /// brought about already; makes it kTimedOut when the deadline has come.
  virtual void Park(Waiter& waiter) = 0;

  /// Makes a waiting waiter kNotified. False if its wait has ended otherwise. Called with the
  /// CondVar's mutex held.
  virtual bool Unpark(Waiter& waiter) = 0;

  /// Lets the Park() that waits for this state return, where Unpark() has not done so. Called
  /// without the CondVar's mutex, so that the woken thread does not run into it; the waiter may be
  /// gone by then, so only its address may be used.
  virtual void Wake(const std::atomic<Waiter::State>* /*state*/) {}

 private:
  WaitResult Block(MutexLock& lock, CondVar& cv, std::optional<SteadyTime> deadline,
                   std::source_location where);
};

/// The machine's time. SteadyNow() is CLOCK_BOOTTIME: a lease runs out while a laptop or a virtual
/// machine is suspended, and its holder has to see that when it wakes.
class RealClock final : public Clock {
 public:
  WallTime WallNow() const override;
  SteadyTime SteadyNow() const override;

 protected:
  void Park(Waiter& waiter) override;
  bool Unpark(Waiter& waiter) override;
  void Wake(const std::atomic<Waiter::State>* state) override;
};

}  // namespace flyball
