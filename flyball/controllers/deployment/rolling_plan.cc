#include "flyball/controllers/deployment/rolling_plan.h"

#include <algorithm>

#include "flyball/base/wrapping.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;

/// An old set, and the size that it has come to.
struct Shrinking {
  SetRef set;
  std::int32_t size;
};

/// How many of a set's pods are available and stay so: one that was just scaled down still counts
/// those that go.
// DIVERGES: upstream counts them, and where another set has pods that are not available, so that it
// does not wait for this one, it takes down more than may be missing.
std::int32_t AvailableIn(const apps::v1::ReplicaSet& set) {
  return std::min(set.status.availableReplicas, SizeOf(set));
}

/// Whether what a set says of its pods is from before it was resized. It may have been scaled down
/// and up again since, and count pods that are gone.
bool IsBehind(const apps::v1::ReplicaSet& set) {
  return set.status.observedGeneration < set.metadata.generation &&
         set.status.availableReplicas > 0;
}

/// At most so many pods that are not available go. False if a set has not got to its size yet: then
/// what it says is available is no longer so.
bool DropUnavailable(std::vector<Shrinking>& sets, std::int32_t most,
                     std::vector<Resize>& resizes) {
  for (Shrinking& shrinking : sets) {
    if (most <= 0) break;
    const std::int32_t unavailable =
        WrappingSubtract(shrinking.size, shrinking.set->status.availableReplicas);
    if (unavailable < 0) return false;
    if (unavailable == 0) continue;
    const std::int32_t dropped = std::min(most, unavailable);
    shrinking.size -= dropped;
    most -= dropped;
    resizes.push_back({shrinking.set, shrinking.size});
  }
  return true;
}

void DropAny(std::vector<Shrinking>& sets, std::int32_t most, std::vector<Resize>& resizes) {
  for (Shrinking& shrinking : sets) {
    if (most <= 0) break;
    if (shrinking.size == 0) continue;
    const std::int32_t dropped = std::min(most, shrinking.size);
    shrinking.size -= dropped;
    most -= dropped;
    resizes.push_back({shrinking.set, shrinking.size});
  }
}

std::vector<Resize> ShrinkOld(const Rollout& rollout) {
  const Deployment& deployment = rollout.deployment;
  const std::vector<SetRef> active = Active(rollout.old);
  if (active.empty()) return {};
  // DIVERGES: upstream goes by what they say, and after a quick change of mind takes down more than
  // may be missing.
  if (IsBehind(*rollout.current)) return {};
  if (std::ranges::any_of(active, [](const SetRef& set) { return IsBehind(*set); })) return {};
  std::int32_t available = AvailableIn(*rollout.current);
  const std::int32_t least_available =
      WrappingSubtract(SizeOf(deployment), LimitsOf(deployment).unavailable);

  // Pods of the current set that are not available count as if they were not there: they must not
  // cost others their lives. What is left beyond the least may go.
  const std::int32_t current_unavailable = WrappingSubtract(SizeOf(*rollout.current), available);
  const std::int32_t spare = WrappingSubtract(
      WrappingSubtract(TotalSize(rollout.All()), least_available), current_unavailable);
  if (spare <= 0) return {};

  std::vector<Shrinking> sets;
  for (const SetRef& set : active) {
    sets.push_back({set, SizeOf(*set)});
    available = WrappingAdd(available, AvailableIn(*set));
  }
  std::vector<Resize> resizes;
  if (!DropUnavailable(sets, spare, resizes)) return resizes;
  DropAny(sets, WrappingSubtract(available, least_available), resizes);
  return resizes;
}

}  // namespace

std::int32_t GrownSize(const Deployment& deployment, std::int32_t size, std::int32_t total) {
  const std::int32_t wanted = SizeOf(deployment);
  if (deployment.spec.strategy.type != kRollingUpdate) return wanted;
  const std::int32_t room =
      WrappingSubtract(WrappingAdd(wanted, LimitsOf(deployment).surge), total);
  return room <= 0 ? size : WrappingAdd(size, std::min(room, WrappingSubtract(wanted, size)));
}

std::vector<Resize> PlanRolling(const Rollout& rollout) {
  const std::int32_t wanted = SizeOf(rollout.deployment);
  const std::int32_t size = SizeOf(*rollout.current);
  const std::int32_t next =
      size >= wanted ? wanted : GrownSize(rollout.deployment, size, TotalSize(rollout.All()));
  if (next != size) return {{rollout.current, next}};
  return ShrinkOld(rollout);
}

}  // namespace flyball::controllers::deployment
