#include "flyball/controllers/replica_set/deletion_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <compare>
#include <iterator>
#include <unordered_map>

#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/common/pod_deletion_rank.h"

namespace flyball::controllers::replica_set {
namespace {

using common::IsActive;
using common::ReadySince;

/// What is compared of a pod. What goes first is less, all along.
struct Candidate {
  const PodRef* pod;
  bool assigned;
  int phase;
  bool ready;
  std::int32_t cost;
  int fewer_neighbours;
  api::Time ready_since;  // zero if it is not ready, or does not say
  std::int32_t fewer_restarts;
  std::int32_t fewer_sidecar_restarts;
  api::Time created;
  std::string_view uid;
};

Candidate CandidateOf(const PodRef& ref, int neighbours, DeletionRules rules) {
  const views::Pod& pod = *ref;
  const auto ready_since = ReadySince(pod);
  return {.pod = &ref,
          .assigned = !pod.spec.nodeName.empty(),
          .phase = common::PhaseOrder(pod.status.phase),
          .ready = ready_since.has_value(),
          .cost = rules.by_cost ? DeletionCost(pod) : 0,
          .fewer_neighbours = -neighbours,
          .ready_since = ready_since.value_or(api::ViewTime()),
          .fewer_restarts = -common::MostRestarts(pod),
          .fewer_sidecar_restarts = -common::MostSidecarRestarts(pod),
          .created = pod.metadata.creationTimestamp,
          .uid = pod.metadata.uid};
}

/// The age in powers of two of a nanosecond.
std::int64_t LogarithmicAge(api::Time time, api::Time now) {
  const std::chrono::nanoseconds age = now - time;
  if (age <= age.zero()) return -1;
  return static_cast<std::int64_t>(std::log2(static_cast<double>(age.count())));
}

/// Of two times that are not the same: none before a later one before an earlier one.
std::strong_ordering CompareTimes(const Candidate& a, api::Time time_of_a, const Candidate& b,
                                  api::Time time_of_b, api::Time now) {
  if (time_of_a.IsZero()) return std::strong_ordering::less;
  if (time_of_b.IsZero()) return std::strong_ordering::greater;
  const auto by_age = LogarithmicAge(time_of_a, now) <=> LogarithmicAge(time_of_b, now);
  return by_age != 0 ? by_age : a.uid <=> b.uid;
}

bool GoesBefore(const Candidate& a, const Candidate& b, api::Time now) {
  const auto state = [](const Candidate& its) {
    return std::tie(its.assigned, its.phase, its.ready, its.cost, its.fewer_neighbours);
  };
  const auto restarts = [](const Candidate& its) {
    return std::tie(its.fewer_restarts, its.fewer_sidecar_restarts);
  };
  if (const auto order = state(a) <=> state(b); order != 0) return order < 0;
  if (a.ready_since != b.ready_since) {
    return CompareTimes(a, a.ready_since, b, b.ready_since, now) < 0;
  }
  if (const auto order = restarts(a) <=> restarts(b); order != 0) return order < 0;
  return a.created != b.created && CompareTimes(a, a.created, b, b.created, now) < 0;
}

/// A merge sort, because the standard's may do anything if an order goes round in circles, which
/// this one can: two pods ready since the same second differ by their restarts, and a third of the
/// same logarithmic age may stand between their uids the other way.
void Sort(std::span<Candidate> pods, api::Time now) {
  if (pods.size() < 2) return;
  const std::span<Candidate> first = pods.first(pods.size() / 2);
  const std::span<Candidate> second = pods.subspan(first.size());
  Sort(first, now);
  Sort(second, now);
  std::vector<Candidate> sorted;
  sorted.reserve(pods.size());
  auto a = first.begin();
  auto b = second.begin();
  while (a != first.end() && b != second.end()) {
    sorted.push_back(GoesBefore(*b, *a, now) ? *b++ : *a++);
  }
  sorted.insert(sorted.end(), a, first.end());
  sorted.insert(sorted.end(), b, second.end());
  std::ranges::copy(sorted, pods.begin());
}

}  // namespace

std::vector<PodRef> ChoosePodsToDelete(std::span<const PodRef> pods,
                                       std::span<const PodRef> related, std::size_t count,
                                       WallTime now, DeletionRules rules) {
  if (count >= pods.size()) return {pods.begin(), pods.end()};
  std::unordered_map<std::string_view, int> on_node;
  for (const PodRef& pod : related) {
    if (IsActive(*pod)) ++on_node[pod->spec.nodeName];
  }
  std::vector<Candidate> candidates;
  candidates.reserve(pods.size());
  for (const PodRef& pod : pods) {
    const auto neighbours = on_node.find(pod->spec.nodeName);
    candidates.push_back(
        CandidateOf(pod, neighbours == on_node.end() ? 0 : neighbours->second, rules));
  }
  Sort(candidates, api::Time(now));
  std::vector<PodRef> chosen;
  chosen.reserve(count);
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(*candidates[i].pod);
  return chosen;
}

std::int32_t DeletionCost(const views::Pod& pod) {
  const auto text = pod.metadata.annotations.find("controller.kubernetes.io/pod-deletion-cost");
  if (!text || text->empty()) return 0;
  // PARITY: "-08" is a number, "08" is none.
  const bool padded = text->front() == '0' && text->size() > 1;
  std::int32_t cost = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), cost);
  const bool whole = error == std::errc() && end == text->data() + text->size();
  return whole && !padded ? cost : 0;
}

std::vector<double> AgeRatios(std::span<const PodRef> pods, std::span<const PodRef> chosen,
                              WallTime now) {
  const auto age = [now](const PodRef& pod) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               api::Time(now) - pod->metadata.creationTimestamp.ToTime())
        .count();
  };
  api::Time youngest;
  const PodRef* youngest_pod = nullptr;
  for (const PodRef& pod : pods) {
    if (!common::IsReady(*pod) || pod->metadata.creationTimestamp.ToTime() <= youngest) continue;
    youngest = pod->metadata.creationTimestamp;
    youngest_pod = &pod;
  }
  // Upstream divides by an age of nothing too, and crashes.
  const std::int64_t least = youngest_pod == nullptr ? 0 : age(*youngest_pod);
  std::vector<double> ratios;
  if (least == 0) return ratios;
  for (const PodRef& pod : chosen) {
    if (!common::IsReady(*pod)) continue;
    const std::int64_t times = age(pod) / least;  // PARITY: a whole number
    ratios.push_back(static_cast<double>(times));
  }
  return ratios;
}

}  // namespace flyball::controllers::replica_set
