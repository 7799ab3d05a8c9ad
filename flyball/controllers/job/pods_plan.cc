#include "flyball/controllers/job/pods_plan.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "flyball/base/stable_sort.h"
#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/common/pod_deletion_rank.h"
#include "flyball/controllers/job/job_spec.h"

namespace flyball::controllers::job {
namespace {

using batch::v1::Job;

/// What comes in quick succession is answered together.
constexpr std::chrono::nanoseconds kShortestWait = std::chrono::seconds(1);

/// Less is what goes first.
auto Worth(const JobPod& its) {
  const views::Pod& pod = its.pod();
  const auto ready_since = common::ReadySince(pod);
  // The later the less; but one that does not say goes before all.
  const auto age = [](api::ViewTime time) {
    return std::pair(!time.IsZero(), -time.ToTime().unix_seconds());
  };
  return std::tuple(!pod.spec.nodeName.empty(), common::PhaseOrder(pod.status.phase),
                    ready_since.has_value(), age(ready_since.value_or(api::ViewTime())),
                    -common::MostRestarts(pod), -common::MostSidecarRestarts(pod),
                    age(pod.metadata.creationTimestamp));
}

/// Moves pods that an indexed job has no use for from `left` to the front of what is removed.
std::vector<JobPod> TakeUseless(const Job& job, std::vector<JobPod>& left) {
  // Of those with one index the last is worth most.
  StableSort(left, {}, [](const JobPod& its) { return std::pair(its.index, Worth(its)); });
  std::vector<JobPod> useless;
  std::vector<JobPod> useful;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool doubled = i + 1 < left.size() && left[i].index == left[i + 1].index;
    (doubled || !HasUsableIndex(left[i], job) ? useless : useful).push_back(left[i]);
  }
  left = std::move(useful);
  return useless;
}

std::int64_t WantedActive(const Job& job, const JobSyncState& sync_state) {
  const std::int64_t parallelism = ParallelismOf(job);
  if (!job.spec.completions) {
    // Once one has succeeded the others are left to end by themselves.
    return sync_state.succeeded > 0 ? sync_state.counts.active : parallelism;
  }
  const std::int64_t left = std::int64_t{*job.spec.completions} - sync_state.succeeded;
  return std::clamp(left, std::int64_t{0}, parallelism);
}

Indexes IndexesOf(const std::vector<JobPod>& pods, auto which) {
  std::set<std::int64_t> indexes;
  for (const JobPod& its : pods) {
    if (its.index && which(its.pod())) indexes.insert(*its.index);
  }
  return Indexes(indexes);
}

std::vector<std::int64_t> MissingIndexes(const Job& job, const JobSyncState& sync_state,
                                         std::size_t most) {
  Indexes taken = sync_state.succeeded_indexes.With(IndexesOf(sync_state.pods, common::IsActive));
  if (ReplacesFailedOnly(job)) {
    taken = taken.With(IndexesOf(sync_state.pods, common::IsTerminating));
  }
  if (sync_state.failed_indexes) taken = taken.With(*sync_state.failed_indexes);
  return taken.FirstMissing(most, IndexCountOf(job));
}

/// Leaves the indexes that need not wait; if all have to, how long it takes until one need not.
std::optional<std::chrono::nanoseconds> DropThoseThatWait(const JobSyncState& sync_state,
                                                          WallTime now,
                                                          std::vector<std::int64_t>& indexes) {
  std::optional<std::chrono::nanoseconds> shortest;
  std::erase_if(indexes, [&](std::int64_t index) {
    const auto failed = sync_state.to_replace.find(index);
    if (failed == sync_state.to_replace.end()) return false;
    const auto left = BackOffLeft(*failed->second, now);
    if (left == left.zero()) return false;
    shortest = std::min(shortest.value_or(left), left);
    return true;
  });
  return indexes.empty() ? shortest : std::nullopt;
}

PodsPlan Wait(std::chrono::nanoseconds time) { return {.wait = std::max(time, kShortestWait)}; }

PodsPlan PlanCreation(const Job& job, const JobSyncState& sync_state, std::size_t missing,
                      WallTime now) {
  if (!LimitsPerIndex(job)) {
    const auto left = BackOffLeft(sync_state.failures, now);
    if (left > left.zero()) return Wait(left);
  }
  missing = std::min(missing, kBurst);
  if (!IsIndexed(job)) return {.create = missing};
  auto indexes = MissingIndexes(job, sync_state, missing);
  if (LimitsPerIndex(job)) {
    if (const auto left = DropThoseThatWait(sync_state, now, indexes)) return Wait(*left);
  }
  const std::size_t count = indexes.size();
  return {.create = count, .indexes = std::move(indexes)};
}

}  // namespace

std::vector<JobPod> ChoosePodsToRemove(const Job& job, std::vector<JobPod> active,
                                       std::size_t at_least) {
  std::vector<JobPod> chosen;
  if (IsIndexed(job)) chosen = TakeUseless(job, active);
  if (chosen.size() >= at_least) return chosen;
  StableSort(active, {}, Worth);
  const std::size_t more = std::min(at_least - chosen.size(), active.size());
  std::ranges::copy_n(active.begin(), static_cast<std::ptrdiff_t>(more),
                      std::back_inserter(chosen));
  return chosen;
}

PodsPlan PlanPods(const Job& job, const JobSyncState& sync_state, WallTime now) {
  // PARITY: all at once, however many.
  if (IsSuspended(job)) return {.remove = sync_state.active};
  const std::int64_t active = sync_state.counts.active;
  const std::int64_t wanted = WantedActive(job, sync_state);
  const auto surplus = static_cast<std::size_t>(std::max(active - wanted, std::int64_t{0}));
  auto remove = ChoosePodsToRemove(job, sync_state.active, surplus);
  if (!remove.empty()) {
    remove.resize(std::min(remove.size(), kBurst));
    return {.remove = std::move(remove), .wanted = wanted};
  }
  const std::int64_t terminating =
      ReplacesFailedOnly(job) ? sync_state.counts.terminating : std::int64_t{0};
  const std::int64_t missing = wanted - terminating - active;
  if (missing <= 0) return {};
  PodsPlan plan = PlanCreation(job, sync_state, static_cast<std::size_t>(missing), now);
  plan.wanted = wanted;
  return plan;
}

std::string PodsPlan::ToString() const {
  if (!remove.empty()) return "delete " + std::to_string(remove.size()) + " pods";
  if (create > 0) {
    const std::string which =
        indexes.empty() ? ""
                        : " of indexes " + Indexes({indexes.begin(), indexes.end()}).ToString();
    return "create " + std::to_string(create) + " pods" + which;
  }
  if (wait) {
    return "wait " + std::to_string(std::chrono::ceil<std::chrono::seconds>(*wait).count()) +
           " s after a failure";
  }
  return "nothing";
}

}  // namespace flyball::controllers::job
