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
                "Work only while this is the leader. For when several managers run, of which one "
                "works and the others stand by.");
    section.Add(
        "leader-elect-lease-duration", lease_duration,
        "How long after its last renewal the others take a leader to be there. A leader that "
        "has stopped is replaced after this time at the latest.");
    section.Add("leader-elect-renew-deadline", renew_deadline,
                "How long a leader that cannot renew its lease tries to, before it stops leading. "
                "Less than the lease's duration.");
    section.Add("leader-elect-retry-period", retry_period,
                "How long to wait between two attempts to get the lease or to renew it.");
    section.Add("leader-elect-resource-lock", resource_lock,
                "What kind of object the lock is: 'leases'.");
    section.Add("leader-elect-resource-name", resource_name, "The name of the lock.");
    section.Add("leader-elect-resource-namespace", resource_namespace,
                "The namespace of the lock.");
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
