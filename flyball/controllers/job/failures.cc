#include "flyball/controllers/job/failures.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>

#include "flyball/base/wrapping.h"

namespace flyball::controllers::job {
namespace {

std::optional<api::Time> LatestOf(const std::vector<PodRef>& pods) {
  std::optional<api::Time> latest;
  for (const PodRef& pod : pods) latest = std::max(latest.value_or(api::Time()), FinishTime(*pod));
  return latest;
}

}  // namespace

Failures With(Failures before, const std::vector<PodRef>& succeeded,
              const std::vector<PodRef>& failed) {
  const auto last_success = LatestOf(succeeded);
  if (!last_success) {
    if (failed.empty()) return before;
    return {.count = WrappingAdd(before.count, static_cast<std::int32_t>(failed.size())),
            .last = LatestOf(failed)};
  }
  std::vector<PodRef> since;
  std::ranges::copy_if(failed, std::back_inserter(since),
                       [&](const PodRef& pod) { return FinishTime(*pod) > *last_success; });
  return {.count = static_cast<std::int32_t>(since.size()), .last = LatestOf(since)};
}

std::chrono::nanoseconds BackOffLeft(const Failures& failures, WallTime now) {
  if (failures.count <= 0 || !failures.last) return {};
  std::chrono::nanoseconds wait = kFirstBackOff;
  for (int i = 1; i < failures.count && wait < kLongestBackOff; ++i) wait *= 2;
  wait = std::min<std::chrono::nanoseconds>(wait, kLongestBackOff);
  // DIVERGES: a failure that is later than now is one that a clock is wrong about, the node's or
  // ours. Upstream waits until that time has come, however far ahead it is; here the job is
  // reconciled again after its back-off, when the clock may be right again.
  const std::chrono::nanoseconds passed = std::max<std::chrono::nanoseconds>(
      api::Time(now) - *failures.last, std::chrono::nanoseconds::zero());
  return std::max(wait - passed, std::chrono::nanoseconds::zero());
}

std::chrono::nanoseconds BackOffLeft(const views::Pod& failed, WallTime now) {
  // DIVERGES: upstream's sum wraps where somebody has set the annotations to numbers near the
  // largest, and then it waits for the shortest time.
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t count =
      std::int64_t{FailuresBefore(failed)} + IgnoredFailuresBefore(failed) + 1;
  const Failures failures{.count = static_cast<std::int32_t>(std::min(count, kMost)),
                          .last = FinishTime(failed)};
  return BackOffLeft(failures, now);
}

}  // namespace flyball::controllers::job
