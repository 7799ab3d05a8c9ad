#pragma once

#include <chrono>
#include <map>
#include <string_view>

#include "flyball/api/batch/v1.h"
#include "flyball/base/metrics.h"
#include "flyball/controllers/job/job_sync_state.h"

namespace flyball::controllers::job {

/// What the controller counts, under upstream's names. Any thread.
class Metrics {
 public:
  /// None are kept without a registry.
  explicit Metrics(MetricRegistry* registry);

  struct Sync {
    bool failed = false;
    std::string_view action = "reconciling";  ///< or tracking, pods_created, pods_deleted
    std::chrono::nanoseconds took = {};
  };
  void Synced(const batch::v1::Job& job, const Sync& sync) const;
  void Finished(const batch::v1::Job& job, const batch::v1::JobCondition& end) const;
  void ManagedByAnother(std::string_view manager) const { others_.With({manager}).Increment(); }
  /// What a status says more than another did before.
  void Counted(const batch::v1::Job& job, const batch::v1::JobStatus& before,
               const batch::v1::JobStatus& after) const;
  void HandledByPolicy(const std::map<std::string_view, int>& handled) const;
  void Created(const batch::v1::Job& job, const JobSyncState& sync_state, std::size_t created,
               std::size_t refused) const;
  /// A pod that has ended got the finalizer, or lost it.
  void PodWaits(bool waits) const { waiting_.With({waits ? "add" : "delete"}).Increment(); }

  const CounterFamily& stale_sync_skips() const { return stale_sync_skips_; }

 private:
  HistogramFamily sync_seconds_;
  CounterFamily syncs_;
  CounterFamily finished_;
  CounterFamily others_;
  CounterFamily pods_finished_;
  CounterFamily handled_;
  CounterFamily waiting_;
  CounterFamily indexes_finished_;
  CounterFamily creations_;
  CounterFamily stale_sync_skips_;
};

}  // namespace flyball::controllers::job
