#pragma once

#include <string_view>

#include "flyball/base/metrics.h"

namespace flyball::runtime {

/// leader_election_master_status and leader_election_slowpath_total, as upstream names them. Cheap
/// to copy. Any thread.
class LeaderElectionMetrics {
 public:
  /// Records nothing.
  LeaderElectionMetrics() = default;
  /// The registry must outlive all copies.
  explicit LeaderElectionMetrics(MetricRegistry& registry);

  void SetLeader(std::string_view name, bool leads) const;
  /// A renewal had to read the lease first.
  void CountSlowPath(std::string_view name) const;

 private:
  GaugeFamily leader_;
  CounterFamily slow_path_;
};

}  // namespace flyball::runtime
