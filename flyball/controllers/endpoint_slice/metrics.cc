#include "flyball/controllers/endpoint_slice/metrics.h"

#include <utility>
#include <vector>

namespace flyball::controllers::endpoint_slice {
namespace {

MetricInfo Info(const std::string& name, const std::string& help,
                std::vector<std::string> labels = {}) {
  return {.name = name, .help = help, .labels = std::move(labels)};
}

HistogramFamily PerSyncHistogram(MetricRegistry* registry, const MetricInfo& info) {
  if (registry == nullptr) return {};
  std::vector<double> bounds;
  for (double bound = 2; bounds.size() < 15; bound *= 2) bounds.push_back(bound);
  return registry->Histograms(info, bounds);
}

/// Those that Prometheus has where nobody names any.
HistogramFamily ChangedPerSync(MetricRegistry* registry) {
  if (registry == nullptr) return {};
  return registry->Histograms(
      Info("endpoint_slice_controller_endpointslices_changed_per_sync",
           "[ALPHA] Number of EndpointSlices that one sync of a Service created, updated or "
           "deleted, by topology hints (Auto or Disabled) and trafficDistribution.",
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
      added_(PerSyncHistogram(registry, Info("endpoint_slice_controller_endpoints_added_per_sync",
                                             "[BETA] Number of endpoints that one sync of a "
                                             "Service added to its EndpointSlices."))),
      removed_(
          PerSyncHistogram(registry, Info("endpoint_slice_controller_endpoints_removed_per_sync",
                                          "[BETA] Number of endpoints that one sync of a Service "
                                          "removed from its EndpointSlices."))),
      endpoints_(Gauges(registry, Info("endpoint_slice_controller_endpoints_desired",
                                       "[BETA] Number of endpoints that the EndpointSlices of all "
                                       "Services should contain."))),
      slices_(Gauges(
          registry,
          Info("endpoint_slice_controller_num_endpoint_slices",
               "[BETA] Number of EndpointSlices that the endpoint slice controller manages."))),
      desired_slices_(
          Gauges(registry, Info("endpoint_slice_controller_desired_endpoint_slices",
                                "[BETA] Number of EndpointSlices that would suffice if each one "
                                "were filled up to --max-endpoints-per-slice."))),
      changes_(Counters(registry, Info("endpoint_slice_controller_changes",
                                       "[ALPHA] Number of EndpointSlices written by the endpoint "
                                       "slice controller, by operation: create, update or delete.",
                                       {"operation"}))),
      changed_in_all_(ChangedPerSync(registry)),
      syncs_(Counters(
          registry,
          Info("endpoint_slice_controller_syncs",
               "[ALPHA] Number of Service syncs by the endpoint slice controller, by result.",
               {"result"}))),
      distributing_(
          Gauges(registry,
                 Info("endpoint_slice_controller_services_count_by_traffic_distribution",
                      "[BETA] Number of Services that set spec.trafficDistribution, by its value.",
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
