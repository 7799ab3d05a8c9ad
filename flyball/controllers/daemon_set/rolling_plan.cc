#include "flyball/controllers/daemon_set/rolling_plan.h"

#include <algorithm>
#include <span>
#include <utility>

#include "flyball/base/wrapping.h"
#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::daemon_set {
namespace {

using apps::v1::DaemonSet;
using apps::v1::RollingUpdateDaemonSet;

const RollingUpdateDaemonSet* RollingUpdateOf(const DaemonSet& set) {
  const auto& strategy = set.spec.updateStrategy;
  return strategy.type == kRollingUpdate && strategy.rollingUpdate ? &*strategy.rollingUpdate
                                                                   : nullptr;
}

Result<std::int64_t> SurgeOf(const DaemonSet& set, std::int64_t desired) {
  const auto* const update = RollingUpdateOf(set);
  if (update == nullptr || !update->maxSurge) return 0;
  return update->maxSurge->ScaledValue(desired, /*round_up=*/true);
}

/// The pods of a node that are not on their way out: at most one of each.
struct Pair {
  PodRef current;
  PodRef old;
  bool too_many = false;
};

Pair PairOf(std::span<const PodRef> pods, const TemplateRevision& template_revision) {
  Pair pair;
  for (const PodRef& pod : pods) {
    if (pod->metadata.deletionTimestamp) continue;
    PodRef& place = IsUpdated(*pod, template_revision) ? pair.current : pair.old;
    if (place) return {.current = nullptr, .old = nullptr, .too_many = true};
    place = pod;
  }
  return pair;
}

template <typename T>
void AppendFirst(std::vector<T>& to, const std::vector<T>& from, std::int64_t most) {
  const auto count = std::clamp<std::int64_t>(most, 0, std::ssize(from));
  to.insert(to.end(), from.begin(), from.begin() + count);
}

/// One update's worth of decisions.
class Rolling {
 public:
  explicit Rolling(const Observed& observed) : observed_(observed) {
    for (const Place& place : PlacesOf(observed)) {
      const bool runs = place.fitness && place.fitness->runs;
      if (runs) ++desired_;
      if (!runs && place.pods.empty()) continue;
      pairs_.push_back({place, PairOf(place.pods, observed.template_revision)});
    }
  }

  std::int64_t desired() const { return desired_; }

  /// What is not there counts as not available, and so does what PlanPods() has to tidy up first.
  Plan Replace(std::int64_t most_unavailable) const {
    std::int64_t unavailable = 0;
    std::vector<PodRef> candidates;
    Plan plan;
    for (const auto& [place, pair] : pairs_) {
      const bool one = !pair.too_many && (pair.current == nullptr) != (pair.old == nullptr);
      if (!one) {
        ++unavailable;
      } else if (pair.current) {
        if (!IsAvailable(pair.current)) ++unavailable;
      } else if (IsAvailable(pair.old)) {
        candidates.push_back(pair.old);
      } else {
        plan.remove.push_back(pair.old);
        ++unavailable;
      }
    }
    AppendFirst(plan.remove, candidates, WrappingSubtract(most_unavailable, unavailable));
    return plan;
  }

  Plan Surge(std::int64_t most_surge) const {
    std::int64_t surging = 0;
    std::int64_t available = 0;
    std::vector<std::string> candidates;
    std::vector<PodRef> misplaced;
    Plan plan;
    for (const auto& [place, pair] : pairs_) {
      if (pair.too_many) {
        ++surging;
        continue;
      }
      const PodRef& counted = pair.old ? pair.old : pair.current;
      const bool is_available = counted && IsAvailable(counted);
      if (is_available) ++available;
      if (!pair.old) continue;
      if (pair.current) {
        // It waits for the new one.
        if (IsAvailable(pair.current)) {
          plan.remove.push_back(pair.old);
        } else {
          ++surging;
        }
        continue;
      }
      // DIVERGES: upstream stops at a node that is gone, and updates nothing until its pods are
      // too.
      if (!place.fitness) continue;
      if (!place.fitness->runs) {
        (is_available ? misplaced : plan.remove).push_back(pair.old);
      } else {
        (is_available ? candidates : plan.create).emplace_back(place.node);
      }
    }
    AppendFirst(plan.create, candidates, WrappingSubtract(most_surge, surging));
    // Pods that are no longer wanted where they are stay until there are enough elsewhere.
    AppendFirst(plan.remove, misplaced, available - desired_);
    return plan;
  }

 private:
  bool IsAvailable(const PodRef& pod) const {
    return common::IsAvailable(*pod, observed_.set.spec.minReadySeconds, observed_.now);
  }

  const Observed& observed_;
  std::int64_t desired_ = 0;
  std::vector<std::pair<Place, Pair>> pairs_;  // that have pods or ought to
};

}  // namespace

bool AllowsSurge(const DaemonSet& set) { return SurgeOf(set, 1).value_or(0) > 0; }

Result<UpdateLimits> LimitsOf(const DaemonSet& set, std::int64_t desired) {
  UpdateLimits limits;
  if (const auto* const update = RollingUpdateOf(set)) {
    if (!update->maxUnavailable) {
      return Fail(ErrorCode::kInvalid,
                  "invalid value for MaxUnavailable: nil value for IntOrString");
    }
    const auto unavailable = update->maxUnavailable->ScaledValue(desired, /*round_up=*/true);
    if (!unavailable) {
      return std::unexpected(unavailable.error().Wrap("invalid value for MaxUnavailable"));
    }
    limits.unavailable = *unavailable;
  }
  const auto surge = SurgeOf(set, desired);
  if (!surge) return std::unexpected(surge.error().Wrap("invalid value for MaxSurge"));
  limits.surge = *surge;
  // Else it would never end.
  if (desired > 0 && limits == UpdateLimits()) limits.unavailable = 1;
  return limits;
}

Result<Plan> PlanRolling(const Observed& observed) {
  const Rolling rolling(observed);
  const auto limits = LimitsOf(observed.set, rolling.desired());
  if (!limits) {
    return std::unexpected(limits.error().Wrap("couldn't get unavailable numbers"));
  }
  return limits->surge == 0 ? rolling.Replace(limits->unavailable) : rolling.Surge(limits->surge);
}

}  // namespace flyball::controllers::daemon_set
