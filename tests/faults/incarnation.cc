#include "tests/faults/incarnation.h"

#include <vector>

namespace flyball::faults {
namespace {

using controllers::Entry;

std::vector<const Entry*> AllControllers() {
  std::vector<const Entry*> all;
  for (const Entry& entry : controllers::All()) all.push_back(&entry);
  return all;
}

}  // namespace

Incarnation::Incarnation(const Deps& deps)
    : deps_(deps),
      line_(deps.server, deps.executor),
      own_(*OpenAccount()),
      host_({.executor = deps.executor,
             .timers = deps.timers,
             .own = *own_,
             .open_account = [this](const Entry& /*entry*/) { return OpenAccount(); },
             .random = deps.random,
             .metrics = metrics_,
             .log = deps.log},
            {.controllers = AllControllers(), .settings = deps.settings}) {}

Result<std::unique_ptr<runtime::Account>> Incarnation::OpenAccount() {
  return runtime::Account::Create(
      {.executor = deps_.executor, .transport = line_, .random = deps_.random, .log = deps_.log},
      {}, {.user_agent = "kube-controller-manager"});
}

Result<> Incarnation::Start() {
  FLYBALL_TRY(host_.Start({}));
  host_.informers().WaitForSync({});
  return {};
}

}  // namespace flyball::faults
