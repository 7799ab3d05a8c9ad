#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/sandbox/resources.h"

namespace flyball::sandbox {

struct ServedVersion {
  std::string version;
  std::vector<ResourcePtr> resources;  ///< in the order of their names
};

struct ServedGroup {
  std::string name;                     ///< empty: core
  std::vector<ServedVersion> versions;  ///< the preferred one first

  const ServedVersion* Find(std::string_view version) const;
};

/// What is served, in the order in which clients look for a kind that several groups have: core,
/// then the built-in groups by upstream's priorities, then the custom ones by name.
std::vector<ServedGroup> ServedGroups(const Resources& resources);

}  // namespace flyball::sandbox
