#include "flyball/controllers/replica_set/plan.h"

#include <algorithm>

namespace flyball::controllers::replica_set {

Plan PlanFor(std::size_t active_pods, std::int32_t replicas) {
  const auto wanted = static_cast<std::size_t>(std::max(replicas, std::int32_t{0}));
  if (active_pods < wanted) return {.create = std::min(wanted - active_pods, kBurst)};
  return {.remove = std::min(active_pods - wanted, kBurst)};
}

std::string Plan::ToString() const {
  if (create > 0) return "create " + std::to_string(create);
  if (remove > 0) return "delete " + std::to_string(remove);
  return "nothing";
}

}  // namespace flyball::controllers::replica_set
