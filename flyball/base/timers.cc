#include "flyball/base/timers.h"

#include <map>
#include <utility>

#include "flyball/base/check.h"

namespace flyball {

/// Shared with the task, which may see only after the owner has gone that it is over.
class Timers::State : public std::enable_shared_from_this<Timers::State> {
 public:
  explicit State(Executor& executor) : executor_(executor) {}

  void Set(Timer& timer, SteadyTime at) FLYBALL_EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      // The end of time never comes: no thread need wait for it.
      if (at == SteadyTime::max() || (timer.at_ && *timer.at_ <= at)) return;
      UnsetLocked(timer);
      timer.at_ = at;
      timer.order_ = ++orders_;
      set_.emplace(std::pair(at, timer.order_), &timer);
      if (set_.begin()->second == &timer) earliest_changed_.NotifyOne();
      if (running_) return;
      running_ = true;
    }
    executor_.Start("timers", [self = shared_from_this()] { self->Run(); });
  }

  void Unset(Timer& timer) FLYBALL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    UnsetLocked(timer);
  }

  void UnsetForGood(Timer& timer) FLYBALL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    executor_.clock().Wait(lock, fired_,
                           [&]() FLYBALL_REQUIRES(mutex_) { return firing_ != &timer; });
    UnsetLocked(timer);
  }

  void CheckUnused() FLYBALL_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    FLYBALL_CHECK(set_.empty(), "Timers were destroyed before a timer that is set");
  }

 private:
  void UnsetLocked(Timer& timer) FLYBALL_REQUIRES(mutex_) {
    if (!timer.at_) return;
    set_.erase({*timer.at_, timer.order_});
    timer.at_.reset();
    // Who waits for it need not: a run that has nothing else to wait for ends here.
    if (set_.empty()) earliest_changed_.NotifyOne();
  }

  void Run() FLYBALL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!set_.empty()) {
      const auto [at, order] = set_.begin()->first;
      if (at > executor_.clock().SteadyNow()) {
        executor_.clock().WaitUntil(lock, earliest_changed_, at);
        continue;
      }
      Timer& timer = *set_.begin()->second;
      UnsetLocked(timer);
      firing_ = &timer;
      lock.Unlock();
      {
        const Firing firing{*this};
        timer.fire_();
      }
      lock.Lock();
    }
    running_ = false;
  }

  /// Also where the call is unwound, as in a deterministic run that is abandoned.
  struct Firing {
    ~Firing() {
      const MutexLock lock(state.mutex_);
      state.firing_ = nullptr;
      state.fired_.NotifyAll();
    }
    State& state;
  };

  Executor& executor_;
  CondVar earliest_changed_;
  CondVar fired_;

  Mutex mutex_;
  std::map<std::pair<SteadyTime, std::uint64_t>, Timer*> set_ FLYBALL_GUARDED_BY(mutex_);
  std::uint64_t orders_ FLYBALL_GUARDED_BY(mutex_) = 0;
  Timer* firing_ FLYBALL_GUARDED_BY(mutex_) = nullptr;
  bool running_ FLYBALL_GUARDED_BY(mutex_) = false;  // the task was started and has not ended
};

Timers::Timers(Executor& executor)
    : executor_(executor), state_(std::make_shared<State>(executor)) {}

Timers::~Timers() { state_->CheckUnused(); }

Timer::Timer(Timers& timers, std::move_only_function<void()> fire)
    : state_(timers.state_), fire_(std::move(fire)) {}

Timer::~Timer() { state_->UnsetForGood(*this); }

void Timer::FireBy(SteadyTime at) { state_->Set(*this, at); }

void Timer::Cancel() { state_->Unset(*this); }

}  // namespace flyball
