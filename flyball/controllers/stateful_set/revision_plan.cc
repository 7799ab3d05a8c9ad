#include "flyball/controllers/stateful_set/revision_plan.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "flyball/api/template_hash.h"
#include "flyball/controllers/common/restored_revision.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;
using common::ControllerRevision;

/// What the server puts where nothing is said.
constexpr std::int32_t kDefaultLimit = 10;

}  // namespace

Result<RevisionPlan> PlanRevision(const StatefulSet& set, std::span<const RevisionRef> history,
                                  bool by_meaning) {
  FLYBALL_TRY(std::string data,
              api::RevisionData(set.spec.template_, api::RevisionOwner::kStatefulSet));
  const std::int64_t next = common::NextRevisionNumber(history);
  const auto same = common::RevisionsWith(history, data);
  if (!same.empty()) {
    const RevisionRef& latest = history.back();
    if (latest->data.raw == data)
      return RevisionPlan{.revision = latest, .number = latest->revision};
    return RevisionPlan{
        .how = RevisionPlan::How::kRenumber, .revision = same.back(), .number = next};
  }
  if (by_meaning && !history.empty() && common::IsRestoredBy(*history.back(), set, data)) {
    return RevisionPlan{.revision = history.back(), .number = history.back()->revision};
  }
  return RevisionPlan{.how = RevisionPlan::How::kCreate, .number = next, .data = std::move(data)};
}

RevisionRef CurrentRevision(const StatefulSet& set, std::span<const RevisionRef> history,
                            const RevisionRef& update) {
  const auto found = std::ranges::find_if(history, [&](const RevisionRef& revision) {
    return revision->metadata.name == set.status.currentRevision;
  });
  return found == history.end() ? update : *found;
}

std::vector<RevisionRef> PlanTruncation(const StatefulSet& set,
                                        const std::vector<RevisionRef>& history,
                                        std::span<const PodRef> pods,
                                        std::span<const RevisionRef> in_use) {
  std::set<std::string_view> names;
  for (const RevisionRef& revision : in_use) names.insert(revision->metadata.name);
  for (const PodRef& pod : pods) names.insert(RevisionOf(*pod));
  return common::RevisionsToDelete(
      history, set.spec.revisionHistoryLimit.value_or(kDefaultLimit),
      common::HistoryLimit::kOnThoseNotInUse,
      [&](const ControllerRevision& revision) { return names.contains(revision.metadata.name); });
}

}  // namespace flyball::controllers::stateful_set
