#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/base/clock.h"

/// Status conditions, as Kubernetes' API conventions have them.
namespace flyball {

/// One of an object's conditions as a controller means it; whatever type it has in the CRD.
struct Condition {
  std::string type;     ///< "Ready"
  bool status = false;  ///< "True" or "False"
  std::string reason;   ///< one word for programs: "Deployed"
  std::string message = {};
};

/// Puts a condition into a list of them, of whatever type a CRD gives it. The time of its last
/// transition moves only if its status does. True if the status is another than before.
template <typename Item>
bool SetCondition(std::vector<Item>& conditions, const Condition& condition,
                  std::int64_t generation, WallTime now) {
  const std::string status = condition.status ? "True" : "False";
  auto at = std::ranges::find_if(conditions,
                                 [&](const Item& item) { return item.type == condition.type; });
  const bool changed = at == conditions.end() || at->status != status;
  if (at == conditions.end()) {
    at = conditions.insert(at, Item());
    at->type = condition.type;
  }
  if (changed) at->lastTransitionTime = api::Time(now);
  at->status = status;
  at->reason = condition.reason;
  at->message = condition.message;
  if constexpr (requires { at->observedGeneration; }) at->observedGeneration = generation;
  return changed;
}

/// Whether a condition is there and "True".
template <typename Item>
bool IsTrue(const std::vector<Item>& conditions, std::string_view type) {
  return std::ranges::any_of(
      conditions, [&](const Item& item) { return item.type == type && item.status == "True"; });
}

}  // namespace flyball
