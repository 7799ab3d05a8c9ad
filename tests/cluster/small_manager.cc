#include "tests/cluster/small_manager.h"

#include <atomic>
#include <random>
#include <utility>

#include "flyball/api/authentication/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/runtime/core_event_recorder.h"
#include "flyball/runtime/event_sink.h"

namespace flyball::cluster {
namespace {

using authentication::v1::TokenRequest;
using core::v1::ServiceAccount;

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
  Account(const Deps& deps, const client::AccessConfig& access)
      : credentials_(*client::Credentials::Create(
            access, {.clock = deps.executor.clock(), .log = deps.log})),
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

Result<std::string> SmallManager::TokenOf(std::string_view service_account) const {
  const auto accounts = own_->client().Of<ServiceAccount>();
  const api::ObjectKey key{"kube-system", std::string(service_account)};
  auto account = accounts.Get(key);
  if (!account && account.error().code() == ErrorCode::kNotFound) {
    ServiceAccount fresh;
    fresh.metadata.namespace_ = key.namespace_;
    fresh.metadata.name = key.name;
    account = accounts.Create(fresh);
    // By another manager, meanwhile.
    if (!account && account.error().code() == ErrorCode::kAlreadyExists) account = fresh;
  }
  FLYBALL_TRY(account);
  FLYBALL_TRY(auto token, own_->client().CreateToken(key, TokenRequest()));
  return std::move(token.status.token);
}

Result<> SmallManager::Start(const std::stop_token& stop) {
  for (const controllers::Entry& entry : controllers::All()) {
    client::AccessConfig access = deps_.access;
    if (!entry.service_account.empty()) {
      FLYBALL_TRY(access.token.data, TokenOf(entry.service_account));
    }
    Account& account = *accounts_.emplace_back(std::make_unique<Account>(deps_, access));
    FLYBALL_TRY(auto controller, entry.make({.client = account.client(),
                                             .informers = informers_,
                                             .executor = deps_.executor,
                                             .timers = timers_,
                                             .events = runtime::CoreEventsTo(account.events()),
                                             .metrics = &metrics_,
                                             .log = deps_.log},
                                            deps_.settings));
    if (controller) controllers_.push_back(std::move(controller));
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
