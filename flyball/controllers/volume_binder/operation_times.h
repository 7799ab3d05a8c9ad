#pragma once

#include <map>
#include <string>

#include "flyball/base/clock.h"
#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"

namespace flyball::controllers::volume_binder {

/// How long it takes until a claim has the volume that was made for it, and until a volume is gone
/// whose claim is; and how often something about that failed here. It is known of what began while
/// this manager led, and of nothing else. Any thread.
class OperationTimes {
 public:
  enum class Operation { kProvision, kDelete };

  /// Shows nothing without a registry.
  OperationTimes(MetricRegistry* registry, const Clock& clock);

  /// Of a claim, "namespace/name", or of a volume. One that goes on is not begun again.
  void Begin(const std::string& key, const std::string& plugin, Operation operation);
  /// It goes on: somebody tries again. Nothing if none has begun, nor in the others.
  void Failed(const std::string& key);
  void Done(const std::string& key);
  /// It will not come to its end.
  void Forget(const std::string& key);

 private:
  struct Begun {
    std::string plugin;
    Operation operation = Operation::kProvision;
    SteadyTime at;
  };

  const Clock& clock_;
  HistogramFamily seconds_;
  CounterFamily errors_;
  Mutex mutex_;
  std::map<std::string, Begun> begun_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::volume_binder
