#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flyball/base/clock.h"

/// What a person sees of a cluster.
namespace flyball::up {

/// A Deployment, StatefulSet or DaemonSet on its way to what was asked for.
struct Rollout {
  enum class State : std::uint8_t { kUnderWay, kDone, kPaused, kStuck };

  std::string name;  ///< "shop/web"
  std::string kind = "deployment";
  std::string image = {};
  std::int64_t revision = 0;
  std::int32_t desired = 0;
  std::int32_t updated = 0;    ///< pods as they are meant to be
  std::int32_t available = 0;  ///< of these and of those before them
  std::int32_t old = 0;        ///< pods that are still as they were
  State state = State::kUnderWay;
  std::string reason = {};  ///< if it is stuck

  friend bool operator==(const Rollout&, const Rollout&) = default;
};

/// How many pods are in which state.
struct PodCounts {
  std::size_t pending = 0;
  std::size_t starting = 0;  ///< on a node, not ready
  std::size_t ready = 0;
  std::size_t ending = 0;
  std::size_t failed = 0;
  std::size_t finished = 0;

  std::size_t total() const { return pending + starting + ready + ending + failed + finished; }
  friend bool operator==(const PodCounts&, const PodCounts&) = default;
};

struct NodeLine {
  std::string name;
  bool ready = false;
  std::size_t pods = 0;
  friend bool operator==(const NodeLine&, const NodeLine&) = default;
};

/// What a controller is at.
struct ControllerLine {
  std::string name;
  std::size_t waiting = 0;  ///< keys that are to be reconciled
  std::size_t failing = 0;  ///< keys whose last reconcile failed
  double rate = 0;          ///< reconciles a second, lately
  std::uint64_t reconciles = 0;
  std::chrono::nanoseconds latency = {};  ///< of a reconcile, on average of those
  friend bool operator==(const ControllerLine&, const ControllerLine&) = default;
};

struct EventLine {
  WallTime when;
  bool warning = false;
  std::string about;  ///< "pod/web-0"
  std::string reason;
  std::string message;
  friend bool operator==(const EventLine&, const EventLine&) = default;
};

struct Snapshot {
  WallTime now = {};
  std::string server = {};   ///< where the API server is
  std::string caption = {};  ///< what is going on, where somebody tells
  std::vector<Rollout> rollouts = {};
  PodCounts pods = {};
  std::vector<NodeLine> nodes = {};
  std::vector<ControllerLine> controllers = {};
  std::vector<EventLine> events = {};  ///< the last ones, newest last

  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

}  // namespace flyball::up
