#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/api/time.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"

namespace flyball::controllers::job {

using PodRef = cache::Ref<views::Pod>;

/// A pod of a job, with what all decisions ask of it.
struct JobPod {
  PodRef ref;
  /// It has the finalizer: nobody has counted it for good.
  bool tracked = false;
  std::optional<std::int64_t> index = std::nullopt;  ///< if it says so, of an indexed job

  const views::Pod& pod() const { return *ref; }
};

/// `just_adopted`: it was given the finalizer, which the cache does not show yet.
JobPod JobPodOf(PodRef pod, bool just_adopted = false);

bool HasTrackingFinalizer(const views::Pod& pod);
bool HasSucceeded(const views::Pod& pod);
/// It counts as failed: it is, or it has been told to end and will never say how it ended. Where
/// only failed pods are replaced, that is waited for.
bool HasFailed(const views::Pod& pod, const batch::v1::Job& job);

/// A pod of an indexed job that has an index that the job has; any pod of another job.
bool HasUsableIndex(const JobPod& pod, const batch::v1::Job& job);

/// How often pods of its index failed before it, and how often that was ignored.
std::int32_t FailuresBefore(const views::Pod& pod);
std::int32_t IgnoredFailuresBefore(const views::Pod& pod);

/// When a pod ended, as well as can be told: by its containers; else by when it was no longer
/// ready; else by when it was deleted; else by when it was made.
api::Time FinishTime(const views::Pod& pod);

}  // namespace flyball::controllers::job
