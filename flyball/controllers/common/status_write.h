#pragma once

#include <utility>

#include "flyball/runtime/context.h"

namespace flyball::controllers::common {

template <typename Set, typename Status>
Result<> PutStatus(runtime::Context& context, Set set, const Status& status) {
  set.status = status;
  set.metadata.managedFields.clear();
  FLYBALL_TRY(context.UpdateStatus(set));
  return {};
}

/// Gives a set another status, if it is another.
template <typename Set, typename Status>
Result<> WriteStatus(runtime::Context& context, const Set& set, const Status& status) {
  if (set.status == status) return {};
  if (PutStatus(context, set, status)) return {};
  // Somebody may have changed something else meanwhile. Once; after that the back-off has a say.
  FLYBALL_TRY(Set live, context.client().template Of<Set>().Get(api::ObjectKey::Of(set)));
  // DIVERGES: another that has its name by now is not given the status of this one.
  if (live.metadata.uid != set.metadata.uid) return {};
  return PutStatus(context, std::move(live), status);
}

}  // namespace flyball::controllers::common
