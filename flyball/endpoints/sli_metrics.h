#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "flyball/base/clock.h"
#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/endpoints/http_handler.h"

namespace flyball::endpoints {

/// What came of health checks, for those who keep account of how well a cluster is: the metrics of
/// /metrics/slis, which are apart from all others. Any thread.
class SliMetrics {
 public:
  explicit SliMetrics(WallTime process_start);

  /// `type` is whose check it was: "healthz".
  void Observe(std::string_view check, std::string_view type, bool passed);

  /// The page. A DELETE has it begin anew.
  transport::Response Answer(const Call& call);

 private:
  struct Metrics;

  std::shared_ptr<Metrics> Current() const;

  mutable Mutex mutex_;
  std::shared_ptr<Metrics> metrics_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::endpoints
