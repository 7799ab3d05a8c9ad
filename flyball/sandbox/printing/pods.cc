#include <algorithm>
#include <optional>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using core::v1::Container;
using core::v1::ContainerStateTerminated;
using core::v1::ContainerStatus;
using core::v1::Pod;
using core::v1::PodTemplate;

/// What the containers come to: how many are ready, how often they were started again, and the one
/// word that says what goes on.
struct Summary {
  std::string reason;
  int containers = 0;
  int ready = 0;
  std::int64_t restarts = 0;
  api::Time last_restart;

  void CountRestarts(const ContainerStatus& status) {
    restarts += status.restartCount;
    if (!status.lastState.terminated) return;
    last_restart = std::max(last_restart, status.lastState.terminated->finishedAt);
  }
};

/// A sidecar: an init container that goes on running.
bool IsSidecar(const Pod& pod, std::string_view name) {
  return std::ranges::any_of(pod.spec.initContainers, [&](const Container& container) {
    return container.name == name && container.restartPolicy == "Always";
  });
}

std::string WhyTerminated(const ContainerStateTerminated& state) {
  if (!state.reason.empty()) return state.reason;
  if (state.signal != 0) return "Signal:" + std::to_string(state.signal);
  return "ExitCode:" + std::to_string(state.exitCode);
}

/// What an init container that is not done says of the pod; none if it does not hold it up.
std::optional<std::string> InitReason(const Pod& pod, std::size_t index, bool sidecar) {
  const ContainerStatus& status = pod.status.initContainerStatuses[index];
  const auto& state = status.state;
  if (state.terminated && state.terminated->exitCode == 0) return std::nullopt;
  if (sidecar && status.started.value_or(false)) return std::nullopt;
  if (state.terminated) return "Init:" + WhyTerminated(*state.terminated);
  if (state.waiting && !state.waiting->reason.empty() &&
      state.waiting->reason != "PodInitializing") {
    return "Init:" + state.waiting->reason;
  }
  return "Init:" + Fraction(static_cast<std::int64_t>(index), Count(pod.spec.initContainers));
}

/// Looks at the init containers up to the first that the pod still waits for; whether there is one.
bool AddInitContainers(const Pod& pod, Summary& all, Summary& sidecars) {
  const auto& statuses = pod.status.initContainerStatuses;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const bool sidecar = IsSidecar(pod, statuses[i].name);
    all.CountRestarts(statuses[i]);
    if (sidecar) sidecars.CountRestarts(statuses[i]);
    if (auto reason = InitReason(pod, i, sidecar)) {
      all.reason = *std::move(reason);
      return true;
    }
    const bool done = statuses[i].state.terminated && statuses[i].state.terminated->exitCode == 0;
    if (!done && sidecar && statuses[i].ready) ++all.ready;
  }
  return false;
}

void AddContainers(const Pod& pod, Summary& summary) {
  bool has_running = false;
  std::string error;
  const auto& statuses = pod.status.containerStatuses;
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
    summary.CountRestarts(*status);
    const auto& state = status->state;
    if (state.waiting && !state.waiting->reason.empty()) {
      summary.reason = state.waiting->reason;
    } else if (state.terminated) {
      summary.reason = WhyTerminated(*state.terminated);
      if (state.terminated->exitCode != 0) error = summary.reason;
    } else if (status->ready && state.running) {
      has_running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed") return;
  // Some are done and some are not: the pod is not.
  if (has_running && ConditionStatus(pod.status.conditions, "Ready") == "True") {
    summary.reason = "Running";
  } else if (!error.empty()) {
    summary.reason = error;
  } else if (has_running) {
    summary.reason = "NotReady";
  }
}

Summary Summarize(const Pod& pod) {
  Summary summary;
  const std::string& phase = pod.status.phase;
  summary.reason = Or(pod.status.reason, phase);
  for (const auto& condition : pod.status.conditions) {
    if (condition.type == "PodScheduled" && condition.reason == "SchedulingGated") {
      summary.reason = condition.reason;
    }
  }
  summary.containers = static_cast<int>(pod.spec.containers.size());
  for (const Container& container : pod.spec.initContainers) {
    if (container.restartPolicy == "Always") ++summary.containers;
  }
  Summary sidecars;
  const bool initializing = AddInitContainers(pod, summary, sidecars);
  if (!initializing || ConditionStatus(pod.status.conditions, "Initialized") == "True") {
    summary.restarts = sidecars.restarts;
    summary.last_restart = sidecars.last_restart;
    AddContainers(pod, summary);
  }
  if (pod.metadata.deletionTimestamp) {
    const bool over = phase == "Succeeded" || phase == "Failed";
    if (pod.status.reason == "NodeLost") {
      summary.reason = "Unknown";
    } else if (!over) {
      summary.reason = "Terminating";
    }
  }
  return summary;
}

std::string ReadinessGates(const Pod& pod) {
  if (pod.spec.readinessGates.empty()) return "<none>";
  const auto open = std::ranges::count_if(pod.spec.readinessGates, [&](const auto& gate) {
    return ConditionStatus(pod.status.conditions, gate.conditionType) == "True";
  });
  return Fraction(open, Count(pod.spec.readinessGates));
}

constexpr Column kPodColumns[] = {kName,
                                  {"Ready"},
                                  {"Status"},
                                  {"Restarts"},
                                  kAge,
                                  Wide("IP"),
                                  Wide("Node"),
                                  Wide("Nominated Node"),
                                  Wide("Readiness Gates")};

Cells PodCells(const Pod& pod, WallTime now) {
  const Summary summary = Summarize(pod);
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts != 0 && !summary.last_restart.IsZero()) {
    restarts += " (" + Since(summary.last_restart, now) + " ago)";
  }
  const std::string_view address =
      pod.status.podIPs.empty() ? std::string_view() : pod.status.podIPs[0].ip;
  return {pod.metadata.name,
          Fraction(summary.ready, summary.containers),
          summary.reason,
          restarts,
          AgeOf(pod, now),
          Or(address, "<none>"),
          Or(pod.spec.nodeName, "<none>"),
          Or(pod.status.nominatedNodeName, "<none>"),
          ReadinessGates(pod)};
}

constexpr Column kPodTemplateColumns[] = {kName, {"Containers"}, {"Images"}, {"Pod Labels"}};

Cells PodTemplateCells(const PodTemplate& object, WallTime /*now*/) {
  const auto& containers = object.template_.spec.containers;
  return {object.metadata.name, ContainerNames(containers), ContainerImages(containers),
          LabelsText(object.template_.metadata.labels)};
}

constexpr Printer kPrinters[] = {
    For<Pod, PodCells>(kPodColumns),
    For<PodTemplate, PodTemplateCells>(kPodTemplateColumns),
};

}  // namespace

std::span<const Printer> PodPrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
