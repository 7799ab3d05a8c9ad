#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/kubelet_views.h"
#include "flyball/base/result.h"

namespace flyball::simulation {

/// How long things take on simulated nodes, where a pod does not say otherwise. What is zero
/// happens together with what comes before it, and is written with it.
struct Timings {
  std::chrono::nanoseconds start = std::chrono::milliseconds(500);  ///< until the first container
  std::chrono::nanoseconds init = std::chrono::milliseconds(200);   ///< each init container
  std::chrono::nanoseconds ready = std::chrono::milliseconds(500);  ///< from a container's start
  /// What a container does that is not started again when it succeeds: one of a job.
  std::chrono::nanoseconds run = std::chrono::seconds(1);
  std::chrono::nanoseconds stop = std::chrono::milliseconds(200);
  /// Each is longer by up to this part of itself, a different part for each pod.
  double spread = 0;
  std::uint64_t seed = 1;

  friend bool operator==(const Timings&, const Timings&) = default;
};

/// What is to become of a pod: the timings, and what its annotations make of them.
struct PodScript {
  std::chrono::nanoseconds start = {};
  std::chrono::nanoseconds init = {};
  std::chrono::nanoseconds ready = {};
  std::chrono::nanoseconds run = {};
  std::chrono::nanoseconds stop = {};

  /// The container that the rest is about; empty: all but init containers.
  std::string subject = {};
  /// After which it exits by itself; nothing: as it does without annotations.
  std::optional<std::chrono::nanoseconds> run_time = std::nullopt;
  std::int32_t exit_code = 0;
  bool runs_forever = false;
  bool never_ready = false;
  bool pull_fails = false;

  friend bool operator==(const PodScript&, const PodScript&) = default;
};

/// An error names the annotation that cannot be read.
Result<PodScript> ScriptOf(const views::KubeletPod& pod, const Timings& timings);

}  // namespace flyball::simulation
