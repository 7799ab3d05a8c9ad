#pragma once

#include "flyball/base/logging.h"
#include "flyball/endpoints/health_checks.h"
#include "flyball/endpoints/metrics_page.h"
#include "flyball/endpoints/page.h"
#include "flyball/endpoints/route_table.h"
#include "flyball/endpoints/sli_metrics.h"

namespace flyball::endpoints {

/// What kube-controller-manager answers, path by path. Pages that are not given are not there.
struct StandardPages {
  HealthChecks& health;
  SliMetrics& slis;
  MetricsPage& metrics;
  Page configz = {};
  Page flagz = {};
  Page statusz = {};
  Page controllers = {};
  Page trace = {};
  bool profiling = true;  ///< --profiling: all under /debug/
  Logger log = {};        ///< whose verbosity can be changed
};

/// The parts must outlive the table.
// PARITY: there is no /livez, no /readyz and no index at /, though strangers may ask for the first
// two.
void AddStandardPages(RouteTable& routes, const StandardPages& pages);

}  // namespace flyball::endpoints
