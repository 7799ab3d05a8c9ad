#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
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
  /// Numbers by label values, shown while they are not zero.
  class Numbers {
   public:
    explicit Numbers(GaugeFamily family) : family_(family) {}
    void Add(const std::vector<std::string>& labels, int amount);

   private:
    struct Number {
      std::shared_ptr<std::atomic<std::int64_t>> value;
      GaugeCallback shown;
    };

    const GaugeFamily family_;
    Mutex mutex_;
    std::map<std::vector<std::string>, Number> numbers_ FLYBALL_GUARDED_BY(mutex_);
  };

  void Add(const PersistentVolume& volume, int amount);
  void Add(const PersistentVolumeClaim& claim, int amount);

  Numbers volumes_, bound_volumes_, unbound_volumes_, bound_claims_, unbound_claims_;
};

}  // namespace flyball::controllers::volume_binder
