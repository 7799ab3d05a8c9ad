#include "flyball/controllers/job/job_pod.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>
#include <utility>

#include "flyball/base/saturating.h"
#include "flyball/controllers/common/go_number.h"
#include "flyball/controllers/job/job_spec.h"

namespace flyball::controllers::job {
namespace {

using views::Pod;

std::optional<std::int64_t> IndexOf(const Pod& pod) {
  const auto text = pod.metadata.annotations.find(kCompletionIndex);
  const auto index = text ? common::ParseGoNumber(*text) : std::nullopt;
  return index && *index >= 0 ? index : std::nullopt;
}

std::int32_t CountIn(const Pod& pod, std::string_view annotation) {
  const auto text = pod.metadata.annotations.find(annotation);
  const auto count = text ? common::ParseGoNumber(*text) : std::nullopt;
  if (!count || *count < 0 || *count > std::numeric_limits<std::int32_t>::max()) return 0;
  return static_cast<std::int32_t>(*count);
}

/// The last of `latest` and of the ends of all these containers; none if one of them has not ended.
std::optional<api::Time> LatestEnd(std::optional<api::Time> latest, const auto& statuses,
                                   auto counts) {
  for (const auto& status : statuses) {
    if (!counts(status)) continue;
    const auto* const terminated = status.state.terminated;
    if (terminated == nullptr || terminated->finishedAt.IsZero()) return std::nullopt;
    latest = std::max(latest.value_or(api::Time()), terminated->finishedAt.ToTime());
  }
  return latest;
}

/// Sidecars end after all others.
std::optional<api::Time> EndOfContainers(const Pod& pod) {
  const auto is_sidecar = [&pod](const auto& status) {
    return std::ranges::any_of(pod.spec.initContainers, [&](const auto& container) {
      return container.name == status.name && container.restartPolicy == "Always";
    });
  };
  const auto end =
      LatestEnd(std::nullopt, pod.status.containerStatuses, [](const auto&) { return true; });
  return LatestEnd(end, pod.status.initContainerStatuses, is_sidecar);
}

std::optional<api::Time> NotReadySince(const Pod& pod) {
  for (const auto& condition : pod.status.conditions) {
    if (condition.type != "Ready") continue;
    if (condition.status != "False" || condition.lastTransitionTime.IsZero()) return std::nullopt;
    return condition.lastTransitionTime;
  }
  return std::nullopt;
}

}  // namespace

JobPod JobPodOf(PodRef pod, bool just_adopted) {
  const bool tracked = just_adopted || HasTrackingFinalizer(*pod);
  const auto index = IndexOf(*pod);
  return {.ref = std::move(pod), .tracked = tracked, .index = index};
}

bool HasTrackingFinalizer(const Pod& pod) {
  return std::ranges::any_of(pod.metadata.finalizers,
                             [](const auto& finalizer) { return finalizer == kTrackingFinalizer; });
}

bool HasSucceeded(const Pod& pod) { return pod.status.phase == "Succeeded"; }

bool HasFailed(const Pod& pod, const batch::v1::Job& job) {
  if (pod.status.phase == "Failed") return true;
  if (ReplacesFailedOnly(job)) return false;
  return pod.metadata.deletionTimestamp && !HasSucceeded(pod);
}

bool HasUsableIndex(const JobPod& pod, const batch::v1::Job& job) {
  return !IsIndexed(job) || (pod.index && *pod.index < IndexCountOf(job));
}

std::int32_t FailuresBefore(const Pod& pod) { return CountIn(pod, kIndexFailureCount); }
std::int32_t IgnoredFailuresBefore(const Pod& pod) {
  return CountIn(pod, kIndexIgnoredFailureCount);
}

api::Time FinishTime(const Pod& pod) {
  if (const auto end = EndOfContainers(pod)) return *end;
  if (const auto since = NotReadySince(pod)) return *since;
  if (const auto& deleted = pod.metadata.deletionTimestamp) {
    const std::chrono::seconds grace(pod.metadata.deletionGracePeriodSeconds.value_or(0));
    return deleted->ToTime() - SaturatingNanoseconds(grace);
  }
  return pod.metadata.creationTimestamp;
}

}  // namespace flyball::controllers::job
