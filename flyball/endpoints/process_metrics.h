#pragma once

#include <filesystem>

#include "flyball/base/clock.h"
#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"

namespace flyball::endpoints {

/// What Linux says of this process.
struct ProcessFacts {
  double cpu_seconds = 0;
  double open_files = 0;
  double most_files = 0;
  double virtual_bytes = 0;
  double most_virtual_bytes = 0;
  double resident_bytes = 0;
  double received_bytes = 0;  ///< of its network, which it may share with others
  double sent_bytes = 0;
  WallTime start = {};

  static Result<ProcessFacts> Read(const std::filesystem::path& proc = "/proc");
};

/// As metrics have it, to the millisecond.
double SecondsSinceEpoch(WallTime time);

/// The metrics process_*, as all programs with Prometheus' client library have them. They are as
/// they were at the last Refresh(). Any thread.
class ProcessMetrics {
 public:
  explicit ProcessMetrics(MetricRegistry& registry);

  void Refresh() { Update(ProcessFacts::Read()); }
  /// What cannot be read stays as it was.
  void Update(const Result<ProcessFacts>& facts);

 private:
  Counter cpu_;
  Counter received_;
  Counter sent_;
  Gauge open_files_;
  Gauge most_files_;
  Gauge virtual_bytes_;
  Gauge most_virtual_bytes_;
  Gauge resident_bytes_;
  Gauge start_;

  Mutex mutex_;
  ProcessFacts last_ FLYBALL_GUARDED_BY(mutex_);  // what the counters have got to
};

}  // namespace flyball::endpoints
