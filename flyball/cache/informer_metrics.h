#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "flyball/base/metrics.h"
#include "flyball/client/resource.h"

namespace flyball::cache {

/// How one cache goes: informer_*, with upstream's names, labels and buckets. Made from nothing, it
/// records nothing. Any thread.
class InformerMetrics {
 public:
  InformerMetrics() = default;
  /// `name` is that of the program's caches: "kube-controller-manager". The registry must outlive
  /// all copies.
  InformerMetrics(MetricRegistry& registry, std::string name, const client::Resource& resource);

  /// How long it took to store a change and to tell of it.
  void Processed(double seconds) const { latency_.Observe(seconds); }
  /// What the store has got to. Not everything that is a version is a number.
  void Reached(std::string_view resource_version) const;
  /// How many objects cannot be decoded.
  void Unreadable(std::size_t objects) const { unreadable_.Set(static_cast<double>(objects)); }
  // DIVERGES: upstream counts what is read but not stored yet. Here nothing waits there; what waits
  // are changes that handlers have yet to see.
  [[nodiscard]] GaugeCallback ShowQueued(std::move_only_function<double()> queued) const;

 private:
  std::string name_;
  client::Resource resource_;
  GaugeFamily queued_;
  Histogram latency_;
  Gauge version_;
  Gauge unreadable_;
};

}  // namespace flyball::cache
