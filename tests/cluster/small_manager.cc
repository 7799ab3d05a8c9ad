#include "tests/cluster/small_manager.h"

#include <atomic>
#include <random>
#include <utility>

#include "flyball/controllers/registry.h"
#include "flyball/runtime/core_event_recorder.h"
#include "flyball/runtime/event_sink.h"
#include "flyball/runtime/service_account_tokens.h"

namespace flyball::cluster {
namespace {

/// For any thread.
api::RandomBits Dice() {
  return [rolls = std::make_shared<std::atomic<std::uint64_t>>(std::random_device()())] {
    return std::mt19937_64(++*rolls)();
  };
}

}  // namespace

/// The server as one identity sees it, with a sink for its events.
class SmallManager::Account {
 public:
  Account(const Deps& deps, const client::AccessConfig& access, client::IssueCredential issue = {})
      : credentials_(*client::Credentials::Create(
            access, {.clock = deps.executor.clock(), .log = deps.log, .issue = std::move(issue)})),
        rest_({.transport = deps.transport,
               .clock = deps.executor.clock(),
               .credentials = credentials_.get(),
               .log = deps.log,
               .gate = deps.gate},
              {.user_agent = deps.user_agent}),
        client_(rest_),
        events_({.executor = deps.executor, .client = client_, .random = Dice(), .log = deps.log}) {
  }

  const client::Client& client() const { return client_; }
  runtime::EventSink& events() { return events_; }

 private:
  const std::unique_ptr<client::Credentials> credentials_;
  client::RestClient rest_;
  const client::Client client_;
  runtime::EventSink events_;
};

SmallManager::SmallManager(Deps deps)
    : deps_(std::move(deps)),
      own_(std::make_unique<Account>(deps_, deps_.access)),
      informers_({.client = own_->client(),
                  .executor = deps_.executor,
                  .timers = timers_,
                  .random = [dice = Dice()] { return static_cast<double>(dice() % 1024) / 1024; },
                  .log = deps_.log,
                  .metrics = &metrics_}) {}

SmallManager::~SmallManager() { static_cast<void>(Stop(SteadyTime::max())); }

Result<> SmallManager::Start(const std::stop_token& stop) {
  for (const controllers::Entry& entry : controllers::All()) {
    const runtime::ServiceAccountTokens tokens({own_->client(), deps_.executor.clock(), deps_.log},
                                               {"kube-system", std::string(entry.service_account)});
    Account& account =
        *accounts_.emplace_back(std::make_unique<Account>(deps_, deps_.access, tokens));
    controllers_.push_back(entry.make({.client = account.client(),
                                       .informers = informers_,
                                       .executor = deps_.executor,
                                       .timers = timers_,
                                       .events = runtime::CoreEventsTo(account.events()),
                                       .metrics = &metrics_,
                                       .log = deps_.log},
                                      {}));
  }
  informers_.Start();
  if (!informers_.WaitForSync(stop)) return Fail(ErrorCode::kCancelled, "asked to stop");
  for (const auto& controller : controllers_) controller->Start();
  return {};
}

bool SmallManager::Stop(SteadyTime deadline) {
  bool all = true;
  for (const auto& controller : controllers_) all = controller->Stop(deadline) && all;
  for (const auto& account : accounts_) all = account->events().Shutdown(deadline) && all;
  if (all) informers_.Stop();
  return all;
}

}  // namespace flyball::cluster
