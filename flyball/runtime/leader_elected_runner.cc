#include "flyball/runtime/leader_elected_runner.h"

#include <utility>

#include "flyball/runtime/consistency_store.h"

namespace flyball::runtime {
LeaderElectedRunner::LeaderElectedRunner(Executor& executor, Logger log, Options options)
    : executor_(executor),
      log_(std::move(log)),
      options_(std::move(options)),
      fence_(options_.lock ? std::make_shared<LeadershipFence>(executor.clock()) : nullptr) {}

LeaderElectedRunner::~LeaderElectedRunner() {
  work_stop_.request_stop();
  MutexLock lock(mutex_);
  executor_.clock().Wait(lock, work_ended_, [this]() FLYBALL_REQUIRES(mutex_) { return !works_; });
}

Result<> LeaderElectedRunner::Run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { OnStop(); });
  return options_.lock ? RunUnderLock() : Work();
}

Result<> LeaderElectedRunner::RunUnderLock() {
  LeaderElector::Deps deps = options_.lock->deps;
  deps.fence = fence_;
  FLYBALL_TRY(const auto elector, LeaderElector::Create(std::move(deps), options_.lock->options,
                                                        {.started = [this] { BeginWork(); },
                                                         .event = options_.lock->event}));
  options_.lock->health.Watch(elector.get());
  const auto ended = elector->Run(election_stop_.get_token());
  options_.lock->health.Watch(nullptr);
  if (ended == LeaderElector::Ended::kLost) {
    log_.Error("leaderelection lost/stopped");
    return Fail(ErrorCode::kUnavailable, "leader election lost");
  }

  MutexLock lock(mutex_);
  executor_.clock().Wait(lock, work_ended_, [this]() FLYBALL_REQUIRES(mutex_) { return !works_; });
  const Result<> work = work_;
  lock.Unlock();
  if (!work && work.error().code() == ErrorCode::kTimeout) return work;
  if (executor_.clock().SteadyNow() < fence_->unsettled_until() + ConsistencyStore::kSettleMargin) {
    // It runs out by itself, and by then the write has happened or never will.
    log_.Info("Lease is not released: the API server may still carry out a write of this process");
    fence_->Close();
    return work;
  }
  FLYBALL_TRY(elector->Release());
  return work;
}

void LeaderElectedRunner::OnStop() {
  const MutexLock lock(mutex_);
  work_stop_.request_stop();
  if (!works_) election_stop_.request_stop();
}

void LeaderElectedRunner::BeginWork() {
  {
    const MutexLock lock(mutex_);
    if (work_stop_.stop_requested()) return;
    works_ = true;
  }
  executor_.Start("manager/runner", [this] {
    Result<> work = Work();
    const MutexLock lock(mutex_);
    work_ = std::move(work);
    works_ = false;
    election_stop_.request_stop();
    work_ended_.NotifyAll();
  });
}

Result<> LeaderElectedRunner::Work() {
  const std::stop_token stop = work_stop_.get_token();
  runnable_ = options_.make_runnable(fence_);
  const auto started = runnable_->Start(stop);
  if (!started && !stop.stop_requested()) return started;
  if (started && options_.started) options_.started();

  Clock& clock = executor_.clock();
  clock.SleepUntil(SteadyTime::max(), stop);
  const auto timeout = options_.shutdown_timeout;
  const SteadyTime deadline =
      timeout.count() == 0 ? SteadyTime::max() : clock.DeadlineAfter(timeout);
  if (!runnable_->Stop(deadline)) {
    return Fail(ErrorCode::kTimeout, "controller shutdown timeout reached");
  }
  log_.Info("All controllers terminated");
  return {};
}

}  // namespace flyball::runtime
