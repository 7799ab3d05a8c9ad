#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "flyball/controllers/stateful_set/replica_slots.h"

namespace flyball::controllers::stateful_set {

/// What is said of the pods of a set that recreates them: in progress, or done.
struct Progress {
  bool going_on = true;
  std::string_view message;
  friend bool operator==(const Progress&, const Progress&) = default;
};

/// What a status is told from.
struct Facts {
  std::string current;  ///< the names of the two revisions
  std::string update;
  std::int32_t collisions = 0;
  std::span<const PodRef> pods = {};
  std::int32_t outdated_removed = 0;  ///< of these, just now, for the update
  std::optional<Progress> progress = std::nullopt;
  WallTime now;
};

/// What the status of a set is to be. When all pods are of the latest revision, and ready, that is
/// the current one from then on.
apps::v1::StatefulSetStatus StatusFor(const apps::v1::StatefulSet& set, const Facts& facts);

/// Whether it differs from the set's own in what counts.
// PARITY: a count of collisions by itself is no reason to write, nor a generation that went back.
bool NeedsWriting(const apps::v1::StatefulSet& set, const apps::v1::StatefulSetStatus& status);

}  // namespace flyball::controllers::stateful_set
