#include "flyball/controllers/endpoint_slice_mirroring/metrics.h"

#include <vector>

namespace flyball::controllers::endpoint_slice_mirroring {
namespace {

/// Twice as much each time.
std::vector<double> Bounds(double first) {
  std::vector<double> bounds;
  for (double bound = first; bounds.size() < 15; bound *= 2) bounds.push_back(bound);
  return bounds;
}

void Add(Totals& sum, const Totals& part) {
  sum.endpoints += part.endpoints;
  sum.slices += part.slices;
  sum.fewest_slices += part.fewest_slices;
}
void Subtract(Totals& sum, const Totals& part) {
  sum.endpoints -= part.endpoints;
  sum.slices -= part.slices;
  sum.fewest_slices -= part.fewest_slices;
}

}  // namespace

Metrics::Metrics(MetricRegistry* registry) {
  if (registry == nullptr) return;
  const auto histogram = [registry](const char* name, const char* help, double first_bound) {
    return registry->Histograms({.name = name, .help = help}, Bounds(first_bound)).With();
  };
  added_ = histogram("endpoint_slice_mirroring_controller_endpoints_added_per_sync",
                     "[ALPHA] Number of endpoints that one sync of an Endpoints object added to "
                     "the mirrored EndpointSlices.",
                     2);
  updated_ = histogram("endpoint_slice_mirroring_controller_endpoints_updated_per_sync",
                       "[ALPHA] Number of endpoints that one sync of an Endpoints object changed "
                       "within the mirrored EndpointSlices.",
                       2);
  removed_ = histogram("endpoint_slice_mirroring_controller_endpoints_removed_per_sync",
                       "[ALPHA] Number of endpoints that one sync of an Endpoints object removed "
                       "from the mirrored EndpointSlices.",
                       2);
  skipped_ = histogram(
      "endpoint_slice_mirroring_controller_addresses_skipped_per_sync",
      "[ALPHA] Number of addresses that one sync of an Endpoints object did not mirror, either "
      "because they are not valid IP addresses or because the subset is too large.",
      2);
  duration_ = histogram("endpoint_slice_mirroring_controller_endpoints_sync_duration",
                        "[ALPHA] Duration of one sync of an Endpoints object by the endpoint slice "
                        "mirroring controller, in seconds.",
                        0.001);
  changes_ = registry->Counters(
      {.name = "endpoint_slice_mirroring_controller_changes",
       .help = "[ALPHA] Number of mirrored EndpointSlices written by the endpoint slice mirroring "
               "controller, by operation: create, update or delete.",
       .labels = {"operation"}});
  const auto gauge = [registry](const char* name, const char* help) {
    return registry->Gauges({.name = name, .help = help}).With();
  };
  endpoints_ =
      gauge("endpoint_slice_mirroring_controller_endpoints_desired",
            "[ALPHA] Number of endpoints that all mirrored EndpointSlices should contain.");
  slices_ = gauge("endpoint_slice_mirroring_controller_num_endpoint_slices",
                  "[ALPHA] Number of mirrored EndpointSlices that the endpoint slice mirroring "
                  "controller manages.");
  fewest_slices_ = gauge("endpoint_slice_mirroring_controller_desired_endpoint_slices",
                         "[ALPHA] Number of mirrored EndpointSlices that would suffice if each one "
                         "were filled to its limit.");
}

void Metrics::Planned(const api::ObjectKey& endpoints, const Plan& plan) {
  skipped_.Observe(static_cast<double>(plan.skipped));
  added_.Observe(static_cast<double>(plan.added));
  updated_.Observe(static_cast<double>(plan.updated));
  removed_.Observe(static_cast<double>(plan.removed));
  const MutexLock lock(mutex_);
  Totals& totals = totals_[endpoints];
  Subtract(sum_, totals);
  totals = plan.totals;
  Add(sum_, totals);
  Show();
}

void Metrics::Gone(const api::ObjectKey& endpoints) {
  const MutexLock lock(mutex_);
  const auto found = totals_.find(endpoints);
  if (found == totals_.end()) return;
  Subtract(sum_, found->second);
  totals_.erase(found);
  Show();
}

void Metrics::Show() const {
  endpoints_.Set(static_cast<double>(sum_.endpoints));
  slices_.Set(static_cast<double>(sum_.slices));
  fewest_slices_.Set(static_cast<double>(sum_.fewest_slices));
}

}  // namespace flyball::controllers::endpoint_slice_mirroring
