#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/controllers/common/planned_event.h"
#include "flyball/controllers/daemon_set/daemon_pod.h"
#include "flyball/controllers/daemon_set/node_fitness.h"

namespace flyball::controllers::daemon_set {

/// How many pods a reconcile makes at most, and how many it removes; the next goes on from there.
inline constexpr std::size_t kBurst = 250;

/// A node, and what it is to the set.
struct FittedNode {
  std::string name;
  Fitness fitness;
};

/// What is known when it is decided about a set.
struct Observed {
  const apps::v1::DaemonSet& set;
  std::vector<FittedNode> nodes = {};  ///< by name
  PodsByNode pods = {};
  TemplateRevision template_revision = {};
  WallTime now = {};
};

/// Where a pod is, or may be.
struct Place {
  std::string_view node;
  std::optional<Fitness> fitness;  ///< none: there is no such node any more
  std::span<const PodRef> pods;
};

/// All nodes and all that have pods, by name. Good as long as what was observed is.
std::vector<Place> PlacesOf(const Observed& observed);

using Event = common::PlannedEvent;

/// Which pods are to be made, and which removed.
struct Plan {
  std::vector<std::string> create = {};  ///< by node
  std::vector<PodRef> remove = {};
  std::vector<Event> events = {};
  /// Nodes of which a failed pod is removed: the next has to wait longer.
  std::vector<std::string> failed_on = {};
  /// There are failed pods that have to wait for so long before they are removed.
  std::optional<std::chrono::nanoseconds> requeue_after = std::nullopt;

  bool Acts() const { return !create.empty() || !remove.empty(); }
  /// In a line: "create 4 pods, the first for node-1; delete 1 pod, the first web-x".
  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// How long a failed pod of a node has to wait before it is removed; nothing if it does not.
using FailedPodWait = std::function<std::optional<std::chrono::nanoseconds>(std::string_view node)>;

/// One pod on each node that ought to have one, and none elsewhere. Pods that have ended make way.
/// While pods are replaced by surge a node may have two: an old one that is ready, beside a new one
/// that is not yet.
Plan PlanPods(const Observed& observed, const FailedPodWait& wait);

}  // namespace flyball::controllers::daemon_set
