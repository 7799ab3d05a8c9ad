#include "flyball/controllers/deployment/revisions.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <ranges>
#include <utility>

#include "flyball/base/stable_sort.h"
#include "flyball/base/wrapping.h"
#include "flyball/controllers/deployment/annotations.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;

/// How long the list of past revisions may get. What is too old for it is forgotten.
constexpr std::size_t kMostHistory = 2000;

/// Whether an annotation is one's own, not to be copied between a deployment and its sets.
bool IsOwn(std::string_view key) {
  constexpr std::string_view kOwn[] = {"kubectl.kubernetes.io/last-applied-configuration",
                                       kRevision,
                                       kRevisionHistory,
                                       kDesiredReplicas,
                                       kMaxReplicas,
                                       kRollBackTo};
  return std::ranges::find(kOwn, key) != std::end(kOwn);
}

/// Sets an entry; whether that changed anything.
bool Put(api::Map<std::string>& map, std::string_view key, std::string_view value) {
  const std::string* const there = map.find(key);
  if (there != nullptr && *there == value) return false;
  map[key] = value;
  return true;
}

/// A list of revisions with one more, and as many of the oldest dropped as that takes.
std::string Appended(std::string_view history, const std::string& revision) {
  if (history.empty() || history.front() == ',') return revision;
  const std::string_view whole = history;
  while (!history.empty() && history.size() + revision.size() + 1 > kMostHistory) {
    const std::size_t comma = history.find(',');
    history = comma == std::string_view::npos ? std::string_view() : history.substr(comma + 1);
  }
  if (history.empty()) return revision.size() <= kMostHistory ? revision : std::string(whole);
  return std::string(history) + "," + revision;
}

}  // namespace

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

std::string_view AnnotationOf(const ReplicaSet& set, std::string_view key) {
  const std::string* const value = set.metadata.annotations.find(key);
  return value == nullptr ? std::string_view() : *value;
}

std::optional<std::int64_t> RevisionOf(const ReplicaSet& set) {
  const std::string* const revision = set.metadata.annotations.find(kRevision);
  return revision == nullptr ? 0 : ParseNumber(*revision);
}

std::int64_t HighestRevision(const std::vector<SetRef>& sets) {
  std::int64_t highest = 0;
  for (const SetRef& set : sets) highest = std::max(highest, RevisionOf(*set).value_or(0));
  return highest;
}

std::int64_t SecondHighestRevision(const std::vector<SetRef>& sets) {
  std::int64_t highest = 0;
  std::int64_t second = 0;
  for (const SetRef& set : sets) {
    const auto revision = RevisionOf(*set);
    if (!revision) continue;
    if (*revision >= highest) {
      second = std::exchange(highest, *revision);
    } else {
      second = std::max(second, *revision);
    }
  }
  return second;
}

std::optional<std::int64_t> RollBackTarget(const Deployment& deployment) {
  const std::string* const target = deployment.metadata.annotations.find(kRollBackTo);
  return target == nullptr ? std::nullopt : ParseNumber(*target);
}

std::optional<api::Map<std::string>> AnnotationsOfCurrent(const Deployment& deployment,
                                                          const ReplicaSet& set,
                                                          std::int64_t revision) {
  const std::string* const before = set.metadata.annotations.find(kRevision);
  // PARITY: a set whose revision somebody has made illegible gets nothing else either.
  if (before != nullptr && !before->empty() && !ParseNumber(*before)) return std::nullopt;

  api::Map<std::string> annotations = set.metadata.annotations;
  bool changed = false;
  for (const auto& [key, value] : deployment.metadata.annotations) {
    if (!IsOwn(key)) changed |= Put(annotations, key, value);
  }
  // It may be higher already: sets between have been deleted since.
  const std::int64_t was = before == nullptr ? 0 : ParseNumber(*before).value_or(0);
  if (was < revision) {
    if (before != nullptr) {  // an old one has become the current one again
      annotations[kRevisionHistory] = Appended(AnnotationOf(set, kRevisionHistory), *before);
    }
    annotations[kRevision] = std::to_string(revision);
    changed = true;
  }
  if (!changed) return std::nullopt;
  return annotations;
}

api::Map<std::string> AnnotationsAfterRollBack(const Deployment& deployment,
                                               const ReplicaSet& set) {
  api::Map<std::string> annotations;
  for (const auto& [key, value] : deployment.metadata.annotations) {
    if (IsOwn(key)) annotations[key] = value;
  }
  for (const auto& [key, value] : set.metadata.annotations) {
    if (!IsOwn(key)) annotations[key] = value;
  }
  return annotations;
}

bool NoteSize(const Deployment& deployment, api::Map<std::string>& annotations) {
  const std::int32_t size = SizeOf(deployment);
  const std::int32_t most = WrappingAdd(size, LimitsOf(deployment).surge);
  const bool desired_changed = Put(annotations, kDesiredReplicas, std::to_string(size));
  const bool most_changed = Put(annotations, kMaxReplicas, std::to_string(most));
  return desired_changed || most_changed;
}

std::vector<SetRef> ExpiredRevisions(const Rollout& rollout) {
  constexpr std::int32_t kAll = std::numeric_limits<std::int32_t>::max();
  const std::int32_t limit = rollout.deployment.spec.revisionHistoryLimit.value_or(kAll);
  if (limit == kAll) return {};
  std::vector<SetRef> sets = rollout.old;
  std::erase_if(sets,
                [](const SetRef& set) { return set->metadata.deletionTimestamp.has_value(); });
  const std::int64_t surplus = static_cast<std::int64_t>(sets.size()) - limit;
  if (surplus <= 0) return {};

  // DIVERGES: upstream compares a set without a legible revision by its age, with any other, which
  // is no order. Here it comes first.
  StableSort(sets, {}, [](const SetRef& set) { return RevisionOf(*set).value_or(0); });
  sets.resize(std::min(sets.size(), static_cast<std::size_t>(surplus)));
  std::erase_if(sets, [](const SetRef& set) {
    return set->status.replicas != 0 || SizeOf(*set) != 0 ||
           set->metadata.generation > set->status.observedGeneration;
  });
  return sets;
}

}  // namespace flyball::controllers::deployment
