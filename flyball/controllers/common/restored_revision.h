#pragma once

#include <string_view>
#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/defaulting.h"
#include "flyball/api/json.h"
#include "flyball/api/strategic_merge.h"
#include "flyball/api/template_hash.h"

/// What a set was at an earlier revision.
namespace flyball::controllers::common {

/// The set with the template of a revision. Fails where the data is no patch of such a set.
template <typename Set>
Result<Set> WithRevision(Set set, const apps::v1::ControllerRevision& revision) {
  FLYBALL_TRY(const api::Json patch, api::Json::Parse(revision.data.raw));
  FLYBALL_TRY(Set restored, api::ApplyStrategicMergePatch(set, patch));
  set.spec = std::move(restored.spec);
  return set;
}

/// Whether a StatefulSet has the template of a revision although the data differs: an older server
/// did not know some of the defaults that it has been given since. `data` is the set's own.
// The feature gate StatefulSetSemanticRevisionComparison, which is on as it comes.
template <typename Set>
bool IsRestoredBy(const apps::v1::ControllerRevision& revision, const Set& set,
                  std::string_view data) {
  auto restored = WithRevision(set, revision);
  if (!restored) return false;
  api::ApplyDefaults(*restored);
  const auto its = api::RevisionData(restored->spec.template_, api::RevisionOwner::kStatefulSet);
  return its && *its == data;
}

}  // namespace flyball::controllers::common
