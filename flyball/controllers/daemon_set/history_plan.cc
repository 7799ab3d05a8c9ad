#include "flyball/controllers/daemon_set/history_plan.h"

#include <set>
#include <utility>

#include "flyball/api/template_hash.h"

namespace flyball::controllers::daemon_set {

HistoryPlan PlanHistory(std::vector<RevisionRef> revisions, std::string_view data) {
  common::SortRevisions(revisions);
  HistoryPlan plan;
  for (RevisionRef& revision : revisions) {
    if (revision->data.raw != data) {
      plan.old.push_back(std::move(revision));
    } else {
      if (plan.current) plan.duplicates.push_back(std::move(plan.current));
      plan.current = std::move(revision);
    }
  }
  plan.number = common::NextRevisionNumber(plan.old);
  return plan;
}

std::string_view HashOf(const ControllerRevision& revision) {
  const std::string* const hash = revision.metadata.labels.find(kHashLabel);
  return hash != nullptr ? std::string_view(*hash) : std::string_view();
}

ControllerRevision RevisionOf(const apps::v1::DaemonSet& set, std::string data,
                              std::int64_t number) {
  const std::string hash = api::PodTemplateHash(set.spec.template_, set.status.collisionCount);
  ControllerRevision revision;
  revision.metadata.namespace_ = set.metadata.namespace_;
  revision.metadata.name = set.metadata.name + "-" + hash;
  revision.metadata.labels = set.spec.template_.metadata.labels;
  revision.metadata.labels[kHashLabel] = hash;
  revision.metadata.annotations = set.metadata.annotations;
  revision.metadata.ownerReferences.push_back(common::ControllerRefTo(set));
  revision.data.raw = std::move(data);
  revision.revision = number;
  return revision;
}

std::vector<RevisionRef> RevisionsToDrop(const apps::v1::DaemonSet& set,
                                         std::vector<RevisionRef> old,
                                         std::span<const PodRef> pods) {
  constexpr std::int32_t kDefaultLimit = 10;
  const std::int32_t limit = set.spec.revisionHistoryLimit.value_or(kDefaultLimit);
  if (std::ssize(old) <= limit) return {};
  std::set<std::string_view> in_use;
  // PARITY: those of which nobody can tell the node do not count.
  for (const PodRef& pod : pods) {
    if (!HashOf(*pod).empty() && TargetNodeOf(*pod)) in_use.insert(HashOf(*pod));
  }
  return common::RevisionsToDelete(
      std::move(old), limit, common::HistoryLimit::kOnAll,
      [&](const ControllerRevision& revision) { return in_use.contains(HashOf(revision)); });
}

}  // namespace flyball::controllers::daemon_set
