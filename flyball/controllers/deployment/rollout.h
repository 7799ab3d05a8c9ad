#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "flyball/api/apps/v1.h"

/// What the decisions about a deployment have in common.
namespace flyball::controllers::deployment {

/// A ReplicaSet as a cache has it, or as it is about to be.
using SetRef = std::shared_ptr<const apps::v1::ReplicaSet>;

/// A deployment among its ReplicaSets.
struct Rollout {
  const apps::v1::Deployment& deployment;
  SetRef current = nullptr;      ///< the one with the deployment's template; null: none has it yet
  std::vector<SetRef> old = {};  ///< all others, oldest first

  /// The old ones, then the current one if there is one.
  std::vector<SetRef> All() const;
};

/// Which set is which. Of several with the deployment's template the oldest is the current one, so
/// that it is the same each time, whoever looks.
Rollout RolloutOf(const apps::v1::Deployment& deployment, std::vector<SetRef> sets);

/// Whether two templates are the same but for the hash that a ReplicaSet adds to its own.
bool SameTemplate(const core::v1::PodTemplateSpec& a, const core::v1::PodTemplateSpec& b);

/// By creation, and by name where that is the same.
bool IsOlder(const SetRef& a, const SetRef& b);

/// How many pods there are to be.
std::int32_t SizeOf(const apps::v1::Deployment& deployment);
std::int32_t SizeOf(const apps::v1::ReplicaSet& set);
std::int32_t TotalSize(const std::vector<SetRef>& sets);
/// How many of their pods are available.
std::int32_t TotalAvailable(const std::vector<SetRef>& sets);

/// Those that are to have pods.
std::vector<SetRef> Active(std::vector<SetRef> sets);

/// How far a rolling update may go beyond the size of a deployment, and below it. Zero for others.
struct Limits {
  std::int32_t surge = 0;
  std::int32_t unavailable = 0;
  friend bool operator==(const Limits&, const Limits&) = default;
};
Limits LimitsOf(const apps::v1::Deployment& deployment);

inline constexpr const char* kRollingUpdate = "RollingUpdate";
inline constexpr const char* kRecreate = "Recreate";

/// What one set is to grow or shrink to.
struct Resize {
  SetRef set;
  std::int32_t to = 0;
};

/// All pods are those of the current template, and available, and the controller has seen the
/// deployment as it is.
bool IsComplete(const apps::v1::Deployment& deployment, const apps::v1::DeploymentStatus& status);

}  // namespace flyball::controllers::deployment
