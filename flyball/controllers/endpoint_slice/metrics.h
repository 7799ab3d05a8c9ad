#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "flyball/api/object_key.h"
#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/controllers/endpoint_slice/plan.h"

namespace flyball::controllers::endpoint_slice {

/// What the controller counts, under upstream's names. Sums over all services are kept here. Any
/// thread.
class Metrics {
 public:
  /// None are kept without a registry.
  Metrics(MetricRegistry* registry, std::size_t most_in_a_slice);

  // DIVERGES: none are "stale": a service is not looked at before the caches show what was last
  // written for it.
  void Synced(bool failed) const { syncs_.With({failed ? "error" : "success"}).Increment(); }
  void Packed(const api::ObjectKey& service, const PackPlan& plan);
  /// "create", "update" or "delete".
  void Changed(std::string_view operation) const { changes_.With({operation}).Increment(); }
  void ChangedInAll(bool zone_hints, std::string_view distribution, std::size_t slices) const;

  void Distributes(const api::ObjectKey& service, std::optional<std::string_view> distribution);
  void Forget(const api::ObjectKey& service);

 private:
  struct Sizes {
    std::size_t endpoints = 0;
    std::size_t slices = 0;
    std::size_t desired_slices = 0;
  };
  struct OfService {
    Sizes sizes;
    std::string distribution;
  };
  Sizes SizesOf(std::span<const PortSetSize> sets) const;
  void Replace(Sizes& sizes, const Sizes& by) FLYBALL_REQUIRES(mutex_);
  void Replace(std::string& distribution, std::string_view by) FLYBALL_REQUIRES(mutex_);

  const std::size_t most_in_a_slice_;
  HistogramFamily added_;
  HistogramFamily removed_;
  GaugeFamily endpoints_;
  GaugeFamily slices_;
  GaugeFamily desired_slices_;
  CounterFamily changes_;
  HistogramFamily changed_in_all_;
  CounterFamily syncs_;
  GaugeFamily distributing_;
  Mutex mutex_;
  std::unordered_map<api::ObjectKey, OfService> services_ FLYBALL_GUARDED_BY(mutex_);
  Sizes total_ FLYBALL_GUARDED_BY(mutex_);
  std::map<std::string, std::size_t, std::less<>> distributions_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::endpoint_slice
