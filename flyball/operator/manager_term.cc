#include "flyball/operator/manager_term.h"

#include <utility>

#include "flyball/base/randomness.h"
#include "flyball/runtime/core_event_recorder.h"

namespace flyball {

ManagerTerm::ManagerTerm(Manager& manager, Deps deps)
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

ManagerTerm::~ManagerTerm() = default;

Result<> ManagerTerm::Start(const std::stop_token& /*stop*/) {
  for (const Manager::NamedController& controller : manager_.controllers()) {
    FLYBALL_TRY(auto account, deps_.open_account(controller.name));
    auto made = controller.make({.client = account->client(),
                                 .informers = informers_,
                                 .executor = deps_.executor,
                                 .timers = deps_.timers,
                                 .events = runtime::CoreEventsTo(account->events()),
                                 .metrics = &manager_.metrics(),
                                 .log = deps_.log.With({{"controller", controller.name}})});
    group_.Add(std::move(made), std::move(account));
  }
  group_.Start();
  return {};
}

Result<> ManagerTerm::Ready() const {
  for (const cache::InformerFactory::Status& cache : informers_.Statuses()) {
    if (cache.state.synced && !cache.state.problem) continue;
    const std::string why =
        cache.state.problem ? cache.state.problem->Describe() : "not read to the end yet";
    return Fail(ErrorCode::kUnavailable, cache.name + ": " + why);
  }
  return {};
}

}  // namespace flyball
