#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/controllers/deployment/event.h"
#include "flyball/controllers/deployment/rollback_plan.h"
#include "flyball/controllers/deployment/rollout.h"

namespace flyball::controllers::deployment {

/// What is known when it is decided about a deployment.
struct Observed {
  const apps::v1::Deployment& deployment;
  std::vector<SetRef> sets = {};  ///< those that it controls
  /// The uids of those that have pods which have not ended. Asked for by deployments that wait for
  /// that: those that recreate.
  std::set<std::string, std::less<>> sets_with_pods = {};
  /// The feature DeploymentReplicaSetTerminatingReplicas is on.
  bool count_terminating = true;
  WallTime now;
};

/// What is to be done, in this order. Each part is done once, and tells what it says when it has
/// been.
///
/// DIVERGES: upstream writes a set or a deployment up to three times in one go, each time with the
/// resourceVersion of the first, and is refused for it. Here all that is to change of an object in
/// one go is one write. What comes of it is the same.
struct Plan {
  struct SetWrite {
    apps::v1::ReplicaSet set;
    std::vector<Event> events = {};
    friend bool operator==(const SetWrite&, const SetWrite&) = default;
  };

  std::vector<Event> events = {};  ///< said in any case
  std::optional<SetWrite> create = std::nullopt;
  std::vector<SetWrite> updates = {};
  std::vector<apps::v1::ReplicaSet> deletions = {};
  /// Goes to the status, with the deployment's revision among its annotations.
  std::optional<apps::v1::Deployment> status = std::nullopt;
  std::optional<RollBack> roll_back = std::nullopt;
  std::optional<std::chrono::nanoseconds> check_after = std::nullopt;

  /// Whether there is anything to be done now.
  bool Acts() const;
  /// In a line: "create web-1 with 3 pods; resize web-0 to 2; write the status".
  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Whether a deployment's selector is the one that selects everything, upon which nothing is done.
bool SelectsEverything(const apps::v1::Deployment& deployment);

/// Decides. An error for a strategy that there is not.
Result<Plan> PlanFor(const Observed& observed);

}  // namespace flyball::controllers::deployment
