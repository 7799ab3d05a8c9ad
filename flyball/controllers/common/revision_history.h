#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/names.h"
#include "flyball/api/template_hash.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/controller_ref_manager.h"

/// The history that a DaemonSet or a StatefulSet keeps of its template: a ControllerRevision for
/// each that it had, whose data is the patch that puts it back (api/template_hash.h). Two templates
/// are the same revision if their data is the same, byte for byte; a manager that writes one byte
/// differently takes every set for changed and replaces its pods.
namespace flyball::controllers::common {

using apps::v1::ControllerRevision;
using RevisionRef = cache::Ref<ControllerRevision>;

/// On a StatefulSet's revisions: the hash in its name as it was made, before any collision.
inline constexpr std::string_view kRevisionHashLabel = "controller.kubernetes.io/hash";

/// The revisions that an owner controls, and those that nobody does. The lister must be indexed by
/// controller; what of these the owner is to have in the end, Claim() tells.
template <typename Owner>
std::vector<RevisionRef> OwnAndFreeRevisions(const Owner& owner,
                                             const cache::Lister<ControllerRevision>& lister) {
  std::vector<RevisionRef> revisions = ControlledBy(owner, lister);
  std::vector<RevisionRef> free = OrphansIn(owner.metadata.namespace_, lister);
  std::ranges::move(free, std::back_inserter(revisions));
  return revisions;
}

/// The history of an owner, which adopts what it selects and nobody has, and lets go what it no
/// longer selects.
template <typename Owner>
Result<std::vector<RevisionRef>> ClaimRevisions(runtime::Context& context, const Owner& owner,
                                                const api::Selector& selector,
                                                const cache::Lister<ControllerRevision>& lister) {
  return ClaimObjects(context, owner, selector, OwnAndFreeRevisions(owner, lister));
}

/// The same, but what it no longer selects stays as it is, and is not of the history.
// PARITY: a StatefulSet never lets a revision go.
template <typename Owner>
Result<std::vector<RevisionRef>> AdoptRevisions(runtime::Context& context, const Owner& owner,
                                                const api::Selector& selector,
                                                const cache::Lister<ControllerRevision>& lister) {
  std::vector<RevisionRef> revisions = OwnAndFreeRevisions(owner, lister);
  std::erase_if(revisions, [&](const RevisionRef& revision) {
    return !selector.Matches(revision->metadata.labels);
  });
  return ClaimObjects(context, owner, selector, std::move(revisions));
}

/// The oldest first: by number; of one number by age, then by name.
void SortRevisions(std::vector<RevisionRef>& revisions);

/// One more than the highest.
std::int64_t NextRevisionNumber(std::span<const RevisionRef> revisions);

/// Those with this very data, in their order.
std::vector<RevisionRef> RevisionsWith(std::span<const RevisionRef> revisions,
                                       std::string_view data);

/// Which revisions count towards revisionHistoryLimit.
enum class HistoryLimit : std::uint8_t {
  kOnThoseNotInUse,  ///< a StatefulSet's
  kOnAll,            ///< a DaemonSet's: those in use leave less room for others, and stay too
};

/// Which of the revisions, the oldest first, are more than the limit. None in use is; a limit below
/// zero is none.
std::vector<RevisionRef> RevisionsToDelete(
    std::vector<RevisionRef> revisions, std::int32_t limit, HistoryLimit counts,
    const std::function<bool(const ControllerRevision& revision)>& in_use);

/// A revision as a StatefulSet makes it, named for its data and a count of collisions.
template <typename Owner>
ControllerRevision NewRevision(const Owner& owner, std::string data, std::int64_t number,
                               std::int32_t collisions) {
  ControllerRevision revision;
  const std::string hash = api::RevisionHash(data, collisions);
  revision.metadata.namespace_ = owner.metadata.namespace_;
  revision.metadata.name = api::RevisionName(owner.metadata.name, hash);
  revision.metadata.labels = owner.spec.template_.metadata.labels;
  revision.metadata.labels[kRevisionHashLabel] = hash;
  revision.metadata.annotations = owner.metadata.annotations;
  revision.metadata.ownerReferences.push_back(ControllerRefTo(owner));
  revision.data.raw = std::move(data);
  revision.revision = number;
  return revision;
}

/// What creating a revision came to: how the server has it, and the count of collisions, which the
/// owner is to keep in its status.
struct CreatedRevision {
  ControllerRevision revision;
  std::int32_t collisions = 0;
};

/// Creates it, and under another name for each that another revision has. One with the same data
/// that is there already is as good.
// PARITY: a label with the hash stays that of the first name.
Result<CreatedRevision> CreateRevision(runtime::Context& context, const std::string& owner_name,
                                       ControllerRevision revision, std::int32_t collisions);

/// Gives a revision a number, and returns it so. It is what a return to an older template comes to.
Result<ControllerRevision> RenumberRevision(runtime::Context& context,
                                            const ControllerRevision& revision,
                                            std::int64_t number);

/// Deletes revisions, the first first. One that is gone already is as good.
Result<> DeleteRevisions(runtime::Context& context, std::span<const RevisionRef> revisions);

}  // namespace flyball::controllers::common
