#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "flyball/api/json.h"
#include "flyball/api/toleration.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"

namespace flyball::controllers::taint_eviction {

/// When a pod is to go. Kept here and nowhere else, as upstream does: after a restart pods have all
/// the time again that they tolerate.
struct Deadline {
  std::string uid;  ///< of the pod
  SteadyTime due = {};
  bool begun = false;  ///< it has been said that the pod goes, and it has not yet

  friend bool operator==(const Deadline&, const Deadline&) = default;
};

/// What is to become of a pod.
struct Plan {
  enum class Action : std::uint8_t {
    kNothing,  ///< it stays
    kWait,     ///< until its deadline
    kEvict,    ///< now
  };
  Action action = Action::kNothing;
  Deadline deadline = {};  ///< that holds from now on, but for kNothing
  /// It was to go at another time, or at all; who is interested is told.
  bool cancelled = false;

  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Whether any of a node's taints drives pods out.
bool DrivesPodsOut(const views::Node& node);
/// Whether a change of a node or of a pod may change what is to become of pods.
bool SameEvictingTaints(const views::Node& old, const views::Node& node);
bool SameTolerations(const views::Pod& old, const views::Pod& pod);

/// How long a pod tolerates a node's taints: for how long, forever (nothing), or not at all (zero).
std::optional<std::chrono::nanoseconds> ToleratedFor(const views::Pod& pod, const views::Node& node,
                                                     api::TolerationRules rules);

/// `node`: null if it is not there. `deadline`: null if there was none.
Plan PlanFor(const views::Pod& pod, const views::Node* node, const Deadline* deadline,
             SteadyTime now, api::TolerationRules rules);

/// Has a pod say why it goes, for whoever wonders how it ended: a strategic merge patch of its
/// status. None if it says so already.
std::optional<api::Json> DisruptionPatch(const views::Pod& pod, WallTime now);

}  // namespace flyball::controllers::taint_eviction
