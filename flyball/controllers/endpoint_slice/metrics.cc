#include "flyball/controllers/endpoint_slice/metrics.h"

#include <utility>
#include <vector>

namespace flyball::controllers::endpoint_slice {
namespace {

MetricInfo Info(const std::string& name, const std::string& help,
                std::vector<std::string> labels = {}) {
  return {.name = "endpoint_slice_controller_" + name, .help = help, .labels = std::move(labels)};
}

HistogramFamily PerSync(MetricRegistry* registry, const MetricInfo& info) {
  if (registry == nullptr) return {};
  std::vector<double> bounds;
  for (double bound = 2; bounds.size() < 15; bound *= 2) bounds.push_back(bound);
  return registry->Histograms(info, bounds);
}

/// Those that Prometheus has where nobody names any.
HistogramFamily ChangedPerSync(MetricRegistry* registry) {
  if (registry == nullptr) return {};
  return registry->Histograms(
      Info("endpointslices_changed_per_sync", "[ALPHA] Slices written in one reconcile.",
           {"topology", "traffic_distribution"}),
      {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10});
}

GaugeFamily Gauges(MetricRegistry* registry, const MetricInfo& info) {
  return registry == nullptr ? GaugeFamily() : registry->Gauges(info);
}

CounterFamily Counters(MetricRegistry* registry, const MetricInfo& info) {
  return registry == nullptr ? CounterFamily() : registry->Counters(info);
}

double AsNumber(std::size_t count) { return static_cast<double>(count); }

}  // namespace

Metrics::Metrics(MetricRegistry* registry, std::size_t most_in_a_slice)
    : most_in_a_slice_(most_in_a_slice),
      added_(PerSync(registry, Info("endpoints_added_per_sync",
                                    "[BETA] Endpoints that came in one reconcile."))),
      removed_(PerSync(registry, Info("endpoints_removed_per_sync",
                                      "[BETA] Endpoints that went in one reconcile."))),
      endpoints_(
          Gauges(registry, Info("endpoints_desired", "[BETA] Endpoints that there ought to be."))),
      slices_(Gauges(registry, Info("num_endpoint_slices", "[BETA] Slices."))),
      desired_slices_(Gauges(registry, Info("desired_endpoint_slices",
                                            "[BETA] Slices that there would be if all were as full "
                                            "as may be."))),
      changes_(Counters(registry, Info("changes", "[ALPHA] Slices written.", {"operation"}))),
      changed_in_all_(ChangedPerSync(registry)),
      syncs_(Counters(registry, Info("syncs", "[ALPHA] Reconciles.", {"result"}))),
      distributing_(Gauges(registry, Info("services_count_by_traffic_distribution",
                                          "[BETA] Services by their trafficDistribution.",
                                          {"traffic_distribution"}))) {}

void Metrics::Packed(const api::ObjectKey& service, const PackPlan& plan) {
  added_.With().Observe(AsNumber(plan.endpoints_added));
  removed_.With().Observe(AsNumber(plan.endpoints_removed));
  const MutexLock lock(mutex_);
  // PARITY: of a service with two address families the last one counts.
  Replace(services_[service].sizes, SizesOf(plan.sizes));
}

void Metrics::ChangedInAll(bool zone_hints, std::string_view distribution,
                           std::size_t slices) const {
  changed_in_all_.With({zone_hints ? "Auto" : "Disabled", distribution}).Observe(AsNumber(slices));
}

void Metrics::Distributes(const api::ObjectKey& service,
                          std::optional<std::string_view> distribution) {
  const MutexLock lock(mutex_);
  Replace(services_[service].distribution, distribution.value_or(std::string_view()));
}

void Metrics::Forget(const api::ObjectKey& service) {
  const MutexLock lock(mutex_);
  const auto found = services_.find(service);
  if (found == services_.end()) return;
  Replace(found->second.sizes, {});
  Replace(found->second.distribution, {});
  services_.erase(found);
}

Metrics::Sizes Metrics::SizesOf(std::span<const PortSetSize> sets) const {
  Sizes sizes;
  for (const PortSetSize& set : sets) {
    sizes.endpoints += set.endpoints;
    sizes.slices += set.slices;
    sizes.desired_slices += (set.endpoints + most_in_a_slice_ - 1) / most_in_a_slice_;
  }
  // One that says that there are none.
  if (sizes.desired_slices == 0) sizes.desired_slices = 1;
  return sizes;
}

void Metrics::Replace(Sizes& sizes, const Sizes& by) {
  total_.endpoints += by.endpoints - sizes.endpoints;
  total_.slices += by.slices - sizes.slices;
  total_.desired_slices += by.desired_slices - sizes.desired_slices;
  sizes = by;
  endpoints_.With().Set(AsNumber(total_.endpoints));
  slices_.With().Set(AsNumber(total_.slices));
  desired_slices_.With().Set(AsNumber(total_.desired_slices));
}

void Metrics::Replace(std::string& distribution, std::string_view by) {
  if (distribution == by) return;
  const auto set = [this](std::string_view name, std::size_t count) {
    distributing_.With({name}).Set(AsNumber(count));
  };
  if (!distribution.empty()) set(distribution, --distributions_[distribution]);
  if (!by.empty()) set(by, ++distributions_[std::string(by)]);
  distribution = by;
}

}  // namespace flyball::controllers::endpoint_slice
