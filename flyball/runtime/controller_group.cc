#include "flyball/runtime/controller_group.h"

#include <utility>

#include "flyball/base/randomness.h"

namespace flyball::runtime {

ControllerGroup::ControllerGroup(Deps deps, std::chrono::nanoseconds start_interval)
    : deps_(std::move(deps)), start_interval_(start_interval) {}

ControllerGroup::~ControllerGroup() { static_cast<void>(Stop(SteadyTime::max())); }

void ControllerGroup::Add(std::unique_ptr<Controller> controller,
                          std::unique_ptr<Account> account) {
  members_.push_back({std::move(account), std::move(controller)});
}

void ControllerGroup::Start() {
  deps_.informers.Start();
  {
    const MutexLock lock(mutex_);
    starting_ = members_.size();
    built_ = true;
  }
  for (const Member& member : members_) {
    Controller& controller = *member.controller;
    deps_.executor.Start(controller.name() + "/start",
                         [this, &controller] { StartWhenReady(controller); });
  }
}

void ControllerGroup::StartWhenReady(Controller& controller) {
  const double jitter = 1 + Fraction(deps_.random)();
  const auto pause = std::chrono::duration_cast<std::chrono::nanoseconds>(
      jitter * std::chrono::duration<double>(start_interval_));
  deps_.executor.clock().SleepFor(pause, stop_.get_token());
  deps_.log.V(1).Info("Controller starting", {{"controller", controller.name()}});
  if (controller.WaitForSync(stop_.get_token()) && !stop_.stop_requested()) {
    controller.Start();
    Tell(controller, true);
    deps_.log.V(1).Info("Controller started", {{"controller", controller.name()}});
  }
  const MutexLock lock(mutex_);
  --starting_;
  started_.NotifyAll();
}

bool ControllerGroup::Stop(SteadyTime deadline) {
  stop_.request_stop();
  {
    // From here on none starts.
    MutexLock lock(mutex_);
    deps_.executor.clock().Wait(lock, started_,
                                [this]() FLYBALL_REQUIRES(mutex_) { return starting_ == 0; });
  }
  bool all = true;
  for (const Member& member : members_) {
    const bool ended = member.controller->Stop(deadline);
    if (!ended) {
      deps_.log.Info("A controller has not ended in time",
                     {{"controller", member.controller->name()}});
    }
    Tell(*member.controller, false);
    all = ended && all;
  }
  for (const Member& member : members_) {
    if (member.account) all = member.account->events().Shutdown(deadline) && all;
  }
  if (all) deps_.informers.Stop();
  return all;
}

std::vector<const Controller*> ControllerGroup::Controllers() const {
  {
    const MutexLock lock(mutex_);
    if (!built_) return {};
  }
  std::vector<const Controller*> controllers;
  for (const Member& member : members_) controllers.push_back(member.controller.get());
  return controllers;
}

void ControllerGroup::Tell(const Controller& controller, bool running) const {
  if (deps_.running) deps_.running(controller.name(), running);
}

}  // namespace flyball::runtime
