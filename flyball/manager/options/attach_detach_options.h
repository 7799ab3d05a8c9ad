#pragma once

#include <chrono>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct AttachDetachOptions {
  bool disable_reconcile_sync = false;
  std::chrono::nanoseconds reconcile_sync_period = std::chrono::minutes(1);
  bool disable_force_detach_on_timeout = false;

  void AddFlags(flags::FlagSection& section) {
    section.Add("disable-attach-detach-reconcile-sync", disable_reconcile_sync,
                "Do not compare the volumes that are attached to a node with its "
                "VolumeAttachments. Differences, for example after a manual detach, then stay.");
    section.Add("attach-detach-reconcile-sync-period", reconcile_sync_period,
                "Interval at which the volumes that are attached to a node are compared with its "
                "VolumeAttachments, at least 1s. This program compares them at every change, "
                "whatever the interval.");
    section.Add("disable-force-detach-on-timeout", disable_force_detach_on_timeout,
                "Do not force the detach of a volume from an unhealthy node when the unmount takes "
                "longer than six minutes. Volumes of a failed node are then freed only by the "
                "out-of-service taint of a non-graceful node shutdown.");
  }

  void Check(Problems& problems) const {
    if (reconcile_sync_period >= std::chrono::seconds(1)) return;
    // PARITY: the flag has another name than upstream's message.
    problems.Add(
        "duration time must be greater than one second as set via command line option "
        "reconcile-sync-loop-period");
  }

  void Describe(ConfigWriter& config) const {
    config.Add("DisableAttachDetachReconcilerSync", disable_reconcile_sync);
    config.Add("ReconcilerSyncLoopPeriod", reconcile_sync_period);
    config.Add("disableForceDetachOnTimeout", disable_force_detach_on_timeout);
  }
};

}  // namespace flyball::manager
