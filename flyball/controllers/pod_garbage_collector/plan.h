#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/cache/informer.h"

namespace flyball::controllers::pod_garbage_collector {

using PodRef = cache::Ref<views::Pod>;
using NodeRef = cache::Ref<views::Node>;

/// Why a pod is deleted without its node having a say in it.
enum class Reason : std::uint8_t {
  kTerminated,    ///< it has ended, and more than are to be kept have
  kOutOfService,  ///< it is to go, and somebody has said that its node is down for good
  kOrphaned,      ///< its node is gone
  kUnscheduled,   ///< it is to go, and has never had a node
};

/// As metrics have it: "out-of-service".
std::string_view ToString(Reason reason);

/// A pod that is to be deleted at once.
struct Removal {
  PodRef pod;
  Reason reason = Reason::kTerminated;

  std::string ToString() const;
  friend bool operator==(const Removal&, const Removal&) = default;
};

/// What one look at all pods comes to.
struct Plan {
  std::vector<Removal> removals;  ///< in this order, each pod once
  /// Those that pods are bound to and that are not known (any more, or yet).
  std::set<std::string, std::less<>> missing_nodes;

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides. Of the pods that have ended `terminated_threshold` are kept; all, if it is not
/// positive.
Plan PlanFor(const std::vector<PodRef>& pods, const std::vector<NodeRef>& nodes,
             std::int32_t terminated_threshold);

/// The pods of a node that is gone.
std::vector<Removal> OrphansOf(std::string_view node, const std::vector<PodRef>& pods);

/// The change of its status that a pod needs before it is deleted, as a strategic merge patch: that
/// it has failed, for whoever waits for how it ends. Nothing if it has ended by itself. An error if
/// what the cache kept of its conditions cannot be read.
Result<std::optional<api::Json>> FailurePatch(const Removal& removal, WallTime now);

}  // namespace flyball::controllers::pod_garbage_collector
