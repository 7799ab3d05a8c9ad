#pragma once

#include <chrono>
#include <string>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct LeaderElectionOptions {
  bool elect = true;
  std::chrono::nanoseconds lease_duration = std::chrono::seconds(15);
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);
  std::string resource_lock = "leases";
  std::string resource_name = "kube-controller-manager";
  std::string resource_namespace = "kube-system";

  void AddFlags(flags::FlagSection& section) {
    section.Add("leader-elect", elect,
                "Run the controllers only while this process holds the leader election lease; of "
                "several processes one is active and the others stand by.");
    section.Add("leader-elect-lease-duration", lease_duration,
                "Time after its last observed renewal at which the other candidates may take over "
                "the lease. A leader that has died is replaced after about this time.");
    section.Add("leader-elect-renew-deadline", renew_deadline,
                "Time for which the leader keeps trying to renew its lease before it gives up "
                "leadership and exits. Must be shorter than --leader-elect-lease-duration.");
    section.Add("leader-elect-retry-period", retry_period,
                "Time between two attempts to acquire or renew the leader election lease.");
    section.Add("leader-elect-resource-lock", resource_lock,
                "Resource type of the leader election lock; the only one is 'leases'.");
    section.Add("leader-elect-resource-name", resource_name,
                "Name of the Lease object that is the leader election lock.");
    section.Add("leader-elect-resource-namespace", resource_namespace,
                "Namespace of the Lease object that is the leader election lock.");
  }

  void Check(Problems& problems) const {
    if (elect && resource_lock != "leases") problems.Add(R"(resourceLock value must be "leases")");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("leaderElect", elect);
    config.Add("leaseDuration", lease_duration);
    config.Add("renewDeadline", renew_deadline);
    config.Add("retryPeriod", retry_period);
    config.Add("resourceLock", resource_lock);
    config.Add("resourceName", resource_name);
    config.Add("resourceNamespace", resource_namespace);
  }
};

}  // namespace flyball::manager
