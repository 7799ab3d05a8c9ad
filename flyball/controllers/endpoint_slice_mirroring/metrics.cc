#include "flyball/controllers/endpoint_slice_mirroring/metrics.h"

#include <string>
#include <vector>

namespace flyball::controllers::endpoint_slice_mirroring {
namespace {

std::string NameOf(std::string_view what) {
  return "endpoint_slice_mirroring_controller_" + std::string(what);
}

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
  const auto counts = [registry](std::string_view what, const std::string& help) {
    return registry->Histograms({.name = NameOf(what), .help = "[ALPHA] " + help}, Bounds(2))
        .With();
  };
  added_ = counts("endpoints_added_per_sync", "Endpoints that came into slices at a sync.");
  updated_ = counts("endpoints_updated_per_sync", "Endpoints that a sync put right in slices.");
  removed_ = counts("endpoints_removed_per_sync", "Endpoints that left slices at a sync.");
  skipped_ = counts("addresses_skipped_per_sync",
                    "Addresses that a sync left out, as too many or as none at all.");
  duration_ = registry
                  ->Histograms({.name = NameOf("endpoints_sync_duration"),
                                .help = "[ALPHA] Seconds that a sync of Endpoints took."},
                               Bounds(0.001))
                  .With();
  changes_ = registry->Counters(
      {.name = NameOf("changes"), .help = "[ALPHA] Changes of slices.", .labels = {"operation"}});
  const auto shows = [registry](std::string_view what, const std::string& help) {
    return registry->Gauges({.name = NameOf(what), .help = "[ALPHA] " + help}).With();
  };
  endpoints_ = shows("endpoints_desired", "Endpoints that slices ought to have.");
  slices_ = shows("num_endpoint_slices", "Slices that there are.");
  fewest_slices_ = shows("desired_endpoint_slices", "Slices that would do, if they were full.");
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
