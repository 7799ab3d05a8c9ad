#include "tests/cluster/observer.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "flyball/base/check.h"

namespace flyball::cluster {
namespace {

client::AccessConfig AccessTo(const ControlPlane& plane) {
  static std::atomic<int> files = 0;
  const auto file = plane.WriteKubeconfig("connection-" + std::to_string(++files),
                                          {.token = plane.admin_token()});
  FLYBALL_CHECK(file, file.error().Describe());
  auto access = client::ToolAccess(file->string(), {}, {}, {});
  FLYBALL_CHECK(access, access.error().Describe());
  return *std::move(access);
}

/// Different for each who waits, and the same in every run.
std::function<double()> Spread() {
  return [n = std::make_shared<std::atomic<unsigned>>(0)] { return (++*n * 7 % 10) / 10.0; };
}

}  // namespace

std::shared_ptr<transport::Exchange> ListeningTransport::Send(
    transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) {
  {
    MutexLock lock(mutex_);
    asked_.push_back(request.method + " " + request.target);
  }
  return next_.Send(std::move(request), std::move(handler));
}

int ListeningTransport::Asked(const std::vector<std::string_view>& parts) const {
  MutexLock lock(mutex_);
  return static_cast<int>(std::ranges::count_if(asked_, [&](const std::string& asked) {
    return std::ranges::all_of(parts, [&](std::string_view part) { return asked.contains(part); });
  }));
}

Connection::Connection(ControlPlane& plane, Clock& clock, transport::Network& network,
                       const scripted::Proxy* proxy)
    : access_(AccessTo(plane)),
      credentials_(*client::Credentials::Create(access_, {.clock = clock})),
      transport_(network,
                 [&] {
                   auto options = plane.TransportOptions();
                   if (proxy != nullptr) options.proxy = *transport::Url::Parse(proxy->url());
                   return options;
                 }()),
      listening_(transport_),
      rest_({.transport = listening_, .clock = clock, .credentials = credentials_.get()}, {}),
      client_(rest_) {}

Observer::Observer(ControlPlane& plane, Executor& executor, transport::Network& network)
    : proxy_(executor),
      connection_(plane, executor.clock(), network, &proxy_),
      timers_(executor),
      deps_{executor, timers_, Spread(), Logger({.verbosity = 2}, executor.clock(), log_)},
      informers_({.client = connection_.client(),
                  .executor = deps_.executor,
                  .timers = deps_.timers,
                  .random = deps_.random,
                  .log = deps_.log}) {}

Observer::~Observer() = default;

int Observer::TimesTooFarBehind() const {
  const std::string text = log();
  int times = 0;
  constexpr std::string_view kLine = "Watch expired, relisting";
  for (auto at = text.find(kLine); at != std::string::npos; at = text.find(kLine, at + 1)) ++times;
  return times;
}

}  // namespace flyball::cluster
