#pragma once

#include <optional>
#include <span>

#include "flyball/base/clock.h"
#include "flyball/controllers/replica_set/plan.h"
#include "flyball/controllers/replica_set/set_kind.h"

namespace flyball::controllers::replica_set {

/// What a status is told from.
struct Observed {
  std::span<const PodRef> active = {};  ///< those that were not removed
  std::size_t created = 0;              ///< more of the same, which no cache shows yet
  /// How many have been told to end and have not yet; none where it is not to be told.
  std::optional<std::int32_t> terminating = std::nullopt;
  /// Why pods could not be made or removed.
  std::optional<Error> failure = std::nullopt;
};

template <typename Set>
using StatusOf = decltype(Set::status);

/// What the status of a set is to be. If the set's own is the same there is nothing to write.
template <typename Set>
StatusOf<Set> ComputeStatus(const Set& set, const Observed& observed, WallTime now);

}  // namespace flyball::controllers::replica_set
