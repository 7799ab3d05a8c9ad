#pragma once

#include <cstdint>
#include <optional>

#include "flyball/base/clock.h"
#include "flyball/base/error.h"
#include "flyball/controllers/deployment/event.h"
#include "flyball/controllers/deployment/rollout.h"

/// The ReplicaSet for a template that has none yet.
namespace flyball::controllers::deployment {

/// The set, with as many pods as there is room for now. The same deployment gets the same name each
/// time, so that nobody makes two.
apps::v1::ReplicaSet MakeReplicaSet(const Rollout& rollout, std::int64_t revision);

/// What is said when it could not be created: a status to write, where that is news, and an event.
struct FailedCreation {
  std::optional<apps::v1::Deployment> status = std::nullopt;
  Event event;
  friend bool operator==(const FailedCreation&, const FailedCreation&) = default;
};
FailedCreation OnCreationFailed(const apps::v1::Deployment& deployment,
                                const apps::v1::ReplicaSet& set, const Error& error, WallTime now);

/// Whether the one that has the name already is not the deployment's, or not of this template.
bool IsCollision(const apps::v1::Deployment& deployment, const apps::v1::ReplicaSet& other);

/// The status that makes for another name.
apps::v1::Deployment OnCollision(const apps::v1::Deployment& deployment, WallTime now);

}  // namespace flyball::controllers::deployment
