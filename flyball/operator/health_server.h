#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "flyball/endpoints/authentication/authenticator.h"
#include "flyball/endpoints/authorization/authorizer.h"
#include "flyball/endpoints/health_checks.h"
#include "flyball/endpoints/http_handler.h"
#include "flyball/endpoints/metrics_handler.h"
#include "flyball/endpoints/route_table.h"
#include "flyball/endpoints/router.h"
#include "flyball/serving/http_server.h"

namespace flyball {

/// What an operator answers to probes and to Prometheus, in plain HTTP and to whoever asks:
/// /healthz, /readyz and /metrics. It says nothing that is in an object.
class HealthServer {
 public:
  struct Deps {
    Executor& executor;
    transport::Network& network;
    MetricRegistry& metrics;
    Logger log = {};
  };
  struct Options {
    std::string address = "0.0.0.0";
    std::uint16_t port = 8080;  ///< zero: any that is free
  };

  /// Fails if the port is taken.
  static Result<std::unique_ptr<HealthServer>> Open(const Deps& deps, Options options);
  ~HealthServer();

  endpoints::HealthChecks& health() { return health_; }
  endpoints::HealthChecks& ready() { return ready_; }
  std::string url() const { return server_->url(); }

 private:
  explicit HealthServer(const Deps& deps);

  endpoints::HealthChecks health_;
  endpoints::HealthChecks ready_;
  endpoints::MetricsHandler metrics_handler_;
  endpoints::RouteTable routes_;
  const endpoints::Authenticator authenticator_;
  const endpoints::Authorizer authorizer_;
  endpoints::Router router_;
  std::unique_ptr<serving::HttpServer> server_;
};

}  // namespace flyball
