#include "flyball/controllers/garbage_collector/resources.h"

#include <algorithm>

#include "flyball/controllers/common/preferred_resources.h"

namespace flyball::controllers::garbage_collector {
namespace {

using client::Resource;
using client::Served;
using client::ServedResource;

bool IsEvents(const Resource& resource) {
  return resource.plural == "events" &&
         (resource.group.empty() || resource.group == "events.k8s.io");
}

std::string KeyOf(std::string_view api_version, std::string_view kind) {
  return std::string(api_version) + '\0' + std::string(kind);
}

std::string InSmallLetters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace

std::vector<Resource> Collectable(const Served& served) {
  std::vector<Resource> resources;
  for (ServedResource& preferred : common::PreferredResources(served)) {
    const bool all_verbs =
        preferred.Has("list") && preferred.Has("watch") && preferred.Has("delete");
    if (all_verbs && !IsEvents(preferred.resource)) {
      resources.push_back(std::move(preferred.resource));
    }
  }
  return resources;
}

std::vector<Resource> CollectableStill(const Served& served, const std::vector<Resource>& so_far) {
  std::vector<Resource> resources = Collectable(served);
  for (const Resource& resource : so_far) {
    const bool unknown = std::ranges::any_of(served.unknown, [&](const auto& group) {
      return group.group == resource.group && group.version == resource.version;
    });
    if (unknown) resources.push_back(resource);
  }
  return resources;
}

ServedKinds::ServedKinds(const Served& served) {
  for (const ServedResource& one : served.resources) {
    const std::string version = one.resource.ApiVersion();
    by_kind_.try_emplace(KeyOf(version, one.resource.kind), one.resource);
    // PARITY: what upstream finds kinds with knows them in small letters, too.
    by_kind_.try_emplace(KeyOf(version, InSmallLetters(one.resource.kind)), one.resource);
  }
}

std::optional<Resource> ServedKinds::Find(std::string_view api_version,
                                          std::string_view kind) const {
  const auto found = by_kind_.find(KeyOf(api_version, kind));
  if (found == by_kind_.end()) return std::nullopt;
  return found->second;
}

}  // namespace flyball::controllers::garbage_collector
