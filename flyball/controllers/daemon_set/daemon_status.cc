#include "flyball/controllers/daemon_set/daemon_status.h"

#include <algorithm>

#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::daemon_set {

apps::v1::DaemonSetStatus StatusOf(const Observed& observed) {
  apps::v1::DaemonSetStatus status = observed.set.status;
  status.observedGeneration = observed.set.metadata.generation;
  status.desiredNumberScheduled = status.currentNumberScheduled = status.numberMisscheduled = 0;
  status.numberReady = status.numberAvailable = status.updatedNumberScheduled = 0;
  for (const Place& place : PlacesOf(observed)) {
    if (!place.fitness) continue;
    const bool scheduled = !place.pods.empty();
    if (!place.fitness->runs) {
      if (scheduled) ++status.numberMisscheduled;
      continue;
    }
    ++status.desiredNumberScheduled;
    if (!scheduled) continue;
    ++status.currentNumberScheduled;
    const views::Pod& pod = *place.pods.front();
    if (common::IsReady(pod)) ++status.numberReady;
    if (common::IsAvailable(pod, observed.set.spec.minReadySeconds, observed.now)) {
      ++status.numberAvailable;
    }
    if (IsUpdated(pod, observed.template_revision)) ++status.updatedNumberScheduled;
  }
  status.numberUnavailable = status.desiredNumberScheduled - status.numberAvailable;
  return status;
}

}  // namespace flyball::controllers::daemon_set
