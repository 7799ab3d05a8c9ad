#include "flyball/runtime/controller_group.h"

#include <utility>

#include "flyball/base/randomness.h"
#include "flyball/base/saturating.h"

namespace flyball::runtime {

ControllerGroup::ControllerGroup(Deps deps, std::chrono::nanoseconds start_interval)
    : deps_(std::move(deps)), start_interval_(start_interval) {}

ControllerGroup::~ControllerGroup() { static_cast<void>(Stop(SteadyTime::max())); }

void ControllerGroup::Add(std::unique_ptr<Controller> controller,
                          std::unique_ptr<ClientIdentity> identity) {
  members_.push_back({std::move(identity), std::move(controller)});
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
  const auto pause = SaturatingNanoseconds(jitter * std::chrono::duration<double>(start_interval_));
  deps_.executor.clock().SleepFor(pause, stop_.get_token());
  deps_.log.V(1).Info("Controller starting...", {{"controller", controller.name()}});
  const Logger log = deps_.log.With({{"logger", controller.name()}});
  log.Info("Waiting for caches to sync");
  if (controller.WaitForSync(stop_.get_token()) && !stop_.stop_requested()) {
    log.Info("Caches are synced");
    controller.Start();
    Tell(controller, true);
    deps_.log.V(1).Info("Controller started", {{"controller", controller.name()}});
  } else {
    log.Error("Unable to sync caches");
  }
  const MutexLock lock(mutex_);
  --starting_;
  started_.NotifyAll();
}

bool ControllerGroup::Stop(SteadyTime deadline) {
  const SteadyTime asked = deps_.executor.clock().SteadyNow();
  stop_.request_stop();
  for (const Member& member : members_) member.controller->RequestStop();
  bool waiting = false;
  {
    // From here on none starts: one that still waits for its caches will see that it is to stop.
    MutexLock lock(mutex_);
    waiting = !deps_.executor.clock().WaitUntil(
        lock, started_, deadline, [this]() FLYBALL_REQUIRES(mutex_) { return starting_ == 0; });
  }
  std::vector<std::string> running;
  for (const Member& member : members_) {
    const std::string& name = member.controller->name();
    if (member.controller->Stop(deadline)) {
      deps_.log.V(1).Info("Controller terminated", {{"controller", name}});
    } else {
      running.push_back(name);
    }
    Tell(*member.controller, false);
  }
  bool all = running.empty() && !waiting;
  if (!all) {
    deps_.log.Info("Controller shutdown timeout reached",
                   {{"timeout", deadline - asked}, {"runningControllers", running}});
  }
  for (const Member& member : members_) {
    if (member.identity) all = member.identity->events().Shutdown(deadline) && all;
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
