#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

#include "flyball/base/clock.h"

namespace flyball {

/// A clock for tests that stands still until the test moves it. A test of a thread that waits goes
///
///   clock.WaitForWaiters(1);             // it is blocked now, its deadline is known
///   EXPECT_EQ(clock.NextDeadline(), ...);
///   clock.Advance(5s);                   // it is no longer counted as a waiter
///
/// and sleeps nowhere. A wait whose deadline the clock has passed by the time it begins returns at
/// once, so it does not matter whether Advance() comes before or after it.
///
/// Any thread may call anything. Woken threads run side by side: where the order in which they act
/// matters, use DeterministicExecutor.
class FakeClock final : public Clock {
 public:
  static constexpr WallTime kStart{std::chrono::sys_days{std::chrono::year(2026) / 1 / 1}};

  explicit FakeClock(WallTime start = kStart) : wall_(start) {}

  WallTime WallNow() const override;
  SteadyTime SteadyNow() const override;

  /// Moves both times on by `step`, and wakes the waits whose deadline that reaches, earliest
  /// deadline first.
  void Advance(std::chrono::nanoseconds step);

  /// A wait with a deadline that begins from now on moves the clock there instead of blocking. For
  /// code that sleeps in between waits for other threads, which a test cannot tell from each other.
  void SkipWaits();
  /// Moves only the wall time, either way, as an administrator or NTP does.
  void JumpWallTime(std::chrono::nanoseconds step);

  /// Returns when at least `count` threads are blocked in waits under this clock. One that has been
  /// notified or whose deadline has come does not count, even if it has not run yet.
  void WaitForWaiters(std::size_t count);

  std::size_t waiters() const;

  /// The earliest deadline that a blocked thread waits for.
  std::optional<SteadyTime> NextDeadline() const;

 protected:
  void Park(Waiter& waiter) override;
  bool Unpark(Waiter& waiter) override;

 private:
  void AdvanceLocked(std::chrono::nanoseconds step);
  void EndLocked(Waiter& waiter, Waiter::State state);

  // Guards all below and the state of each waiter: a wait either sees the time after Advance(), or
  // is seen by it.
  mutable std::mutex mutex_;
  std::condition_variable blocked_more_;
  WallTime wall_;
  SteadyTime steady_{std::chrono::hours(1)};
  bool skips_waits_ = false;
  // Blocked waits by deadline, those of equal deadline in the order they came; without one, at
  // the end of time.
  std::multimap<SteadyTime, Waiter*> blocked_;
};

}  // namespace flyball
