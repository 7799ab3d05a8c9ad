#include "flyball/base/fake_clock.h"

#include <algorithm>

#include "flyball/base/check.h"

namespace flyball {
namespace {

SteadyTime DeadlineOf(const Waiter& waiter) { return waiter.deadline.value_or(SteadyTime::max()); }

}  // namespace

WallTime FakeClock::WallNow() const {
  const std::lock_guard guard(mutex_);
  return wall_;
}

SteadyTime FakeClock::SteadyNow() const {
  const std::lock_guard guard(mutex_);
  return steady_;
}

void FakeClock::Advance(std::chrono::nanoseconds step) {
  FLYBALL_CHECK(step >= std::chrono::nanoseconds::zero(), "steady time does not go back");
  const std::lock_guard guard(mutex_);
  AdvanceLocked(step);
}

void FakeClock::SkipWaits() {
  const std::lock_guard guard(mutex_);
  skips_waits_ = true;
}

void FakeClock::AdvanceLocked(std::chrono::nanoseconds step) {
  wall_ += step;
  steady_ += step;
  while (!blocked_.empty() && blocked_.begin()->first <= steady_) {
    EndLocked(*blocked_.begin()->second, Waiter::State::kTimedOut);
  }
}

void FakeClock::JumpWallTime(std::chrono::nanoseconds step) {
  const std::lock_guard guard(mutex_);
  wall_ += step;
}

void FakeClock::WaitForWaiters(std::size_t count) {
  std::unique_lock guard(mutex_);
  blocked_more_.wait(guard, [&] { return blocked_.size() >= count; });
}

std::size_t FakeClock::waiters() const {
  const std::lock_guard guard(mutex_);
  return blocked_.size();
}

std::optional<SteadyTime> FakeClock::NextDeadline() const {
  const std::lock_guard guard(mutex_);
  if (blocked_.empty()) return std::nullopt;
  return blocked_.begin()->second->deadline;
}

void FakeClock::Park(Waiter& waiter) {
  std::unique_lock guard(mutex_);
  if (waiter.state != Waiter::State::kWaiting) return;
  if (skips_waits_ && waiter.deadline && *waiter.deadline > steady_) {
    AdvanceLocked(*waiter.deadline - steady_);
  }
  if (waiter.deadline && *waiter.deadline <= steady_) {
    waiter.state = Waiter::State::kTimedOut;
    return;
  }
  blocked_.emplace(DeadlineOf(waiter), &waiter);
  blocked_more_.notify_all();
  guard.unlock();
  waiter.state.wait(Waiter::State::kWaiting);
  guard.lock();  // who ended the wait is done with the waiter now
}

bool FakeClock::Unpark(Waiter& waiter) {
  const std::lock_guard guard(mutex_);
  if (waiter.state != Waiter::State::kWaiting) return false;
  EndLocked(waiter, Waiter::State::kNotified);
  return true;
}

void FakeClock::EndLocked(Waiter& waiter, Waiter::State state) {
  const auto [begin, end] = blocked_.equal_range(DeadlineOf(waiter));
  const auto found = std::find_if(begin, end, [&](const auto& e) { return e.second == &waiter; });
  // A wait that is notified before it has parked is not here yet, and never will be.
  if (found != end) blocked_.erase(found);
  waiter.state = state;
  waiter.state.notify_one();
}

}  // namespace flyball
