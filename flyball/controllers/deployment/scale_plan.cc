#include "flyball/controllers/deployment/scale_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <ranges>

#include "flyball/base/wrapping.h"
#include "flyball/controllers/deployment/annotations.h"
#include "flyball/controllers/deployment/revisions.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;

/// A size that is noted on a set, if it is one.
std::optional<std::int32_t> NotedSize(const ReplicaSet& set, std::string_view annotation) {
  const std::string_view text = AnnotationOf(set, annotation);
  if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  const auto size = ParseNumber(text);
  if (!size || *size > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(*size);
}

/// Whether the current set has all pods that the deployment wants, and knows that it is to.
bool IsSaturated(const Rollout& rollout) {
  if (!rollout.current) return false;
  const ReplicaSet& set = *rollout.current;
  const std::int32_t size = SizeOf(rollout.deployment);
  return ParseNumber(AnnotationOf(set, kDesiredReplicas)) == size && SizeOf(set) == size &&
         set.status.availableReplicas == size;
}

/// What a set would grow by, or shrink by, to keep its share of the deployment's pods.
std::int32_t ShareOfChange(const ReplicaSet& set, const Deployment& deployment) {
  const std::int32_t size = SizeOf(set);
  if (SizeOf(deployment) == 0) return WrappingSubtract(std::int32_t{0}, size);
  std::int32_t before = NotedSize(set, kMaxReplicas).value_or(0);
  // Somebody has removed it: the pods that there are come nearest to it.
  if (before == 0) before = deployment.status.replicas;
  if (before == 0) return 0;
  const std::int32_t most = WrappingAdd(SizeOf(deployment), LimitsOf(deployment).surge);
  // DIVERGES: upstream multiplies in 32 bits, which is not enough from 46,341 pods on.
  const double share = static_cast<double>(size) * most / before;
  return WrappingSubtract(static_cast<std::int32_t>(std::lround(share)), size);
}

/// `active` are in the order in which they are written where the size of none is to change.
std::vector<Resize> InProportion(const Deployment& deployment, std::vector<SetRef> active) {
  const std::int32_t size = SizeOf(deployment);
  const std::int32_t allowed = size > 0 ? WrappingAdd(size, LimitsOf(deployment).surge) : 0;
  const std::int32_t change = WrappingSubtract(allowed, TotalSize(active));
  // The largest first. Of the same size, those to grow the youngest first, those to shrink the
  // oldest: either brings the rollout forward rather than back.
  if (change != 0) {
    std::ranges::sort(active, [change](const SetRef& a, const SetRef& b) {
      if (SizeOf(*a) != SizeOf(*b)) return SizeOf(*a) > SizeOf(*b);
      return change > 0 ? IsOlder(b, a) : IsOlder(a, b);
    });
  }
  std::vector<Resize> resizes;
  std::int32_t left = change;
  for (const SetRef& set : active) {
    const std::int32_t share = left == 0 ? 0 : ShareOfChange(*set, deployment);
    const std::int32_t part = change > 0 ? std::min(share, left) : std::max(share, left);
    resizes.push_back({set, WrappingAdd(SizeOf(*set), part)});
    left = WrappingSubtract(left, part);
  }
  // What rounding leaves goes to the largest.
  if (change != 0) resizes.front().to = std::max(0, WrappingAdd(resizes.front().to, left));
  return resizes;
}

}  // namespace

bool IsScaled(const Rollout& rollout) {
  return std::ranges::any_of(Active(rollout.All()), [&](const SetRef& set) {
    const auto desired = NotedSize(*set, kDesiredReplicas);
    return desired && *desired != SizeOf(rollout.deployment);
  });
}

std::vector<Resize> PlanScale(const Rollout& rollout) {
  const std::int32_t size = SizeOf(rollout.deployment);
  std::vector<SetRef> sets(rollout.old.rbegin(), rollout.old.rend());  // the youngest first
  if (rollout.current) sets.push_back(rollout.current);
  if (sets.empty()) return {};
  const std::vector<SetRef> active = Active(sets);
  if (active.size() <= 1) {
    const SetRef& only =
        !active.empty() ? active.front() : (rollout.current ? rollout.current : sets.front());
    // PARITY: what is noted on it stays as it is, even if wrong, and then it stays "scaled".
    if (SizeOf(*only) == size) return {};
    return {{only, size}};
  }
  if (IsSaturated(rollout)) {  // old sets with pods have come to it since
    std::vector<Resize> resizes;
    for (const SetRef& set : active) {
      if (set != rollout.current) resizes.push_back({set, 0});
    }
    return resizes;
  }
  if (rollout.deployment.spec.strategy.type != kRollingUpdate) return {};
  return InProportion(rollout.deployment, active);
}

}  // namespace flyball::controllers::deployment
