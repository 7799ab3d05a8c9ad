#pragma once

#include "flyball/base/logging.h"
#include "flyball/endpoints/health_checks.h"
#include "flyball/endpoints/http_handler.h"
#include "flyball/endpoints/metrics_handler.h"
#include "flyball/endpoints/route_table.h"
#include "flyball/endpoints/sli_metrics.h"

namespace flyball::endpoints {

/// What kube-controller-manager answers, path by path. Pages that are not given are not there.
struct DefaultHandlers {
  HealthChecks& health;
  SliMetrics& slis;
  MetricsHandler& metrics;
  HttpHandler configz = {};
  HttpHandler flagz = {};
  HttpHandler statusz = {};
  HttpHandler controllers = {};
  HttpHandler trace = {};
  bool profiling = true;  ///< --profiling: all under /debug/
  Logger log = {};        ///< whose verbosity can be changed
};

/// The parts must outlive the table.
// PARITY: there is no /livez, no /readyz and no index at /, though strangers may ask for the first
// two.
void AddDefaultHandlers(RouteTable& routes, const DefaultHandlers& handlers);

}  // namespace flyball::endpoints
