#include "flyball/sandbox/discovery/discovery_documents.h"

#include <algorithm>

namespace flyball::sandbox {
namespace {

using apidiscovery::v2::APIGroupDiscovery;
using apidiscovery::v2::APIGroupDiscoveryList;
using apidiscovery::v2::APIResourceDiscovery;
using apidiscovery::v2::APIVersionDiscovery;
using meta::v1::APIGroup;
using meta::v1::APIGroupList;
using meta::v1::APIResource;
using meta::v1::APIResourceList;
using meta::v1::APIVersions;

std::string GroupVersion(const ServedGroup& group, const ServedVersion& version) {
  return group.name.empty() ? version.version : group.name + "/" + version.version;
}

template <typename T>
T Document(std::string_view api_version = "v1") {
  T document;
  document.kind = T::kType.name;
  document.apiVersion = api_version;
  return document;
}

APIResource ResourceEntry(const Resource& resource) {
  APIResource entry;
  entry.name = resource.plural;
  entry.singularName = resource.singular;
  entry.namespaced = resource.namespaced;
  entry.kind = resource.kind->name();
  entry.verbs = resource.verbs;
  entry.shortNames = resource.short_names;
  entry.categories = resource.categories;
  return entry;
}

/// The group and version are told where they are not the resource's.
bool IsForeign(const Resource& resource, const Resource::Subresource& subresource) {
  return subresource.group != resource.kind->group() ||
         subresource.version != resource.kind->version();
}

APIResource SubresourceEntry(const Resource& resource, const Resource::Subresource& subresource) {
  APIResource entry;
  entry.name = resource.plural + "/" + subresource.name;
  entry.namespaced = resource.namespaced;
  entry.kind = subresource.kind;
  entry.verbs = subresource.verbs;
  if (IsForeign(resource, subresource)) {
    entry.group = subresource.group;
    entry.version = subresource.version;
  }
  return entry;
}

APIResourceDiscovery Aggregated(const Resource& resource) {
  const Kind& kind = *resource.kind;
  APIResourceDiscovery entry;
  entry.resource = resource.plural;
  entry.scope = resource.namespaced ? "Namespaced" : "Cluster";
  entry.singularResource = resource.singular;
  entry.verbs = resource.verbs;
  entry.shortNames = resource.short_names;
  entry.categories = resource.categories;
  auto& response = entry.responseKind.emplace();
  response.kind = kind.name();
  // PARITY: only custom kinds say their own group and version.
  if (kind.custom()) {
    response.group = kind.group();
    response.version = kind.version();
  }
  for (const auto& each : resource.subresources) {
    auto& subresource = entry.subresources.emplace_back();
    subresource.subresource = each.name;
    subresource.verbs = each.verbs;
    auto& answered = subresource.responseKind.emplace();
    answered.kind = each.kind;
    if (kind.custom() || IsForeign(resource, each)) {
      answered.group = each.group;
      answered.version = each.version;
    }
  }
  return entry;
}

}  // namespace

APIVersions CoreVersionsDocument(const ServedGroup& core) {
  auto document = Document<APIVersions>("");  // PARITY: it does not say its own
  for (const ServedVersion& version : core.versions) document.versions.push_back(version.version);
  return document;
}

APIGroup GroupDocument(const ServedGroup& group) {
  auto document = Document<APIGroup>();
  document.name = group.name;
  for (const ServedVersion& version : group.versions) {
    auto& entry = document.versions.emplace_back();
    entry.groupVersion = GroupVersion(group, version);
    entry.version = version.version;
  }
  if (!document.versions.empty()) document.preferredVersion = document.versions.front();
  return document;
}

APIGroupList GroupListDocument(const std::vector<ServedGroup>& groups) {
  auto document = Document<APIGroupList>();
  for (const ServedGroup& group : groups) {
    if (group.name.empty()) continue;
    APIGroup& entry = document.groups.emplace_back(GroupDocument(group));
    entry.kind.clear();
    entry.apiVersion.clear();
  }
  return document;
}

APIResourceList ResourceListDocument(const ServedGroup& group, const ServedVersion& version) {
  // PARITY: that of core, the oldest, does not say its own version.
  auto document = Document<APIResourceList>(group.name.empty() ? "" : "v1");
  document.groupVersion = GroupVersion(group, version);
  for (const ResourcePtr& resource : version.resources) {
    document.resources.push_back(ResourceEntry(*resource));
    for (const auto& each : resource->subresources) {
      document.resources.push_back(SubresourceEntry(*resource, each));
    }
  }
  return document;
}

APIGroupDiscoveryList AggregatedDocument(const std::vector<ServedGroup>& groups, bool core) {
  auto document = Document<APIGroupDiscoveryList>("apidiscovery.k8s.io/v2");
  for (const ServedGroup& group : groups) {
    if (group.name.empty() != core) continue;
    APIGroupDiscovery& entry = document.items.emplace_back();
    entry.metadata.name = group.name;
    for (const ServedVersion& each : group.versions) {
      APIVersionDiscovery& version = entry.versions.emplace_back();
      version.version = each.version;
      version.freshness = "Current";
      for (const ResourcePtr& resource : each.resources) {
        version.resources.push_back(Aggregated(*resource));
      }
    }
  }
  return document;
}

}  // namespace flyball::sandbox
