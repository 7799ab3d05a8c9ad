#pragma once

#include <string_view>

/// What people write on pods and nodes to have a simulated node treat them otherwise. Each stands
/// in flyball/api/views.txt too, since a cache keeps no other annotations; docs/simulation.md
/// explains them. Those of claims and volumes are in storage/storage_script.h.
namespace flyball::simulation {

// On a pod. Delays are Go durations: "1.5s".
inline constexpr std::string_view kStartDelay = "simulation.flyball.dev/start-delay";
inline constexpr std::string_view kReadyDelay = "simulation.flyball.dev/ready-delay";
inline constexpr std::string_view kStopDelay = "simulation.flyball.dev/stop-delay";
/// After which a container exits by itself, or "forever".
inline constexpr std::string_view kRunTime = "simulation.flyball.dev/run-time";
inline constexpr std::string_view kExitCode = "simulation.flyball.dev/exit-code";
/// "true": exits with 1 soon after each start.
inline constexpr std::string_view kCrash = "simulation.flyball.dev/crash";
/// "error": the image cannot be had.
inline constexpr std::string_view kImagePull = "simulation.flyball.dev/image-pull";
/// The one container that all of this is about. Without it: all but init containers.
inline constexpr std::string_view kContainer = "simulation.flyball.dev/container";

// On a pod or a node: "false": is never ready.
inline constexpr std::string_view kReady = "simulation.flyball.dev/ready";

// On a node: "true": it is not heard of.
inline constexpr std::string_view kSilent = "simulation.flyball.dev/silent";

}  // namespace flyball::simulation
