#include "flyball/controllers/daemon_set/history.h"

#include <memory>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/api/template_hash.h"
#include "flyball/base/wrapping.h"

namespace flyball::controllers::daemon_set {
namespace {

using apps::v1::DaemonSet;
using runtime::Context;

/// Revisions from before there were hashes on pods are known by their names.
Result<> LabelRevisions(Context& context, std::vector<RevisionRef>& revisions) {
  for (RevisionRef& revision : revisions) {
    if (revision->metadata.labels.contains(kHashLabel)) continue;
    auto labelled = std::make_shared<ControllerRevision>(*revision);
    labelled->metadata.labels[kHashLabel] = labelled->metadata.name;
    FLYBALL_TRY(auto stored, context.Update(*labelled));
    labelled->metadata.resourceVersion = std::move(stored.metadata.resourceVersion);
    revision = std::move(labelled);
  }
  return {};
}

client::Patch LabelPatch(std::string_view hash) {
  const api::Json patch(api::Json::Object{
      {"metadata",
       api::Json::Object{{"labels", api::Json::Object{{std::string(kHashLabel), hash}}}}}});
  return {client::PatchType::kMerge, patch.ToString()};
}

/// Whether there were any.
// PARITY: whatever template they are of, so that pods of an old one count as updated from then on.
Result<bool> RelabelPods(Context& context, std::span<const PodRef> pods, std::string_view hash) {
  bool any = false;
  for (const PodRef& pod : pods) {
    if (HashOf(*pod) == hash) continue;
    any = true;
    const api::ObjectKey key{std::string(pod->metadata.namespace_),
                             std::string(pod->metadata.name)};
    FLYBALL_TRY(context.Patch<core::v1::Pod>(key, LabelPatch(hash)));
  }
  return any;
}

/// Another revision has the name that this one ought to have.
Result<std::string> OnNameTaken(Context& context, const DaemonSet& set,
                                const ControllerRevision& wanted, const Error& refusal) {
  const auto& client = context.client();
  FLYBALL_TRY(const auto other, client.Of<ControllerRevision>().Get(api::ObjectKey::Of(wanted)));
  // It was made by an earlier try whose answer got lost.
  if (other.data.raw == wanted.data.raw) return std::string(HashOf(other));

  FLYBALL_TRY(DaemonSet live, client.Of<DaemonSet>().Get(api::ObjectKey::Of(set)));
  if (live.status.collisionCount != set.status.collisionCount) {
    return Fail(ErrorCode::kConflict, "found a stale collision count of DaemonSet \"" +
                                          set.metadata.name +
                                          "\" while processing; will retry until it is updated");
  }
  live.status.collisionCount = WrappingAdd(live.status.collisionCount.value_or(0), 1);
  live.metadata.managedFields.clear();
  FLYBALL_TRY(context.UpdateStatus(live));
  context.log().V(2).Info(
      "Found a hash collision for DaemonSet - bumping collisionCount to resolve it",
      {{"daemonset", api::KObj(set)}, {"collisionCount", *live.status.collisionCount}});
  return std::unexpected(refusal);
}

Result<std::string> CreateFirst(Context& context, const DaemonSet& set, std::string data,
                                std::int64_t number) {
  const ControllerRevision revision = RevisionOf(set, std::move(data), number);
  const auto created = context.Create(revision);
  if (created) return std::string(HashOf(revision));
  if (created.error().code() != ErrorCode::kAlreadyExists) {
    return std::unexpected(created.error());
  }
  return OnNameTaken(context, set, revision, created.error());
}

}  // namespace

Result<History> KeepHistory(Context& context, const DaemonSet& set,
                            std::vector<RevisionRef> revisions, std::span<const PodRef> pods) {
  FLYBALL_TRY(LabelRevisions(context, revisions));
  FLYBALL_TRY(std::string data,
              api::RevisionData(set.spec.template_, api::RevisionOwner::kDaemonSet));
  HistoryPlan plan = PlanHistory(std::move(revisions), data);
  if (!plan.current) {
    context.Decided("record the template as revision " + std::to_string(plan.number));
    FLYBALL_TRY(std::string hash, CreateFirst(context, set, std::move(data), plan.number));
    return History{.hash = std::move(hash), .old = std::move(plan.old)};
  }
  std::string hash(HashOf(*plan.current));
  bool relabelled = false;
  if (!plan.duplicates.empty()) {
    FLYBALL_TRY(relabelled, RelabelPods(context, pods, hash));
    FLYBALL_TRY(common::DeleteRevisions(context, plan.duplicates));
  }
  if (plan.current->revision < plan.number) {
    context.Decided("go back to " + plan.current->metadata.name + " as revision " +
                    std::to_string(plan.number));
    FLYBALL_TRY(common::RenumberRevision(context, *plan.current, plan.number));
  }
  return History{.hash = std::move(hash), .relabelled = relabelled, .old = std::move(plan.old)};
}

}  // namespace flyball::controllers::daemon_set
