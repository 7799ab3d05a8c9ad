#include "flyball/simulation/pod_status.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "flyball/api/duration.h"
#include "flyball/api/json.h"
#include "flyball/api/quantity.h"
#include "flyball/simulation/spread.h"

namespace flyball::simulation {
namespace {

using api::Json;
using core::v1::ContainerState;
using core::v1::ContainerStateTerminated;
using core::v1::ContainerStatus;
using core::v1::PodCondition;
using core::v1::PodStatus;
using State = ContainerRun::State;
using Pod = views::KubeletPod;

// PARITY: in the order in which kubelet writes them.
constexpr std::array<std::string_view, 5> kConditions = {
    "PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"};

/// 64 hexadecimal digits, as ids of containers and images have.
std::string Digest(std::string_view subject, std::string_view what) {
  std::string digest;
  for (std::uint64_t part = 0; part < 4; ++part) {
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016llx",
                  static_cast<unsigned long long>(Mixed(part, subject, what)));
    digest += digits;
  }
  return digest;
}

/// As Go prints a list of texts.
std::string Bracketed(const std::vector<std::string_view>& names) {
  std::string text = "[";
  for (const std::string_view name : names) {
    if (text.size() > 1) text += ' ';
    text += name;
  }
  return text + "]";
}

core::v1::ResourceList ResourcesOf(const api::ViewMap& amounts) {
  core::v1::ResourceList resources;
  for (const api::ViewEntry& entry : amounts) {
    if (auto amount = api::Quantity::Parse(entry.value)) resources[entry.key] = *std::move(amount);
  }
  return resources;
}

/// Makes the status of one pod.
class StatusWriter {
 public:
  StatusWriter(const Pod& pod, const PodRun& run, const PodScript& script, WallTime now)
      : pod_(pod), run_(run), script_(script), now_(now) {}

  std::vector<ContainerStatus> InitStatuses() const {
    std::vector<ContainerStatus> statuses;
    for (std::size_t i = 0; i < run_.init.size(); ++i) {
      const Pod::Container& container = pod_.spec.initContainers[i];
      statuses.push_back(StatusOf(container, run_.init[i], RoleOfInit(container)));
    }
    return statuses;
  }
  std::vector<ContainerStatus> MainStatuses() const {
    std::vector<ContainerStatus> statuses;
    for (std::size_t i = 0; i < run_.main.size(); ++i) {
      statuses.push_back(StatusOf(pod_.spec.containers[i], run_.main[i], ContainerRole::kMain));
    }
    return statuses;
  }

  std::string_view Phase() const {
    if (run_.over) return AllSucceeded() ? "Succeeded" : "Failed";
    if (!AnyMainStarted() && !Incomplete().empty()) return "Pending";
    const bool all_started = std::ranges::all_of(run_.main, &ContainerRun::started);
    return all_started ? "Running" : "Pending";
  }

  /// All but when they changed.
  std::vector<PodCondition> Conditions() const {
    std::vector<PodCondition> conditions = {Sandbox(), Initialized(), Ready(), ContainersReady(),
                                            Condition(true)};
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      conditions[i].type = kConditions[i];
      conditions[i].observedGeneration = pod_.metadata.generation;
    }
    return conditions;
  }

 private:
  ContainerStatus StatusOf(const Pod::Container& container, const ContainerRun& run,
                           ContainerRole role) const {
    ContainerStatus status;
    status.name = container.name.view();
    status.image = container.image.view();
    status.restartCount = run.restarts;
    status.ready = IsReady(run, container, role, script_, now_);
    status.started = run.running();
    if (run.started() && !(run.ended && run.ended->unknown)) {
      status.containerID = ContainerId(container, run.restarts);
      status.imageID = status.image + "@sha256:" + Digest(status.image, "image");
      status.allocatedResources = ResourcesOf(container.resources.requests);
      const bool any = !container.resources.requests.empty() || !container.resources.limits.empty();
      if (any) {
        auto& resources = status.resources.emplace();
        resources.requests = status.allocatedResources;
        resources.limits = ResourcesOf(container.resources.limits);
      }
    }
    status.state = StateOf(container, run);
    if (run.state == State::kBackOff) {
      status.lastState.terminated = Terminated(*run.ended, status.containerID);
    } else if (run.previous) {
      status.lastState.terminated =
          Terminated(*run.previous, ContainerId(container, run.restarts - 1));
    }
    return status;
  }

  ContainerState StateOf(const Pod::Container& container, const ContainerRun& run) const {
    ContainerState state;
    switch (run.state) {
      case State::kRunning:
        state.running.emplace().startedAt = api::Time(run.since);
        return state;
      case State::kExited:
        state.terminated = Terminated(*run.ended, ContainerId(container, run.restarts));
        return state;
      case State::kWaiting:
        state.waiting.emplace().reason =
            run_.init.empty() ? "ContainerCreating" : "PodInitializing";
        return state;
      case State::kBackOff: {
        auto& waiting = state.waiting.emplace();
        waiting.reason = "CrashLoopBackOff";
        waiting.message = "back-off " + api::FormatDuration(run.back_off) +
                          " restarting failed container=" + std::string(container.name.view()) +
                          " pod=" + std::string(pod_.metadata.name.view()) + "_" +
                          std::string(pod_.metadata.namespace_.view()) + "(" +
                          std::string(pod_.metadata.uid.view()) + ")";
        return state;
      }
      case State::kPullFailed:
      case State::kPullBackOff: {
        auto& waiting = state.waiting.emplace();
        const std::string image(container.image.view());
        const std::string failure = "failed to pull image \"" + image + "\": simulated";
        const bool failed = run.state == State::kPullFailed;
        waiting.reason = failed ? "ErrImagePull" : "ImagePullBackOff";
        waiting.message =
            failed ? failure : "Back-off pulling image \"" + image + "\": ErrImagePull: " + failure;
        return state;
      }
    }
    return state;
  }

  static ContainerStateTerminated Terminated(const Termination& ended, std::string container_id) {
    ContainerStateTerminated terminated;
    terminated.exitCode = ended.exit_code;
    if (ended.unknown) {
      terminated.reason = "ContainerStatusUnknown";
      terminated.message = "The container could not be located when the pod was terminated";
      return terminated;
    }
    terminated.reason = ended.exit_code == 0 ? "Completed" : "Error";
    terminated.startedAt = api::Time(ended.started);
    terminated.finishedAt = api::Time(ended.finished);
    terminated.containerID = std::move(container_id);
    return terminated;
  }

  std::string ContainerId(const Pod::Container& container, std::int32_t restarts) const {
    return "containerd://" + Digest(pod_.metadata.uid, std::string(container.name.view()) + "/" +
                                                           std::to_string(restarts));
  }

  bool AllSucceeded() const {
    return !run_.main.empty() && std::ranges::all_of(run_.main, &ContainerRun::succeeded);
  }
  bool AnyMainStarted() const { return std::ranges::any_of(run_.main, &ContainerRun::started); }

  /// The init containers that others still wait for.
  std::vector<std::string_view> Incomplete() const {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < run_.init.size(); ++i) {
      const Pod::Container& container = pod_.spec.initContainers[i];
      const bool sidecar = RoleOfInit(container) == ContainerRole::kSidecar;
      if (sidecar ? !run_.init[i].running() : !run_.init[i].succeeded()) {
        names.push_back(container.name);
      }
    }
    return names;
  }
  std::vector<std::string_view> Unready() const {
    std::vector<std::string_view> names;
    const auto look = [&](const Pod::Container& container, const ContainerRun& run,
                          ContainerRole role) {
      if (!IsReady(run, container, role, script_, now_)) names.push_back(container.name);
    };
    for (std::size_t i = 0; i < run_.init.size(); ++i) {
      const Pod::Container& container = pod_.spec.initContainers[i];
      const ContainerRole role = RoleOfInit(container);
      if (role == ContainerRole::kSidecar) look(container, run_.init[i], role);
    }
    for (std::size_t i = 0; i < run_.main.size(); ++i) {
      look(pod_.spec.containers[i], run_.main[i], ContainerRole::kMain);
    }
    return names;
  }

  static PodCondition Condition(bool holds, std::string reason = {}, std::string message = {}) {
    PodCondition condition;
    condition.status = holds ? "True" : "False";
    condition.reason = std::move(reason);
    condition.message = std::move(message);
    return condition;
  }

  PodCondition Sandbox() const {
    if (run_.sandbox && !run_.over) return Condition(true);
    return Condition(false, "PodSandboxNotReady",
                     run_.sandbox ? "pod sandbox is not ready" : "no pod sandbox exists");
  }
  PodCondition Initialized() const {
    if (run_.over && AllSucceeded()) return Condition(true, "PodCompleted");
    const auto incomplete = Incomplete();
    if (AnyMainStarted() || incomplete.empty()) return Condition(true);
    return Condition(false, "ContainersNotInitialized",
                     "containers with incomplete status: " + Bracketed(incomplete));
  }
  PodCondition ContainersReady() const {
    if (run_.over) return Condition(false, AllSucceeded() ? "PodCompleted" : "PodFailed");
    const auto unready = Unready();
    if (unready.empty()) return Condition(true);
    return Condition(false, "ContainersNotReady",
                     "containers with unready status: " + Bracketed(unready));
  }
  PodCondition Ready() const {
    PodCondition containers = ContainersReady();
    if (containers.status != "True") return containers;
    std::string unmet;
    for (const Pod::PodReadinessGate& gate : pod_.spec.readinessGates) {
      const std::string type = "\"" + std::string(gate.conditionType.view()) + "\"";
      const auto& conditions = pod_.status.conditions;
      const auto found =
          std::ranges::find(conditions, gate.conditionType, &Pod::PodCondition::type);
      if (found != conditions.end() && found->status == "True") continue;
      if (!unmet.empty()) unmet += ", ";
      unmet += found == conditions.end()
                   ? "corresponding condition of pod readiness gate " + type + " does not exist."
                   : "the status of pod readiness gate " + type + " is not \"True\", but " +
                         std::string(found->status.view());
    }
    return unmet.empty() ? Condition(true) : Condition(false, "ReadinessGatesNotReady", unmet);
  }

  const Pod& pod_;
  const PodRun& run_;
  const PodScript& script_;
  const WallTime now_;
};

}  // namespace

ConditionTimes ConditionTimes::Of(const Pod& pod) {
  ConditionTimes times;
  for (const Pod::PodCondition& condition : pod.status.conditions) {
    const auto found = std::ranges::find(kConditions, condition.type.view());
    if (found == kConditions.end()) continue;
    times.since[found - kConditions.begin()] =
        Since{condition.status == "True", condition.lastTransitionTime.ToTime().ToWallTime()};
  }
  return times;
}

PodStatus StatusOf(const Pod& pod, const PodRun& run, const PodScript& script,
                   const PodPlace& place, WallTime now, ConditionTimes& times) {
  const StatusWriter writer(pod, run, script, now);
  PodStatus status;
  status.observedGeneration = pod.metadata.generation;
  status.phase = writer.Phase();
  status.conditions = writer.Conditions();
  for (std::size_t i = 0; i < status.conditions.size(); ++i) {
    const bool holds = status.conditions[i].status == "True";
    auto& since = times.since[i];
    if (!since || since->holds != holds) since = ConditionTimes::Since{holds, now};
    status.conditions[i].lastTransitionTime = api::Time(since->time);
  }
  status.hostIP = place.host_ip;
  status.hostIPs.emplace_back().ip = place.host_ip;
  // PARITY: kubelet knows the address of a pod on its own network before there is a sandbox.
  const std::string& ip = pod.spec.hostNetwork ? place.host_ip : place.pod_ip;
  if (!ip.empty()) {
    status.podIP = ip;
    status.podIPs.emplace_back().ip = ip;
  }
  status.startTime = api::Time(run.accepted);
  status.initContainerStatuses = writer.InitStatuses();
  status.containerStatuses = writer.MainStatuses();
  return status;
}

Result<client::Patch> StatusPatch(const Pod& pod, const PodStatus& status) {
  FLYBALL_TRY(Json json, api::ToJson(status));
  Json::Object& members = *json.If<Json::Object>();
  for (Json& condition : *members["conditions"].If<Json::Array>()) {
    // What a patch leaves out stays as it was: the reason of what does not hold any more.
    for (const std::string_view text : {"message", "reason"}) {
      Json::Object& its = *condition.If<Json::Object>();
      if (!its.contains(text)) its[text] = Json();
    }
  }
  Json::Object metadata;
  metadata["uid"] = pod.metadata.uid.view();
  Json::Object patch;
  patch["metadata"] = std::move(metadata);
  patch["status"] = std::move(json);
  return client::Patch::Strategic(std::move(patch));
}

bool IsAtOdds(const Pod& pod, const PodStatus& status) {
  if (pod.status.phase != status.phase || pod.status.podIP != status.podIP) return true;
  if (pod.status.containerStatuses.size() != status.containerStatuses.size()) return true;
  return std::ranges::any_of(status.conditions, [&](const PodCondition& wanted) {
    return std::ranges::none_of(pod.status.conditions, [&](const Pod::PodCondition& shown) {
      return shown.type == wanted.type && shown.status == wanted.status;
    });
  });
}

}  // namespace flyball::simulation
