#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/terminating_namespace_backoff.h"
#include "flyball/controllers/job/controller.h"
#include "flyball/controllers/job/job_sync_state.h"
#include "flyball/controllers/job/memory.h"
#include "flyball/controllers/job/metrics.h"
#include "flyball/controllers/job/pods_plan.h"
#include "flyball/controllers/job/tracking_plan.h"

namespace flyball::controllers::job {

/// Brings one job a step further: sees to its pods, counts those that have ended, says how it
/// stands. Reads the caches, of which that of pods is indexed by controller; any thread.
class Reconciler {
 public:
  struct Deps {
    cache::Lister<batch::v1::Job> jobs;
    cache::Lister<views::Pod> pods;
    const Clock& clock;
    Options options;
    Metrics metrics;
  };
  explicit Reconciler(Deps deps)
      : deps_(std::move(deps)),
        memory_(std::make_shared<Memory>()),
        namespace_backoff_(std::make_shared<common::TerminatingNamespaceBackoff>(deps_.clock)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  /// What became of seeing to a job's pods.
  struct PodSync {
    ConcludeRules rules = {};
    std::string_view action = "reconciling";  ///< in metrics
    std::optional<std::chrono::nanoseconds> wait = std::nullopt;
    std::optional<Error> failure = std::nullopt;
  };

  Result<runtime::Outcome> Sync(runtime::Context& context, const batch::v1::Job& job,
                                std::string_view& action) const;
  Result<std::vector<JobPod>> PodsOf(runtime::Context& context, const batch::v1::Job& job) const;

  PodSync SyncPods(runtime::Context& context, const batch::v1::Job& job,
                   JobSyncState& sync_state) const;
  PodSync EndPods(runtime::Context& context, const batch::v1::Job& job,
                  JobSyncState& sync_state) const;
  PodSync RemovePods(runtime::Context& context, const batch::v1::Job& job,
                     std::span<const JobPod> pods, JobSyncState& sync_state) const;
  PodSync CreatePods(runtime::Context& context, const batch::v1::Job& job, const PodsPlan& plan,
                     JobSyncState& sync_state) const;

  /// Carries out the steps of tracking_plan.h.
  Result<> Track(runtime::Context& context, const batch::v1::Job& job,
                 const JobSyncState& sync_state, const TrackingPlan& plan,
                 const std::optional<JobEvent>& event) const;
  /// The first error, and out of `tracked` those that were released.
  Result<> Release(runtime::Context& context, const batch::v1::Job& job,
                   const std::vector<JobPod>& pods, Uids& tracked) const;
  void TellEnd(runtime::Context& context, const batch::v1::Job& job,
               const batch::v1::JobCondition& end) const;

  const Deps deps_;
  const std::shared_ptr<Memory> memory_;
  const std::shared_ptr<common::TerminatingNamespaceBackoff> namespace_backoff_;
};

}  // namespace flyball::controllers::job
