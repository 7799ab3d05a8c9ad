#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/policy/v1.h"
#include "flyball/api/views.h"
#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/cache/informer.h"

namespace flyball::controllers::disruption {

using PodRef = cache::Ref<views::Pod>;
using policy::v1::PodDisruptionBudget;

/// How long a pod that the server has allowed to be evicted may take until it is seen to go. After
/// that it is taken to stay, and counts again.
inline constexpr std::chrono::minutes kDeletionTimeout(2);

/// What a budget asks for, in pods.
struct Demand {
  std::int32_t expected = 0;  ///< so many are to be there
  std::int32_t healthy = 0;   ///< and so many of them healthy

  friend bool operator==(const Demand&, const Demand&) = default;
};

/// Whether a budget is a share of what the controllers of its pods ask for; else it goes by the
/// pods that there are.
bool GoesByScale(const PodDisruptionBudget& budget);

/// `size` is what the controllers of the pods ask for together, for a budget that goes by that, and
/// else how many pods there are. An error if the budget's numbers make no sense.
Result<Demand> DemandOf(const PodDisruptionBudget& budget, std::int32_t size);

/// What is to be done about a budget.
struct Plan {
  /// The budget with the status that is to be written; none if it has it already.
  std::optional<PodDisruptionBudget> update = std::nullopt;
  /// Pods that were to be evicted, and have not gone: nobody waits for that any more.
  std::vector<PodRef> overdue = {};
  /// When the next of those that are waited for is overdue.
  std::optional<std::chrono::nanoseconds> check_after = std::nullopt;

  std::string ToString() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Decides, with the pods that the budget covers.
Plan PlanFor(const PodDisruptionBudget& budget, const std::vector<PodRef>& pods,
             const Demand& demand, WallTime now);

/// The budget where nobody can tell how many pods may go: none may, and it says why. Nothing if it
/// says so already.
std::optional<PodDisruptionBudget> FailSafe(const PodDisruptionBudget& budget,
                                            const std::string& why, WallTime now);

}  // namespace flyball::controllers::disruption
