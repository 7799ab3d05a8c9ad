#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"

namespace flyball::controllers::common {

/// Numbers by label values, of at most three labels, shown while they are not zero. Any thread.
class ShownNumbers {
 public:
  explicit ShownNumbers(GaugeFamily family) : family_(family) {}
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

}  // namespace flyball::controllers::common
