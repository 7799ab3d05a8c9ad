#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/controllers/stateful_set/order_plan.h"
#include "flyball/controllers/stateful_set/stateful_set_status.h"
#include "flyball/controllers/stateful_set/update_plan.h"

namespace flyball::controllers::stateful_set {

/// Feature gates that a plan depends on.
struct Gates {
  bool max_unavailable = true;  ///< MaxUnavailableStatefulSet
  bool recreate = false;        ///< StatefulSetRecreateStrategy
};

/// Which revisions the pods of a set have, and are to have.
struct Revisions {
  std::string current;
  std::string update;
  std::int32_t collisions = 0;
};

/// What is to be done, in this order; what fails ends it, but for the status, which is told in any
/// case.
struct Plan {
  /// Of a set that recreates its pods: those of an older revision, all at once. Nothing else is
  /// done while there are any.
  std::vector<PodRef> recreated = {};
  std::optional<Progress> progress = std::nullopt;
  OrderPlan order = {};
  /// Those that make way for others of the latest revision.
  std::vector<PodRef> outdated = {};
  std::optional<std::int64_t> unavailable = std::nullopt;  ///< counted where the set was looked at
  std::optional<Error> failure = std::nullopt;             ///< why nothing can be updated

  bool Acts() const;
  /// In a line: "create db-1; then wait for db-1 to come up".
  std::string ToString() const;
};

/// Decides on a set whose strategy is known.
Plan PlanFor(const Observed& observed, const Revisions& revisions, const Gates& gates);

/// Whether a set has a strategy that is not to be had here. Nothing is done for it then.
bool HasUnknownStrategy(const apps::v1::StatefulSet& set, const Gates& gates);

}  // namespace flyball::controllers::stateful_set
