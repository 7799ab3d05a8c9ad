#include "flyball/operator/manager_runnable.h"

#include <utility>

#include "flyball/base/randomness.h"
#include "flyball/runtime/core_event_recorder.h"

namespace flyball {

ManagerRunnable::ManagerRunnable(Manager& manager, Deps deps)
    : manager_(manager),
      deps_(std::move(deps)),
      informers_({.client = deps_.reader,
                  .executor = deps_.executor,
                  .timers = deps_.timers,
                  .random = Fraction(deps_.random),
                  .log = deps_.log,
                  .metrics = &manager_.metrics(),
                  .name = manager_.options().name}),
      group_({.executor = deps_.executor,
              .informers = informers_,
              .random = deps_.random,
              .log = deps_.log}) {}

ManagerRunnable::~ManagerRunnable() = default;

Result<> ManagerRunnable::Start(const std::stop_token& /*stop*/) {
  for (const Manager::NamedController& controller : manager_.controllers()) {
    FLYBALL_TRY(auto identity, deps_.open_identity(controller.name));
    auto made = controller.make({.client = identity->client(),
                                 .informers = informers_,
                                 .executor = deps_.executor,
                                 .timers = deps_.timers,
                                 .events = runtime::CoreEventsTo(identity->events()),
                                 .metrics = &manager_.metrics(),
                                 .log = deps_.log.With({{"controller", controller.name}}),
                                 .random = deps_.random});
    group_.Add(std::move(made), std::move(identity));
  }
  group_.Start();
  return {};
}

Result<> ManagerRunnable::Ready() const {
  for (const cache::InformerFactory::Status& cache : informers_.Statuses()) {
    if (cache.state.synced && !cache.state.problem) continue;
    const std::string why =
        cache.state.problem ? cache.state.problem->Describe() : "cache has not synced yet";
    return Fail(ErrorCode::kUnavailable, cache.name + ": " + why);
  }
  return {};
}

}  // namespace flyball
