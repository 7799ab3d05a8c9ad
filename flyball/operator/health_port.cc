#include "flyball/operator/health_port.h"

#include <utility>

namespace flyball {
namespace {

using endpoints::Call;

void AddChecks(endpoints::RouteTable& routes, const std::string& path,
               const endpoints::HealthChecks& checks) {
  routes.Add(path, [&checks](const Call& call) { return checks.Answer(call); });
}

}  // namespace

HealthPort::HealthPort(const Deps& deps)
    : health_({.log = deps.log}),
      ready_({.log = deps.log}),
      metrics_page_(deps.metrics),
      authenticator_({.clock = deps.executor.clock(),
                      .trust = [] { return std::make_shared<const endpoints::Trust>(); }}),
      authorizer_(*endpoints::OpenPaths::Parse({"/*"}), nullptr),
      router_({.executor = deps.executor,
               .routes = routes_,
               .authenticator = authenticator_,
               .authorizer = authorizer_,
               .log = deps.log}) {
  AddChecks(routes_, "/healthz", health_);
  AddChecks(routes_, "/readyz", ready_);
  routes_.Add("/metrics", [this](const Call& call) { return metrics_page_.Answer(call); });
}

HealthPort::~HealthPort() {
  // Before what it asks.
  server_.reset();
}

Result<std::unique_ptr<HealthPort>> HealthPort::Open(const Deps& deps, Options options) {
  std::unique_ptr<HealthPort> port(new HealthPort(deps));
  FLYBALL_TRY(port->server_,
              serving::HttpServer::Listen(
                  deps.network, port->router_,
                  {.address = std::move(options.address), .port = options.port}, deps.log));
  return port;
}

}  // namespace flyball
