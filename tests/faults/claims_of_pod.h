#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"

namespace flyball::faults {

/// The claims that a pod names, and those that are made for it.
inline std::vector<std::string> ClaimsOf(const core::v1::Pod& pod) {
  std::vector<std::string> names;
  for (const core::v1::Volume& volume : pod.spec.volumes) {
    if (volume.persistentVolumeClaim) names.push_back(volume.persistentVolumeClaim->claimName);
    if (volume.ephemeral) names.push_back(pod.metadata.name + "-" + volume.name);
  }
  return names;
}

/// Whether a pod uses what is called so in its namespace.
inline bool UsesClaim(const core::v1::Pod& pod, const std::string& space, const std::string& name) {
  return pod.metadata.namespace_ == space && std::ranges::count(ClaimsOf(pod), name) != 0;
}

}  // namespace flyball::faults
