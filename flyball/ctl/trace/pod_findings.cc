#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "flyball/api/human_duration.h"
#include "flyball/base/stable_sort.h"
#include "flyball/ctl/trace/findings.h"

namespace flyball::ctl::trace {
namespace {

using core::v1::ContainerStatus;
using core::v1::Pod;

/// How long a pod may take over something before it is said that it does.
constexpr std::chrono::seconds kToBeSeen{5};
constexpr std::chrono::seconds kToBeMade{60};
constexpr std::chrono::seconds kToBeReady{5};

/// What keeps a pod from being ready.
struct Trouble {
  std::string what;      ///< "The image \"nginx:nope\" cannot be pulled"
  std::string evidence;  ///< beside the pod's name
  std::string advice = {};
};

constexpr std::array<std::string_view, 5> kImageReasons = {"ErrImagePull", "ImagePullBackOff",
                                                           "InvalidImageName", "ErrImageNeverPull",
                                                           "RegistryUnavailable"};
constexpr std::array<std::string_view, 4> kMakingReasons = {
    "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "StartError"};

template <typename List>
bool IsAmong(std::string_view text, const List& list) {
  return std::ranges::find(list, text) != std::end(list);
}

const core::v1::PodCondition* Find(const Pod& pod, std::string_view type) {
  const auto found = std::ranges::find(pod.status.conditions, type, &core::v1::PodCondition::type);
  return found == pod.status.conditions.end() ? nullptr : &*found;
}

std::string WithMessage(std::string_view reason, std::string_view message) {
  return std::string(reason) + (message.empty() ? "" : ": " + std::string(message));
}

/// An init container comes before all others, and its trouble is the pod's.
std::optional<Trouble> ContainerTrouble(const ContainerStatus& container) {
  const std::string named = "container " + container.name;
  const auto& waiting = container.state.waiting;
  const auto& ended = container.state.terminated       ? container.state.terminated
                      : container.lastState.terminated ? container.lastState.terminated
                                                       : container.state.terminated;
  if (waiting && IsAmong(waiting->reason, kImageReasons)) {
    return Trouble{.what = "The image \"" + container.image + "\" cannot be pulled",
                   .evidence = named + ": " + WithMessage(waiting->reason, waiting->message),
                   .advice =
                       "correct the image in the template, or let the nodes pull it "
                       "(imagePullSecrets, the registry)"};
  }
  if (waiting && IsAmong(waiting->reason, kMakingReasons)) {
    return Trouble{.what = "The " + named +
                           " cannot be started: " + WithMessage(waiting->reason, waiting->message),
                   .evidence = named + " waits",
                   .advice = "create what it refers to, or correct the template"};
  }
  const bool loops = waiting && waiting->reason == "CrashLoopBackOff";
  const bool crashed = container.state.terminated && container.state.terminated->exitCode != 0;
  if (!loops && !crashed) return std::nullopt;
  const std::string how = ended ? WithMessage("exit code " + std::to_string(ended->exitCode),
                                              ended->reason == "Error" ? "" : ended->reason)
                                : std::string("an error");
  const bool memory = ended && ended->reason == "OOMKilled";
  return Trouble{
      .what = "The " + named +
              (loops || container.restartCount > 0 ? " crashes again and again: it ends with "
                                                   : " has crashed: it ended with ") +
              how,
      .evidence = named + ": restarted " + std::to_string(container.restartCount) + " times" +
                  (ended && !ended->message.empty() ? ", " + ended->message : ""),
      .advice = memory ? "raise its memory limit, or have it use less"
                       : "read its log: kubectl logs --previous"};
}

std::optional<Trouble> FirstOf(std::span<const ContainerStatus> containers) {
  for (const ContainerStatus& container : containers) {
    if (auto trouble = ContainerTrouble(container)) return trouble;
  }
  return std::nullopt;
}

std::optional<Trouble> PlacementTrouble(const Pod& pod, std::chrono::nanoseconds age) {
  if (!pod.spec.nodeName.empty()) return std::nullopt;
  const auto* const scheduled = Find(pod, "PodScheduled");
  if (scheduled != nullptr && scheduled->reason == "Unschedulable") {
    return Trouble{.what = "No node fits: " + scheduled->message,
                   .evidence = "condition PodScheduled, reason Unschedulable",
                   .advice =
                       "add nodes, ask for less, or change selectors, affinity and "
                       "tolerations"};
  }
  if (!pod.spec.schedulingGates.empty()) {
    return Trouble{.what = "The scheduling gate " + pod.spec.schedulingGates[0].name +
                           " has not been taken off",
                   .evidence = "spec.schedulingGates",
                   .advice = "see to whoever takes the gate off"};
  }
  if (age < kToBeSeen) return std::nullopt;
  return Trouble{.what = "There is no node yet, and no scheduler has looked for one",
                 .evidence = "its scheduler is " + pod.spec.schedulerName,
                 .advice = "see whether that scheduler runs"};
}

std::optional<Trouble> ReadinessTrouble(const Pod& pod, WallTime now) {
  const auto* const ready = Find(pod, "Ready");
  if (pod.status.phase != "Running" || ready == nullptr || ready->status == "True") {
    return std::nullopt;
  }
  const auto since = api::Time(now) - ready->lastTransitionTime;
  const auto waits = std::ranges::find_if(pod.status.containerStatuses,
                                          [](const auto& container) { return !container.ready; });
  if (since < kToBeReady) return std::nullopt;
  if (waits == pod.status.containerStatuses.end()) {
    return Trouble{.what = "A readiness gate is not open",
                   .evidence = WithMessage(ready->reason, ready->message),
                   .advice = "see to whoever sets that condition"};
  }
  return Trouble{.what = "The container " + waits->name +
                         " runs, but is not ready: it does not pass its readiness probe",
                 .evidence = "not ready for " + api::HumanDuration(since) +
                             (ready->message.empty() ? "" : ": " + ready->message),
                 .advice = "look at the probe, and at what the container waits for"};
}

std::optional<Trouble> TroubleOf(const Pod& pod, WallTime now) {
  if (IsReady(pod) || pod.metadata.deletionTimestamp || pod.status.phase == "Succeeded") {
    return std::nullopt;
  }
  const auto age = api::Time(now) - pod.metadata.creationTimestamp;
  if (auto trouble = PlacementTrouble(pod, age)) return trouble;
  if (auto trouble = FirstOf(pod.status.initContainerStatuses)) return trouble;
  if (auto trouble = FirstOf(pod.status.containerStatuses)) return trouble;
  if (pod.status.phase == "Failed") {
    return Trouble{.what = "Failed: " + WithMessage(pod.status.reason, pod.status.message),
                   .evidence = "on node " + pod.spec.nodeName};
  }
  if (auto trouble = ReadinessTrouble(pod, now)) return trouble;
  if (pod.status.phase != "Pending" || pod.spec.nodeName.empty() || age < kToBeMade) {
    return std::nullopt;
  }
  return Trouble{.what = "The node does not start it",
                 .evidence = "on node " + pod.spec.nodeName + " for " + api::HumanDuration(age),
                 .advice =
                     "look at the node, and at the volumes and the network that it has to set "
                     "up"};
}

}  // namespace

Findings PodFindings(const Observation& observation) {
  struct Group {
    Trouble trouble;
    std::vector<std::string> evidence;
    std::size_t pods = 0;
  };
  constexpr std::size_t kShown = 2;
  std::vector<Group> groups;
  for (const Pod& pod : observation.chain.pods) {
    auto trouble = TroubleOf(pod, observation.now);
    if (!trouble) continue;
    auto group = std::ranges::find(groups, trouble->what,
                                   [](const Group& each) { return each.trouble.what; });
    if (group == groups.end()) {
      groups.push_back({.trouble = *trouble, .evidence = {}});
      group = groups.end() - 1;
    }
    ++group->pods;
    if (group->pods <= kShown) {
      group->evidence.push_back("pod " + pod.metadata.name + ", " + trouble->evidence);
    }
  }
  // What most suffer from comes first.
  StableSort(groups, std::ranges::greater(), &Group::pods);
  Findings findings;
  for (Group& group : groups) {
    const std::size_t all = observation.chain.pods.size();
    const std::string who =
        all == 1 ? "" : " (" + std::to_string(group.pods) + " of " + Counted(all, "pod") + ")";
    if (group.pods > kShown) {
      group.evidence.push_back("and " + Counted(group.pods - kShown, "pod") + " more");
    }
    findings.push_back({.cause = group.trouble.what + who,
                        .evidence = std::move(group.evidence),
                        .advice = std::move(group.trouble.advice)});
  }
  return findings;
}

}  // namespace flyball::ctl::trace
