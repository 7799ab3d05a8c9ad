#include "flyball/controllers/common/revision_history.h"

#include <algorithm>
#include <tuple>

#include "flyball/api/names.h"
#include "flyball/base/wrapping.h"

namespace flyball::controllers::common {

void SortRevisions(std::vector<RevisionRef>& revisions) {
  std::ranges::sort(revisions, [](const RevisionRef& a, const RevisionRef& b) {
    return std::tie(a->revision, a->metadata.creationTimestamp, a->metadata.name) <
           std::tie(b->revision, b->metadata.creationTimestamp, b->metadata.name);
  });
}

std::int64_t NextRevisionNumber(std::span<const RevisionRef> revisions) {
  std::int64_t highest = 0;
  for (const RevisionRef& revision : revisions) highest = std::max(highest, revision->revision);
  return WrappingAdd(highest, 1);
}

std::vector<RevisionRef> RevisionsWith(std::span<const RevisionRef> revisions,
                                       std::string_view data) {
  std::vector<RevisionRef> same;
  std::ranges::copy_if(revisions, std::back_inserter(same),
                       [&](const RevisionRef& revision) { return revision->data.raw == data; });
  return same;
}

std::vector<RevisionRef> RevisionsToDelete(
    std::vector<RevisionRef> revisions, std::int32_t limit, HistoryLimit counts,
    const std::function<bool(const ControllerRevision& revision)>& in_use) {
  if (limit < 0) return {};
  const std::size_t all = revisions.size();
  std::erase_if(revisions, [&](const RevisionRef& revision) { return in_use(*revision); });
  const std::size_t counted = counts == HistoryLimit::kOnAll ? all : revisions.size();
  const auto kept = static_cast<std::size_t>(limit);
  const std::size_t surplus = counted > kept ? counted - kept : 0;
  SortRevisions(revisions);
  revisions.resize(std::min(revisions.size(), surplus));
  return revisions;
}

Result<CreatedRevision> CreateRevision(runtime::Context& context, const std::string& owner_name,
                                       ControllerRevision revision, std::int32_t collisions) {
  while (true) {
    revision.metadata.name =
        api::RevisionName(owner_name, api::RevisionHash(revision.data.raw, collisions));
    auto created = context.Create(revision);
    if (created) {
      revision.metadata = std::move(created->metadata);
      return CreatedRevision{std::move(revision), collisions};
    }
    if (created.error().code() != ErrorCode::kAlreadyExists) {
      return std::unexpected(std::move(created).error());
    }
    FLYBALL_TRY(auto other,
                context.client().Of<ControllerRevision>().Get(api::ObjectKey::Of(revision)));
    if (other.data.raw == revision.data.raw) return CreatedRevision{std::move(other), collisions};
    collisions = WrappingAdd(collisions, 1);
  }
}

Result<ControllerRevision> RenumberRevision(runtime::Context& context,
                                            const ControllerRevision& revision,
                                            std::int64_t number) {
  ControllerRevision renumbered = revision;
  if (renumbered.revision == number) return renumbered;
  renumbered.revision = number;
  FLYBALL_TRY(auto stored, context.Update(renumbered));
  renumbered.metadata = std::move(stored.metadata);
  return renumbered;
}

Result<> DeleteRevisions(runtime::Context& context, std::span<const RevisionRef> revisions) {
  for (const RevisionRef& revision : revisions) {
    const auto deleted = context.Delete(*revision);
    if (!deleted && deleted.error().code() != ErrorCode::kNotFound) return deleted;
  }
  return {};
}

}  // namespace flyball::controllers::common
