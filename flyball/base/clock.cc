#include "flyball/base/clock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "flyball/base/check.h"
#include "flyball/base/saturating.h"

namespace flyball {

using std::chrono::nanoseconds;

namespace {

/// The kernel's wait for a word of memory to change, which is what condition variables are made of.
/// One of those would need a mutex beside it, and the woken thread would run into it.
long Futex(const std::atomic<Waiter::State>* word, int operation, std::uint32_t value,
           const timespec* timeout) {
  static_assert(sizeof(*word) == sizeof(std::uint32_t));
  return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
}

}  // namespace

CondVar::~CondVar() {
  FLYBALL_CHECK(first_ == nullptr, "a CondVar was destroyed while a thread waits on it");
}

void CondVar::NotifyOne() {
  Clock* clock = nullptr;
  const std::atomic<Waiter::State>* notified = nullptr;
  {
    const std::lock_guard guard(mutex_);
    while (Waiter* const waiter = PopLocked()) {
      // A notified waiter may be gone as soon as the lock is.
      clock = waiter->clock;
      notified = &waiter->state;
      if (clock->Unpark(*waiter)) break;
      notified = nullptr;
    }
  }
  if (notified != nullptr) clock->Wake(notified);
}

void CondVar::NotifyAll() {
  Clock* clock = nullptr;
  const std::atomic<Waiter::State>* notified = nullptr;
  {
    const std::lock_guard guard(mutex_);
    while (Waiter* const waiter = PopLocked()) {
      Clock* const its_clock = waiter->clock;
      const std::atomic<Waiter::State>* const state = &waiter->state;
      if (!its_clock->Unpark(*waiter)) continue;
      // All but the last, which is most often the only one, and wakes to a free lock.
      if (notified != nullptr) clock->Wake(notified);
      clock = its_clock;
      notified = state;
    }
  }
  if (notified != nullptr) clock->Wake(notified);
}

void CondVar::Link(Waiter& waiter) {
  const std::lock_guard guard(mutex_);
  waiter.previous = last_;
  (last_ != nullptr ? last_->next : first_) = &waiter;
  last_ = &waiter;
  waiter.linked = true;
}

void CondVar::Unlink(Waiter& waiter) {
  const std::lock_guard guard(mutex_);
  if (waiter.linked) RemoveLocked(waiter);
}

Waiter* CondVar::PopLocked() {
  Waiter* const waiter = first_;
  if (waiter != nullptr) RemoveLocked(*waiter);
  return waiter;
}

void CondVar::RemoveLocked(Waiter& waiter) {
  (waiter.previous != nullptr ? waiter.previous->next : first_) = waiter.next;
  (waiter.next != nullptr ? waiter.next->previous : last_) = waiter.previous;
  waiter.linked = false;
}

SteadyTime Clock::DeadlineAfter(nanoseconds delay) const {
  return SaturatingAdd(SteadyNow(), delay);
}

void Clock::Wait(MutexLock& lock, CondVar& cv, std::source_location where) {
  Block(lock, cv, std::nullopt, where);
}

WaitResult Clock::WaitUntil(MutexLock& lock, CondVar& cv, SteadyTime deadline,
                            std::source_location where) {
  return Block(lock, cv, deadline, where);
}

bool Clock::SleepUntil(SteadyTime deadline, std::stop_token stop, std::source_location where) {
  Mutex mutex;
  CondVar stopped;
  // Takes the mutex so that it cannot fall between our look at the token and our wait. Declared
  // before the lock: its destructor waits for a callback that is running, which needs the mutex.
  const std::stop_callback on_stop(stop, [&] {
    const MutexLock lock(mutex);
    stopped.NotifyAll();
  });
  MutexLock lock(mutex);
  return !WaitUntil(lock, stopped, deadline, [&] { return stop.stop_requested(); }, where);
}

bool Clock::SleepFor(nanoseconds delay, std::stop_token stop, std::source_location where) {
  return SleepUntil(DeadlineAfter(delay), std::move(stop), where);
}

/// No notification is lost: the waiter is linked before the lock is released, and who changes the
/// condition does so under the lock. From then on its state decides, once, between notification
/// and deadline, under a lock of the clock's.
WaitResult Clock::Block(MutexLock& lock, CondVar& cv, std::optional<SteadyTime> deadline,
                        std::source_location where) FLYBALL_NO_THREAD_SAFETY_ANALYSIS {
  FLYBALL_CHECK(lock.held(), "a wait needs the lock held");
  Waiter waiter;
  waiter.clock = this;
  waiter.deadline = deadline;
  waiter.where = where;

  // Also when Park() throws, as that of a deterministic run does when it is abandoned. Unlinking
  // even a notified waiter waits for the notifier to be done with it and with the CondVar, so
  // that both may be destroyed on return.
  struct Restore {
    ~Restore() FLYBALL_NO_THREAD_SAFETY_ANALYSIS {
      cv.Unlink(waiter);
      lock.Lock();
    }
    CondVar& cv;
    Waiter& waiter;
    MutexLock& lock;
  };
  cv.Link(waiter);
  lock.Unlock();
  {
    const Restore restore{cv, waiter, lock};
    Park(waiter);
  }
  return waiter.state == Waiter::State::kNotified ? WaitResult::kNotified : WaitResult::kTimedOut;
}

WallTime RealClock::WallNow() const { return std::chrono::system_clock::now(); }

SteadyTime RealClock::SteadyNow() const {
  timespec now{};
  FLYBALL_CHECK(clock_gettime(CLOCK_BOOTTIME, &now) == 0, "no CLOCK_BOOTTIME");
  return SteadyTime(std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec));
}

void RealClock::Park(Waiter& waiter) {
  // The kernel has no wait on CLOCK_BOOTTIME. We wait on the monotonic clock, which stops in a
  // suspension, and look again this often: the most by which a deadline is seen late after one.
  constexpr nanoseconds kLongestNap = std::chrono::seconds(10);

  while (waiter.state == Waiter::State::kWaiting) {
    if (!waiter.deadline) {
      Futex(&waiter.state, FUTEX_WAIT, static_cast<std::uint32_t>(Waiter::State::kWaiting),
            nullptr);
      continue;
    }
    const SteadyTime now = SteadyNow();
    if (*waiter.deadline <= now) {
      auto expected = Waiter::State::kWaiting;
      waiter.state.compare_exchange_strong(expected, Waiter::State::kTimedOut);
      return;
    }
    const nanoseconds nap = std::min(*waiter.deadline - now, kLongestNap);
    constexpr long kSecond = 1'000'000'000;
    const timespec timeout{nap.count() / kSecond, nap.count() % kSecond};
    Futex(&waiter.state, FUTEX_WAIT, static_cast<std::uint32_t>(Waiter::State::kWaiting), &timeout);
  }
}

bool RealClock::Unpark(Waiter& waiter) {
  auto expected = Waiter::State::kWaiting;
  return waiter.state.compare_exchange_strong(expected, Waiter::State::kNotified);
}

void RealClock::Wake(const std::atomic<Waiter::State>* state) {
  Futex(state, FUTEX_WAKE, 1, nullptr);
}

}  // namespace flyball
