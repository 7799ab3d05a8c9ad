#include "flyball/sandbox/resources.h"

#include <algorithm>
#include <ranges>

#include "flyball/api/registry.h"
#include "flyball/sandbox/conversion.h"

namespace flyball::sandbox {
namespace {

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (const auto part : std::views::split(text, ',')) parts.emplace_back(part.begin(), part.end());
  return parts;
}

bool IsStable(std::string_view version) {
  return !version.contains("alpha") && !version.contains("beta");
}

/// "Pod", or "policy/v1.Eviction" where the group is another than the resource's.
Resource::Subresource SubresourceOf(const api::SubresourceInfo& info, const api::TypeInfo& type) {
  Resource::Subresource subresource{.name = std::string(info.name),
                                    .group = std::string(type.group),
                                    .version = std::string(type.version),
                                    .kind = std::string(info.kind),
                                    .verbs = SplitAtCommas(info.verbs)};
  const auto slash = info.kind.find('/');
  if (slash == std::string_view::npos) return subresource;
  const auto dot = info.kind.rfind('.');
  subresource.group = info.kind.substr(0, slash);
  subresource.version = info.kind.substr(slash + 1, dot - slash - 1);
  subresource.kind = info.kind.substr(dot + 1);
  return subresource;
}

std::string CollectionOf(std::string_view group, std::string_view plural) {
  return group.empty() ? std::string(plural) : std::string(group) + "/" + std::string(plural);
}

}  // namespace

bool Resource::Allows(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

const Resource::Subresource* Resource::FindSubresource(std::string_view subresource) const {
  const auto found = std::ranges::find(subresources, subresource, &Subresource::name);
  return found == subresources.end() ? nullptr : &*found;
}

Resources::Resources() {
  const MutexLock lock(mutex_);
  for (const api::TypeInfo* const type : api::AllKinds()) {
    if (type->resource == nullptr || !IsStable(type->version)) continue;
    const api::ResourceInfo& info = *type->resource;
    auto resource = std::make_shared<Resource>();
    resource->plural = info.plural;
    resource->singular = info.singular;
    resource->list_kind = std::string(type->name) + "List";
    resource->namespaced = info.namespaced;
    resource->short_names = SplitAtCommas(info.short_names);
    resource->categories = SplitAtCommas(info.categories);
    resource->verbs = SplitAtCommas(info.verbs);
    for (const auto& each : info.subresources) {
      resource->subresources.push_back(SubresourceOf(each, *type));
    }
    resource->kind = std::make_shared<const Kind>(*type);
    const api::TypeInfo& stored = StoredTypeOf(*type);
    resource->stored = &stored == type ? resource->kind : std::make_shared<const Kind>(stored);
    resource->collection = CollectionOf(stored.group, stored.resource->plural);
    const Name name = NameOf(*resource);
    resources_.emplace(name, std::move(resource));
  }
  for (const auto& [name, resource] : resources_) {
    stored_.emplace(resource->collection, resource->stored);
  }
}

ResourcePtr Resources::Find(std::string_view group, std::string_view version,
                            std::string_view plural) const {
  const MutexLock lock(mutex_);
  const auto found = resources_.find({group, version, plural});
  return found == resources_.end() ? nullptr : found->second;
}

ResourcePtr Resources::FindKind(std::string_view group, std::string_view version,
                                std::string_view kind) const {
  const MutexLock lock(mutex_);
  for (const auto& [name, resource] : resources_) {
    if (name.group == group && name.version == version && resource->kind->name() == kind) {
      return resource;
    }
  }
  return nullptr;
}

std::shared_ptr<const Kind> Resources::StoredIn(const std::string& collection) const {
  const auto found = stored_.find(collection);
  return found == stored_.end() ? nullptr : found->second;
}

std::vector<ResourcePtr> Resources::All() const {
  const MutexLock lock(mutex_);
  std::vector<ResourcePtr> all;
  for (const auto& [name, resource] : resources_) all.push_back(resource);
  return all;
}

void Resources::AddCustom(ResourcePtr resource) {
  const MutexLock lock(mutex_);
  // Not assigned to: the name that is there belongs to the resource that is replaced.
  const Name name = NameOf(*resource);
  resources_.erase(name);
  resources_.emplace(name, std::move(resource));
}

void Resources::RemoveCustom(std::string_view group, std::string_view version,
                             std::string_view plural) {
  const MutexLock lock(mutex_);
  resources_.erase({group, version, plural});
}

}  // namespace flyball::sandbox
