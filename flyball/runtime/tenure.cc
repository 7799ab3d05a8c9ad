#include "flyball/runtime/tenure.h"

#include <utility>

namespace flyball::runtime {

Tenure::Tenure(Executor& executor, Logger log, Options options)
    : executor_(executor),
      log_(std::move(log)),
      options_(std::move(options)),
      fence_(options_.lock ? std::make_shared<LeadershipFence>(executor.clock()) : nullptr) {}

Tenure::~Tenure() {
  work_stop_.request_stop();
  MutexLock lock(mutex_);
  executor_.clock().Wait(lock, work_ended_, [this]() FLYBALL_REQUIRES(mutex_) { return !works_; });
}

Result<> Tenure::Run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { OnStop(); });
  return options_.lock ? RunUnderLock() : Work();
}

Result<> Tenure::RunUnderLock() {
  LeaderElector::Deps deps = options_.lock->deps;
  deps.fence = fence_;
  FLYBALL_TRY(const auto elector, LeaderElector::Create(std::move(deps), options_.lock->options,
                                                        {.started = [this] { BeginWork(); },
                                                         .event = options_.lock->event}));
  options_.lock->health.Watch(elector.get());
  const auto ended = elector->Run(election_stop_.get_token());
  options_.lock->health.Watch(nullptr);
  if (ended == LeaderElector::Ended::kLost) {
    return Fail(ErrorCode::kUnavailable, "leader election lost");
  }

  MutexLock lock(mutex_);
  executor_.clock().Wait(lock, work_ended_, [this]() FLYBALL_REQUIRES(mutex_) { return !works_; });
  const Result<> work = work_;
  lock.Unlock();
  if (!work && work.error().code() == ErrorCode::kTimeout) return work;
  FLYBALL_TRY(elector->Release());
  return work;
}

void Tenure::OnStop() {
  const MutexLock lock(mutex_);
  work_stop_.request_stop();
  if (!works_) election_stop_.request_stop();
}

void Tenure::BeginWork() {
  {
    const MutexLock lock(mutex_);
    if (work_stop_.stop_requested()) return;
    works_ = true;
  }
  executor_.Start("manager/tenure", [this] {
    Result<> work = Work();
    const MutexLock lock(mutex_);
    work_ = std::move(work);
    works_ = false;
    election_stop_.request_stop();
    work_ended_.NotifyAll();
  });
}

Result<> Tenure::Work() {
  const std::stop_token stop = work_stop_.get_token();
  term_ = options_.make_term(fence_);
  const auto started = term_->Start(stop);
  if (!started && !stop.stop_requested()) return started;
  if (started && options_.started) options_.started();

  Clock& clock = executor_.clock();
  clock.SleepUntil(SteadyTime::max(), stop);
  const auto timeout = options_.shutdown_timeout;
  const SteadyTime deadline =
      timeout.count() == 0 ? SteadyTime::max() : clock.DeadlineAfter(timeout);
  if (!term_->Stop(deadline)) {
    return Fail(ErrorCode::kTimeout, "controller shutdown timeout reached");
  }
  log_.Info("All controllers have ended");
  return {};
}

}  // namespace flyball::runtime
