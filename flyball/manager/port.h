#pragma once

#include <memory>

#include "flyball/endpoints/access_metrics.h"
#include "flyball/endpoints/authentication/authenticator.h"
#include "flyball/endpoints/authentication/token_reviews.h"
#include "flyball/endpoints/authentication/trust_source.h"
#include "flyball/endpoints/authorization/access_reviews.h"
#include "flyball/endpoints/authorization/authorizer.h"
#include "flyball/endpoints/controllers_page.h"
#include "flyball/endpoints/health_checks.h"
#include "flyball/endpoints/metrics_page.h"
#include "flyball/endpoints/route_table.h"
#include "flyball/endpoints/router.h"
#include "flyball/endpoints/secure_serving.h"
#include "flyball/endpoints/sli_metrics.h"
#include "flyball/endpoints/trace_page.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/options.h"
#include "flyball/runtime/line.h"

namespace flyball::manager {

/// What the manager answers on --secure-port, to whom the API server says may ask.
class Port {
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

  /// Waits for the API server where it has to say whom to trust, and says so.
  static Result<std::unique_ptr<Port>> Open(Deps deps, const Options& options,
                                            const std::stop_token& stop);

  /// What /healthz asks.
  endpoints::HealthChecks& health() { return health_; }
  /// Lets what is being answered end.
  void Close(std::chrono::nanoseconds grace) { serving_->Stop(grace); }

 private:
  Port(Deps deps, const Options& options);
  Result<> OpenLines(const Options& options);
  Result<> FindTrust(const Options& options, const std::stop_token& stop);
  void AddPages(const Options& options);

  const Deps deps_;
  const WallTime started_;
  std::unique_ptr<runtime::Line> authentication_;  // null: nobody to ask
  std::unique_ptr<runtime::Line> authorization_;
  endpoints::AccessMetrics access_metrics_;
  std::unique_ptr<endpoints::TokenReviews> tokens_;
  std::unique_ptr<endpoints::AccessReviews> reviews_;
  std::unique_ptr<endpoints::TrustSource> trust_;
  std::unique_ptr<endpoints::Authenticator> authenticator_;
  std::unique_ptr<endpoints::Authorizer> authorizer_;
  endpoints::SliMetrics slis_;
  endpoints::HealthChecks health_;
  endpoints::MetricsPage metrics_page_;
  endpoints::RouteTable routes_;
  std::unique_ptr<endpoints::Router> router_;
  std::unique_ptr<endpoints::SecureServing> serving_;
};

}  // namespace flyball::manager
