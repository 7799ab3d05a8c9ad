// greeter: the smallest operator. To a ConfigMap with a `name` it adds a `greeting`, and ends when
// it has seen one. It finds its cluster as kubectl does.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/base/executor.h"
#include "flyball/base/randomness.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/access_config.h"
#include "flyball/client/environment.h"
#include "flyball/runtime/client_identity.h"
#include "flyball/runtime/controller.h"
#include "flyball/transport/http_transport.h"
#include "flyball/transport/network.h"

namespace {

using flyball::Result;
using flyball::api::ObjectKey;
using flyball::core::v1::ConfigMap;
using flyball::runtime::Context;
using flyball::runtime::Outcome;

class Greeter {
 public:
  Greeter(flyball::cache::Lister<ConfigMap> maps, std::atomic<bool>& seen)
      : maps_(std::move(maps)), seen_(seen) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto cached = maps_.Get(key);
    const std::string* const name = cached ? cached->data.find("name") : nullptr;
    if (name == nullptr) return Outcome::Done();
    const std::string greeting = "Hello, " + *name;
    const std::string* const said = cached->data.find("greeting");
    if (said != nullptr && *said == greeting) {
      seen_ = true;
      seen_.notify_all();
      return Outcome::Done();
    }
    ConfigMap map = *cached;
    map.data["greeting"] = greeting;
    FLYBALL_TRY(context.Update(map));
    return Outcome::Done();
  }

 private:
  const flyball::cache::Lister<ConfigMap> maps_;
  std::atomic<bool>& seen_;
};

Result<> GreetOne() {
  flyball::RealClock clock;
  flyball::ElasticExecutor executor(clock);
  flyball::transport::Network network(executor);
  flyball::Timers timers(executor);

  FLYBALL_TRY(const auto access,
              flyball::client::ToolAccess("", {}, flyball::client::Environment(), {}));
  std::unique_ptr<flyball::runtime::ClientIdentity> identity;
  flyball::transport::HttpTransport::Options options;
  options.server = access.server;
  options.tls = [&identity] { return identity->credentials().Tls(); };
  flyball::transport::HttpTransport transport(network, std::move(options));
  FLYBALL_TRY(
      identity,
      flyball::runtime::ClientIdentity::Create(
          {.executor = executor, .transport = transport, .random = flyball::ProcessRandom()},
          access, {.user_agent = "greeter"}));

  flyball::cache::InformerFactory informers(
      {.client = identity->client(), .executor = executor, .timers = timers, .random = [] {
         return 0.5;
       }});
  std::atomic<bool> seen = false;
  flyball::runtime::Controller controller("greeter", {.client = identity->client(),
                                                      .informers = informers,
                                                      .executor = executor,
                                                      .timers = timers});
  const auto maps = controller.Reads<ConfigMap>();
  auto& queue = controller.AddQueue<>({.name = "greeter"}, Greeter(maps.lister(), seen));
  const auto add = [&queue](const ConfigMap& map) { queue.Add(ObjectKey::Of(map)); };
  controller.On<ConfigMap>(maps, {.added = [add](const auto& map, bool) { add(*map); },
                                  .updated = [add](const auto&, const auto& map) { add(*map); }});
  informers.Start();
  if (!controller.WaitForSync({})) return {};
  controller.Start();
  seen.wait(false);
  return {};
}

}  // namespace

int main() {
  const Result<> greeted = GreetOne();
  if (!greeted) std::fprintf(stderr, "greeter: %s\n", greeted.error().message().c_str());
  return greeted ? 0 : 1;
}
