#include "flyball/cache/dispatcher.h"

#include <utility>

#include "flyball/base/check.h"

namespace flyball::cache {
namespace {

/// Who works for one or two of these holds up the others no longer. While there are changes a
/// thread is woken each time to look, so that less patience costs more than most handlers do.
constexpr auto kPatience = std::chrono::milliseconds(20);

}  // namespace

Dispatcher::Dispatcher(Executor& executor, Timers& timers, std::string name)
    : executor_(executor),
      clock_(timers.clock()),
      name_(std::move(name)),
      timer_(timers, [this] { Look(); }) {}

void Dispatcher::Add(std::shared_ptr<Worker> worker) {
  MutexLock lock(mutex_);
  FLYBALL_CHECK(!stopped_, name_ + ": work for a dispatcher that was stopped");
  waiting_.push_back(std::move(worker));
  if (!walking_) StartWalk();
}

void Dispatcher::StartWalk() {
  walking_ = true;
  working_ = false;
  ++tasks_;
  executor_.Start(name_, [self = shared_from_this(), walk = ++walk_] { self->Walk(walk); });
  // Set while there is work, and not anew for each change: a timer costs more than a handler.
  if (!std::exchange(will_look_, true)) timer_.FireBy(clock_.DeadlineAfter(kPatience));
}

void Dispatcher::Walk(std::uint64_t walk) {
  while (const auto worker = Next(walk)) worker->Work();
}

std::shared_ptr<Dispatcher::Worker> Dispatcher::Next(std::uint64_t walk) {
  MutexLock lock(mutex_);
  const bool goes_on = walking_ && walk == walk_;  // else another took over
  if (goes_on) ++turns_;
  if (goes_on && !waiting_.empty()) {
    working_ = true;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }
  if (goes_on) walking_ = false;
  --tasks_;
  changed_.NotifyAll();
  return nullptr;
}

void Dispatcher::Look() {
  MutexLock lock(mutex_);
  will_look_ = false;
  if (stopped_) return;
  const bool stuck = walking_ && working_ && turns_ == looked_;
  const bool quiet = !walking_ && turns_ == looked_;
  looked_ = turns_;
  if (stuck) {
    walking_ = false;
    if (!waiting_.empty()) StartWalk();
  }
  if (!quiet && !std::exchange(will_look_, true)) timer_.FireBy(clock_.DeadlineAfter(kPatience));
}

void Dispatcher::Stop() {
  {
    MutexLock lock(mutex_);
    clock_.Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return tasks_ == 0; });
    stopped_ = true;
  }
  timer_.Cancel();
}

}  // namespace flyball::cache
