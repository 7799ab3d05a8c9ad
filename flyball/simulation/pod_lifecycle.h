#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/kubelet_views.h"
#include "flyball/base/clock.h"
#include "flyball/simulation/pod_script.h"

namespace flyball::simulation {

enum class ContainerRole : std::uint8_t {
  kInit,     ///< runs to its end before the next one starts
  kSidecar,  ///< an init container that goes on beside all that come after it
  kMain,
};

/// How a run of a container ended.
struct Termination {
  WallTime started = {};
  WallTime finished = {};
  std::int32_t exit_code = 0;
  bool unknown = false;  ///< it never ran; the pod is over, and kubelet knows no better
  friend bool operator==(const Termination&, const Termination&) = default;
};

struct ContainerRun {
  enum class State : std::uint8_t {
    kWaiting,  ///< has not been started yet
    kPullFailed,
    kPullBackOff,  ///< until the image is asked for again
    kRunning,
    kBackOff,  ///< has ended, and will be started again
    kExited,
  };

  State state = State::kWaiting;
  WallTime since = {};  ///< when it came to this
  std::int32_t restarts = 0;
  std::optional<Termination> ended = std::nullopt;     ///< unless it runs, and has run
  std::optional<Termination> previous = std::nullopt;  ///< the run before that
  /// The latest wait before a start, and when it was decided upon; zero: there was none.
  std::chrono::nanoseconds back_off = {};
  WallTime backed_off = {};

  bool running() const { return state == State::kRunning; }
  /// Whether it runs, or has run.
  bool started() const {
    return state == State::kRunning || state == State::kBackOff || state == State::kExited;
  }
  bool succeeded() const { return state == State::kExited && ended->exit_code == 0; }
  friend bool operator==(const ContainerRun&, const ContainerRun&) = default;
};

/// Where a pod is on its way through a simulated node.
struct PodRun {
  WallTime accepted = {};  ///< when the node first saw it
  /// Since when its volumes are there; nothing: they are waited for.
  std::optional<WallTime> mounted = std::nullopt;
  /// When its sandbox was there, and so its address.
  std::optional<WallTime> sandbox = std::nullopt;
  std::vector<ContainerRun> init = {};  ///< as in the pod's spec
  std::vector<ContainerRun> main = {};
  /// Since when it is being deleted, or has nothing left to do but to end its sidecars.
  std::optional<WallTime> stopping = std::nullopt;
  bool over = false;                               ///< no container runs, and none ever will
  WallTime last_step = {};                         ///< when something happened to it last
  std::optional<PodScript> script = std::nullopt;  ///< what it went by so far

  friend bool operator==(const PodRun&, const PodRun&) = default;
};

/// A pod that a node sees for the first time. If its status says that it has been running, then
/// that is where it goes on: somebody simulated this node before.
PodRun Accept(const views::KubeletPod& pod, WallTime now);

struct PodProgress {
  PodRun run;
  /// When the pod's status changes next by itself; nothing: never.
  std::optional<WallTime> next = std::nullopt;
  friend bool operator==(const PodProgress&, const PodProgress&) = default;
};

/// What has happened to a pod by now. Each thing happens at its own time, however late anybody
/// looks; so two who look at different times come to the same. Only what is new, a deletion or
/// another script, counts from when the node learns of it.
PodProgress Advance(PodRun run, const views::KubeletPod& pod, const PodScript& script,
                    WallTime now);

ContainerRole RoleOfInit(const views::KubeletPod::Container& container);
bool IsReady(const ContainerRun& run, const views::KubeletPod::Container& container,
             ContainerRole role, const PodScript& script, WallTime now);

}  // namespace flyball::simulation
