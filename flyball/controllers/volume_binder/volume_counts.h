#pragma once

#include "flyball/base/metrics.h"
#include "flyball/controllers/common/shown_numbers.h"
#include "flyball/controllers/volume_binder/annotations.h"

namespace flyball::controllers::volume_binder {

/// How many claims and volumes there are, for the metrics: bound and not, by class and by driver.
/// Told of each object as it comes, changes and goes; null stands for one that was or is not there.
/// Any thread.
class VolumeCounts {
 public:
  explicit VolumeCounts(MetricRegistry& metrics);

  void Count(const PersistentVolume* before, const PersistentVolume* now);
  void Count(const PersistentVolumeClaim* before, const PersistentVolumeClaim* now);

 private:
  void Add(const PersistentVolume& volume, int amount);
  void Add(const PersistentVolumeClaim& claim, int amount);

  common::ShownNumbers volumes_, bound_volumes_, unbound_volumes_, bound_claims_, unbound_claims_;
};

}  // namespace flyball::controllers::volume_binder
