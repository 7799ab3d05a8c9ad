#pragma once

#include <cstdint>
#include <string>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::ctl {

/// How far a rollout has come.
struct RolloutState {
  std::string text;  ///< a line for people
  bool done = false;
  friend bool operator==(const RolloutState&, const RolloutState&) = default;
};

/// That of a Deployment, DaemonSet or StatefulSet. A revision other than zero is one that it must
/// be rolling out.
Result<RolloutState> StateOfRollout(const api::Json& object, std::int64_t revision);

/// A Deployment's or ReplicaSet's, as its annotation says; zero if it says nothing.
Result<std::int64_t> RevisionOf(const api::Json& object);

}  // namespace flyball::ctl
