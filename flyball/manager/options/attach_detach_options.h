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
                "Do not compare with the cloud which volumes are attached. Volumes may then be "
                "where no pod wants them.");
    section.Add("attach-detach-reconcile-sync-period", reconcile_sync_period,
                "How often it is compared with the cloud which volumes are attached. At least a "
                "second; the longer, the longer a mismatch stays.");
    section.Add("disable-force-detach-on-timeout", disable_force_detach_on_timeout,
                "Never detach a volume from a node because it takes too long to unmount it. What a "
                "failed node had is then only freed by the non-graceful node shutdown feature.");
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
