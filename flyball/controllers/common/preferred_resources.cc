#include "flyball/controllers/common/preferred_resources.h"

#include <algorithm>

namespace flyball::controllers::common {
namespace {

using client::Resource;
using client::Served;
using client::ServedResource;

bool IsUnknown(const Served& served, const Resource& resource) {
  return std::ranges::any_of(served.unknown, [&](const client::UnknownGroup& unknown) {
    return unknown.group == resource.group && unknown.version == resource.version;
  });
}

}  // namespace

std::vector<ServedResource> PreferredResources(const Served& served) {
  std::vector<ServedResource> chosen;
  for (const ServedResource& resource : served.resources) {
    if (IsUnknown(served, resource.resource)) continue;
    const auto other = std::ranges::find_if(chosen, [&](const ServedResource& seen) {
      return seen.resource.group == resource.resource.group &&
             seen.resource.plural == resource.resource.plural;
    });
    if (other == chosen.end()) {
      chosen.push_back(resource);
    } else if (resource.preferred) {
      *other = resource;
    }
  }
  return chosen;
}

}  // namespace flyball::controllers::common
