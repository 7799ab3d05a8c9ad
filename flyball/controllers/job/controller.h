#pragma once

#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Runs pods until as many as a job asks for have succeeded, or it has failed. Reads jobs and pods;
/// writes pods and the status of jobs.
///
///   job_sync_state.h how a job stands: what is counted, whether that is its end
///   pods_plan.h      which pods to make or to remove; new_pods.h, what they are like
///   tracking_plan.h  how each pod that has ended is counted exactly once
///   failures.h       how long to wait after failures
///   indexes.h, failure_policy.h, success_policy.h, conditions.h, job_pod.h, job_spec.h: their
///   parts reconciler.h     carries all of it out orphans.h        frees the pods of jobs that are
///   gone
namespace flyball::controllers::job {

struct Options {
  std::size_t workers = 5;  ///< --concurrent-job-syncs
  /// The feature gate MutableSchedulingDirectivesForSuspendedJobs: one that is suspended has not
  /// started.
  bool stops_the_clock = true;
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::job
