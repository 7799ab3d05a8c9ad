#include "tests/cluster/small_manager.h"

#include <utility>
#include <vector>

#include "flyball/base/randomness.h"
#include "flyball/controllers/registry.h"
#include "flyball/runtime/service_account_tokens.h"

namespace flyball::cluster {
namespace {

std::vector<const controllers::Entry*> AllControllers() {
  std::vector<const controllers::Entry*> all;
  for (const controllers::Entry& entry : controllers::All()) all.push_back(&entry);
  return all;
}

}  // namespace

SmallManager::SmallManager(Deps deps)
    : deps_(std::move(deps)),
      own_(*runtime::ClientIdentity::Create(IdentityDeps(), deps_.access,
                                            {.user_agent = deps_.user_agent})),
      host_(
          {.executor = deps_.executor,
           .timers = timers_,
           .own = *own_,
           .open_identity = [this](const controllers::Entry& entry) { return OpenIdentity(entry); },
           .random = ProcessRandom(),
           .metrics = metrics_,
           .log = deps_.log},
          {.controllers = AllControllers(), .settings = deps_.settings}) {}

Result<std::unique_ptr<runtime::ClientIdentity>> SmallManager::OpenIdentity(
    const controllers::Entry& entry) const {
  if (entry.service_account.empty()) {
    return runtime::ClientIdentity::Create(IdentityDeps(), deps_.access,
                                           {.user_agent = deps_.user_agent});
  }
  const runtime::ServiceAccountTokens tokens({own_->client(), deps_.executor.clock(), deps_.log},
                                             {"kube-system", std::string(entry.service_account)});
  return runtime::ClientIdentity::Create(IdentityDeps(), runtime::WithoutIdentity(deps_.access),
                                         {.user_agent = deps_.user_agent, .issue = tokens});
}

runtime::ClientIdentity::Deps SmallManager::IdentityDeps() const {
  return {.executor = deps_.executor,
          .transport = deps_.transport,
          .random = ProcessRandom(),
          .fence = deps_.fence,
          .log = deps_.log};
}

}  // namespace flyball::cluster
