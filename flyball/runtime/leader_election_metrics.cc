#include "flyball/runtime/leader_election_metrics.h"

namespace flyball::runtime {

LeaderElectionMetrics::LeaderElectionMetrics(MetricRegistry& registry)
    : leader_(registry.Gauges({.name = "leader_election_master_status",
                               .help = "[ALPHA] State of this process in the leader election for a "
                                       "lease: 1 if it is the leader, 0 if it stands by.",
                               .labels = {"name"}})),
      slow_path_(registry.Counters({.name = "leader_election_slowpath_total",
                                    .help = "[ALPHA] Number of leader election renewals that had "
                                            "to read the lease before writing it, by lease name.",
                                    .labels = {"name"}})) {}

void LeaderElectionMetrics::SetLeader(std::string_view name, bool leads) const {
  leader_.With({name}).Set(leads ? 1 : 0);
}

void LeaderElectionMetrics::CountSlowPath(std::string_view name) const {
  slow_path_.With({name}).Increment();
}

}  // namespace flyball::runtime
