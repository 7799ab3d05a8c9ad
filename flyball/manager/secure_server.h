#pragma once

#include <memory>

#include "flyball/endpoints/access_metrics.h"
#include "flyball/endpoints/authentication/authentication_info_source.h"
#include "flyball/endpoints/authentication/authenticator.h"
#include "flyball/endpoints/authentication/token_reviews.h"
#include "flyball/endpoints/authorization/access_reviews.h"
#include "flyball/endpoints/authorization/authorizer.h"
#include "flyball/endpoints/controllers_handler.h"
#include "flyball/endpoints/health_checks.h"
#include "flyball/endpoints/metrics_handler.h"
#include "flyball/endpoints/route_table.h"
#include "flyball/endpoints/router.h"
#include "flyball/endpoints/secure_serving.h"
#include "flyball/endpoints/sli_metrics.h"
#include "flyball/endpoints/trace_handler.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/options.h"
#include "flyball/runtime/api_server_connection.h"

namespace flyball::manager {

/// Serves --secure-port: authentication and authorization by the API server, health, metrics,
/// configuration and debug pages.
class SecureServer {
 public:
  struct Deps {
    Executor& executor;
    Timers& timers;
    transport::Network& network;
    MetricRegistry& metrics;
    api::RandomBits random;  ///< for any thread
    const flags::FlagSet& flags;
    endpoints::ReportControllers report_controllers;
    runtime::TraceControllers trace_controllers;
    Logger log = {};
  };

  /// Waits for the API server, and logs that, where its configmap has the client CA.
  static Result<std::unique_ptr<SecureServer>> Open(Deps deps, const Options& options,
                                                    const std::stop_token& stop);

  /// The checks of /healthz.
  endpoints::HealthChecks& health() { return health_; }
  /// Lets what is being answered end.
  void Close(std::chrono::nanoseconds grace) { serving_->Stop(grace); }

 private:
  SecureServer(Deps deps, const Options& options);
  Result<> OpenConnections(const Options& options);
  Result<> FindAuthenticationInfo(const Options& options, const std::stop_token& stop);
  void AddHandlers(const Options& options);

  const Deps deps_;
  const WallTime started_;
  std::unique_ptr<runtime::ApiServerConnection>
      authentication_;  // null: there is no API server to ask
  std::unique_ptr<runtime::ApiServerConnection> authorization_;
  endpoints::AccessMetrics access_metrics_;
  std::unique_ptr<endpoints::TokenReviews> tokens_;
  std::unique_ptr<endpoints::AccessReviews> reviews_;
  std::unique_ptr<endpoints::AuthenticationInfoSource> authentication_info_;
  std::unique_ptr<endpoints::Authenticator> authenticator_;
  std::unique_ptr<endpoints::Authorizer> authorizer_;
  endpoints::SliMetrics slis_;
  endpoints::HealthChecks health_;
  endpoints::MetricsHandler metrics_handler_;
  endpoints::RouteTable routes_;
  std::unique_ptr<endpoints::Router> router_;
  std::unique_ptr<endpoints::SecureServing> serving_;
};

}  // namespace flyball::manager
