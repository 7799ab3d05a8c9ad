#pragma once

#include <string_view>
#include <unordered_map>

#include "flyball/api/object_key.h"
#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/controllers/endpoint_slice_mirroring/plan.h"

namespace flyball::controllers::endpoint_slice_mirroring {

/// What is counted of the work on mirrors, and how much there is of them. The latter is kept for
/// each Endpoints, since a sum can be kept right only by who knows what was in it. Any thread.
class Metrics {
 public:
  /// Null: nothing is counted.
  explicit Metrics(MetricRegistry* registry);

  void Planned(const api::ObjectKey& endpoints, const Plan& plan);
  /// Nothing is mirrored of them any more.
  void Gone(const api::ObjectKey& endpoints);
  /// "create", "update" or "delete".
  void Changed(std::string_view operation) const { changes_.With({operation}).Increment(); }
  void Took(double seconds) const { duration_.Observe(seconds); }

 private:
  void Show() const FLYBALL_REQUIRES(mutex_);

  Histogram added_;
  Histogram updated_;
  Histogram removed_;
  Histogram skipped_;
  Histogram duration_;
  CounterFamily changes_;
  Gauge endpoints_;
  Gauge slices_;
  Gauge fewest_slices_;
  Mutex mutex_;
  std::unordered_map<api::ObjectKey, Totals> totals_ FLYBALL_GUARDED_BY(mutex_);
  Totals sum_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::endpoint_slice_mirroring
