#pragma once

#include <string>
#include <string_view>

#include "flyball/api/apps/v1.h"
#include "flyball/base/clock.h"

/// The conditions of a deployment: what they are called, and how they change.
namespace flyball::controllers::deployment {

inline constexpr std::string_view kAvailable = "Available";
inline constexpr std::string_view kProgressing = "Progressing";
inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";

// Why it is progressing, or not.
inline constexpr std::string_view kSetCreated = "NewReplicaSetCreated";
inline constexpr std::string_view kSetCreateError = "ReplicaSetCreateError";
inline constexpr std::string_view kSetFound = "FoundNewReplicaSet";
inline constexpr std::string_view kSetUpdated = "ReplicaSetUpdated";
inline constexpr std::string_view kSetAvailable = "NewReplicaSetAvailable";
inline constexpr std::string_view kTimedOut = "ProgressDeadlineExceeded";
inline constexpr std::string_view kPaused = "DeploymentPaused";
inline constexpr std::string_view kResumed = "DeploymentResumed";

/// The condition of a type; null if there is none.
const apps::v1::DeploymentCondition* FindCondition(const apps::v1::DeploymentStatus& status,
                                                   std::string_view type);

/// One that begins now.
apps::v1::DeploymentCondition MakeCondition(std::string_view type, std::string_view status,
                                            std::string_view reason, std::string message,
                                            WallTime now);

/// Puts a condition in the place of the one of its type, unless that has the same status for the
/// same reason. Where the status stays, so does the time of its last transition.
void SetCondition(apps::v1::DeploymentStatus& status, apps::v1::DeploymentCondition condition);

void RemoveCondition(apps::v1::DeploymentStatus& status, std::string_view type);

}  // namespace flyball::controllers::deployment
