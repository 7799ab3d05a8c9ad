#include "flyball/controllers/common/pod_condition.h"

#include <algorithm>

namespace flyball::controllers::common {
namespace {

bool HasFinished(const views::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace

bool IsActive(const views::Pod& pod) {
  return !HasFinished(pod) && !pod.metadata.deletionTimestamp;
}

bool IsTerminating(const views::Pod& pod) {
  return !HasFinished(pod) && pod.metadata.deletionTimestamp;
}

bool IsReady(const views::Pod& pod) { return ReadySince(pod).has_value(); }

std::optional<api::ViewTime> ReadySince(const views::Pod& pod) {
  const auto* const found = std::ranges::find(pod.status.conditions, std::string_view("Ready"),
                                              [](const auto& its) { return its.type.view(); });
  if (found == pod.status.conditions.end() || found->status != "True") return std::nullopt;
  return found->lastTransitionTime;
}

bool IsAvailable(const views::Pod& pod, std::int32_t min_ready_seconds, WallTime now) {
  const auto since = ReadySince(pod);
  if (!since) return false;
  if (min_ready_seconds == 0) return true;
  return !since->IsZero() && !AvailableIn(pod, min_ready_seconds, now);
}

std::optional<std::chrono::nanoseconds> AvailableIn(const views::Pod& pod,
                                                    std::int32_t min_ready_seconds, WallTime now) {
  const auto since = ReadySince(pod);
  if (!since || since->IsZero() || min_ready_seconds <= 0) return std::nullopt;
  const std::chrono::nanoseconds left =
      since->ToTime() + std::chrono::seconds(min_ready_seconds) - api::Time(now);
  if (left <= std::chrono::nanoseconds::zero()) return std::nullopt;
  return left;
}

std::optional<std::chrono::nanoseconds> NextAvailable(
    std::span<const std::shared_ptr<const views::Pod>> pods, std::int32_t min_ready_seconds,
    WallTime now) {
  if (min_ready_seconds <= 0) return std::nullopt;
  std::optional<std::chrono::nanoseconds> next;
  for (const auto& pod : pods) {
    if (!IsReady(*pod) || IsAvailable(*pod, min_ready_seconds, now)) continue;
    const auto left =
        AvailableIn(*pod, min_ready_seconds, now).value_or(std::chrono::seconds(min_ready_seconds));
    next = std::min(next.value_or(left), left);
  }
  return next;
}

}  // namespace flyball::controllers::common
