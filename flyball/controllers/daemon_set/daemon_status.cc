#include "flyball/controllers/daemon_set/daemon_status.h"

#include <algorithm>

#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::daemon_set {

apps::v1::DaemonSetStatus StatusOf(const Observed& observed) {
  apps::v1::DaemonSetStatus status = observed.set.status;
  status.observedGeneration = observed.set.metadata.generation;
  status.desiredNumberScheduled = status.currentNumberScheduled = status.numberMisscheduled = 0;
  status.numberReady = status.numberAvailable = status.updatedNumberScheduled = 0;
  for (const FittedNode& node : observed.nodes) {
    const auto found = observed.pods.find(node.name);
    const bool scheduled = found != observed.pods.end();
    if (!node.fitness.runs) {
      if (scheduled) ++status.numberMisscheduled;
      continue;
    }
    ++status.desiredNumberScheduled;
    if (!scheduled) continue;
    ++status.currentNumberScheduled;
    const views::Pod& pod = *found->second.front();
    if (common::IsReady(pod)) ++status.numberReady;
    if (common::IsAvailable(pod, observed.set.spec.minReadySeconds, observed.now)) {
      ++status.numberAvailable;
    }
    if (IsUpdated(pod, observed.edition)) ++status.updatedNumberScheduled;
  }
  status.numberUnavailable = status.desiredNumberScheduled - status.numberAvailable;
  return status;
}

std::optional<std::chrono::nanoseconds> NextAvailabilityCheck(const Observed& observed) {
  const std::int32_t wait = observed.set.spec.minReadySeconds;
  if (wait <= 0) return std::nullopt;
  std::optional<std::chrono::nanoseconds> next;
  for (const auto& [node, pods] : observed.pods) {
    for (const PodRef& pod : pods) {
      if (!common::IsReady(*pod) || common::IsAvailable(*pod, wait, observed.now)) continue;
      // One that does not say since when it is ready is looked at now and then.
      const auto left =
          common::AvailableIn(*pod, wait, observed.now).value_or(std::chrono::seconds(wait));
      next = std::min(next.value_or(left), left);
    }
  }
  return next;
}

}  // namespace flyball::controllers::daemon_set
