#include "flyball/controllers/common/pod_deletion_rank.h"

#include <algorithm>

namespace flyball::controllers::common {
namespace {

bool IsSidecar(const views::Pod& pod, std::string_view container) {
  return std::ranges::any_of(pod.spec.initContainers, [&](const auto& its) {
    return its.name == container && its.restartPolicy == "Always";
  });
}

}  // namespace

int PhaseOrder(std::string_view phase) {
  if (phase == "Unknown") return 1;
  return phase == "Running" ? 2 : 0;
}

std::int32_t MostRestarts(const views::Pod& pod) {
  std::int32_t most = 0;
  for (const auto& status : pod.status.containerStatuses) {
    most = std::max(most, status.restartCount);
  }
  return most;
}

std::int32_t MostSidecarRestarts(const views::Pod& pod) {
  std::int32_t most = 0;
  for (const auto& status : pod.status.initContainerStatuses) {
    if (IsSidecar(pod, status.name)) most = std::max(most, status.restartCount);
  }
  return most;
}

}  // namespace flyball::controllers::common
