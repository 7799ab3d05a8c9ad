#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "flyball/api/batch/v1.h"

/// What a job asks for. Where the server would have filled in a default, so is it here.
namespace flyball::controllers::job {

/// On every pod that has not been counted yet.
inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
/// A label too.
inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kIndexFailureCount =
    "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIndexIgnoredFailureCount =
    "batch.kubernetes.io/job-index-ignored-failure-count";
/// Who manages a job that says so, if it is us.
inline constexpr std::string_view kManager = "kubernetes.io/job-controller";

inline constexpr std::string_view kIndexed = "Indexed";
inline constexpr std::string_view kNonIndexed = "NonIndexed";

inline bool IsIndexed(const batch::v1::Job& job) { return job.spec.completionMode == kIndexed; }
/// In metrics.
inline std::string_view ModeOf(const batch::v1::Job& job) {
  return IsIndexed(job) ? kIndexed : kNonIndexed;
}
inline bool HasKnownMode(const batch::v1::Job& job) {
  return !job.spec.completionMode || IsIndexed(job) || job.spec.completionMode == kNonIndexed;
}

inline bool IsSuspended(const batch::v1::Job& job) { return job.spec.suspend.value_or(false); }
/// Every index has failures of its own.
inline bool LimitsPerIndex(const batch::v1::Job& job) {
  return job.spec.backoffLimitPerIndex.has_value();
}
/// A pod is replaced when it has ended, and not as soon as it is told to.
inline bool ReplacesFailedOnly(const batch::v1::Job& job) {
  return job.spec.podReplacementPolicy == "Failed";
}

inline std::int64_t ParallelismOf(const batch::v1::Job& job) {
  return std::max(job.spec.parallelism.value_or(1), 0);
}
inline std::int64_t BackoffLimitOf(const batch::v1::Job& job) {
  return job.spec.backoffLimit.value_or(6);
}
/// How many indexes an indexed job has. No server takes one that does not say so.
inline std::int64_t IndexCountOf(const batch::v1::Job& job) {
  return std::max(job.spec.completions.value_or(0), 0);
}

/// Somebody else who manages a job, if it names one.
inline std::optional<std::string_view> OtherManagerOf(const batch::v1::Job& job) {
  if (!job.spec.managedBy || *job.spec.managedBy == kManager) return std::nullopt;
  return *job.spec.managedBy;
}

}  // namespace flyball::controllers::job
