#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "flyball/api/json.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/node_lifecycle/readiness.h"

/// Whether a node is there: it says so by its lease, every few seconds, and by its status. Pure.
namespace flyball::controllers::node_lifecycle {

/// How long a node may be silent.
struct GracePeriods {
  std::chrono::nanoseconds startup = std::chrono::minutes(1);   ///< before its first status
  std::chrono::nanoseconds running = std::chrono::seconds(50);  ///< after that
};

/// What is remembered of a node from one look to the next. It is not in any object, since only the
/// moment counts at which something was seen here: clocks of nodes may be wrong.
struct NodeMemory {
  std::string uid;
  SteadyTime heard = {};  ///< when something was last heard of it
  /// When its Ready condition says that the node reported it; none: there was no such condition.
  std::optional<api::ViewTime> reported = std::nullopt;
  std::string renewed = {};  ///< when its lease says that it was renewed, as on the wire
  Readiness readiness = Readiness::kUnsaid;
  /// It had a taint that drives pods out when it was first seen, and has not yet lost it.
  bool doubted = false;

  friend bool operator==(const NodeMemory&, const NodeMemory&) = default;
};

/// A moment, by both clocks.
struct Moment {
  WallTime wall;
  SteadyTime steady;
};

/// What a look at a node finds.
struct Judgement {
  NodeMemory memory;
  bool overdue = false;  ///< nothing was heard of it for longer than is allowed

  friend bool operator==(const Judgement&, const Judgement&) = default;
};

/// `before`: null at the first look. `lease`: null if it has none. `deaf_until`: nothing could be
/// heard of anybody before that, so that no silence counts.
Judgement Judge(const NodeMemory* before, const views::Node& node, const views::NodeLease* lease,
                Moment now, SteadyTime deaf_until, const GracePeriods& grace);

/// Has a node say that nothing is heard of it, as a strategic merge patch of its status, which is a
/// conflict if the node is not what it was when this was decided. None if it says so already.
std::optional<api::Json> UnknownPatch(const views::Node& node, WallTime now);

}  // namespace flyball::controllers::node_lifecycle
