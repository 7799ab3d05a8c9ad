#include "flyball/operator/health_server.h"

#include <utility>

namespace flyball {
namespace {

using endpoints::Call;

void AddChecks(endpoints::RouteTable& routes, const std::string& path,
               const endpoints::HealthChecks& checks) {
  routes.Add(path, [&checks](const Call& call) { return checks.Answer(call); });
}

}  // namespace

HealthServer::HealthServer(const Deps& deps)
    : health_({.log = deps.log}),
      ready_({.log = deps.log}),
      metrics_handler_(deps.metrics),
      authenticator_(
          {.clock = deps.executor.clock(),
           .authentication_info =
               [] { return std::make_shared<const endpoints::ClusterAuthenticationInfo>(); }}),
      authorizer_(*endpoints::OpenPaths::Parse({"/*"}), nullptr),
      router_({.executor = deps.executor,
               .routes = routes_,
               .authenticator = authenticator_,
               .authorizer = authorizer_,
               .log = deps.log}) {
  AddChecks(routes_, "/healthz", health_);
  AddChecks(routes_, "/readyz", ready_);
  routes_.Add("/metrics", [this](const Call& call) { return metrics_handler_.Answer(call); });
}

HealthServer::~HealthServer() {
  // Before what it asks.
  server_.reset();
}

Result<std::unique_ptr<HealthServer>> HealthServer::Open(const Deps& deps, Options options) {
  std::unique_ptr<HealthServer> server(new HealthServer(deps));
  FLYBALL_TRY(server->server_,
              serving::HttpServer::Listen(
                  deps.network, server->router_,
                  {.address = std::move(options.address), .port = options.port}, deps.log));
  return server;
}

}  // namespace flyball
