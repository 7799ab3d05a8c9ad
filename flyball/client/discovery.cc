#include "flyball/client/discovery.h"

#include <algorithm>
#include <utility>

#include "flyball/api/apidiscovery/v2.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/meta/v1.h"

namespace flyball::client {
namespace {

namespace discovery = apidiscovery::v2;

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

Result<transport::Response> Get(RestClient& rest, const std::string& path,
                                std::string_view accept) {
  return rest.Do({.path = path, .accept = std::string(accept), .asked = "discover " + path});
}

void AddVersion(const std::string& group, const discovery::APIVersionDiscovery& version,
                bool preferred, Served& served) {
  if (version.freshness == "Stale") {
    const std::string name = group.empty() ? version.version : group + "/" + version.version;
    served.unknown.push_back({group, version.version, "stale GroupVersion discovery: " + name});
  }
  for (const auto& resource : version.resources) {
    // What has no kind of its own has only parts, which do.
    if (!resource.responseKind) continue;
    ServedResource found;
    found.resource = {group, version.version, resource.resource, resource.responseKind->kind,
                      resource.scope == "Namespaced"};
    found.singular = resource.singularResource;
    found.verbs = resource.verbs;
    found.short_names = resource.shortNames;
    found.categories = resource.categories;
    for (const auto& part : resource.subresources) found.subresources.push_back(part.subresource);
    found.preferred = preferred;
    served.resources.push_back(std::move(found));
  }
}

/// Whether the server knows the way; if so, adds what it says.
Result<bool> AddAggregated(const transport::Response& response, Served& served) {
  if (transport::FindHeader(response.headers, "content-type").find("APIGroupDiscoveryList") ==
      std::string_view::npos) {
    return false;
  }
  FLYBALL_TRY(const auto groups, api::DecodeJson<discovery::APIGroupDiscoveryList>(response.body));
  for (const auto& group : groups.items) {
    bool preferred = true;  // the first
    for (const auto& version : group.versions) {
      AddVersion(group.metadata.name, version, std::exchange(preferred, false), served);
    }
  }
  return true;
}

Result<> AddResourceList(RestClient& rest, const std::string& group, const std::string& version,
                         bool preferred, Served& served) {
  const std::string path = (group.empty() ? "/api/" : "/apis/" + group + "/") + version;
  FLYBALL_TRY(const auto response, Get(rest, path, kJsonType));
  FLYBALL_TRY(const auto list, api::DecodeJson<meta::v1::APIResourceList>(response.body));
  for (const auto& resource : list.resources) {
    if (const auto slash = resource.name.find('/'); slash != std::string::npos) {
      const std::string plural = resource.name.substr(0, slash);
      const auto whole = std::ranges::find_if(served.resources, [&](const ServedResource& found) {
        return found.resource.group == group && found.resource.version == version &&
               found.resource.plural == plural;
      });
      if (whole == served.resources.end()) continue;
      whole->subresources.push_back(resource.name.substr(slash + 1));
      continue;
    }
    ServedResource found;
    found.resource = {group, version, resource.name, resource.kind, resource.namespaced};
    found.singular = resource.singularName;
    found.verbs = resource.verbs;
    found.short_names = resource.shortNames;
    found.categories = resource.categories;
    found.preferred = preferred;
    served.resources.push_back(std::move(found));
  }
  return {};
}

/// Goes on where a group cannot be asked about.
void TryResourceList(RestClient& rest, const std::string& group, const std::string& version,
                     bool preferred, Served& served) {
  if (const auto added = AddResourceList(rest, group, version, preferred, served); !added) {
    served.unknown.push_back({group, version, added.error().message()});
  }
}

Result<> AddCoreOneByOne(RestClient& rest, const std::string& body, Served& served) {
  FLYBALL_TRY(const auto core, api::DecodeJson<meta::v1::APIVersions>(body));
  bool preferred = true;
  for (const auto& version : core.versions) {
    TryResourceList(rest, "", version, std::exchange(preferred, false), served);
  }
  return {};
}

Result<> AddGroupsOneByOne(RestClient& rest, const std::string& body, Served& served) {
  FLYBALL_TRY(const auto groups, api::DecodeJson<meta::v1::APIGroupList>(body));
  for (const auto& group : groups.groups) {
    for (const auto& version : group.versions) {
      const bool preferred = version.version == group.preferredVersion.version;
      TryResourceList(rest, group.name, version.version, preferred, served);
    }
  }
  return {};
}

}  // namespace

bool ServedResource::Has(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

Result<Served> Discover(RestClient& rest) {
  Served served;
  FLYBALL_TRY(const auto core, Get(rest, "/api", kAggregated));
  FLYBALL_TRY(const bool core_done, AddAggregated(core, served));
  if (!core_done) FLYBALL_TRY(AddCoreOneByOne(rest, core.body, served));
  FLYBALL_TRY(const auto groups, Get(rest, "/apis", kAggregated));
  FLYBALL_TRY(const bool groups_done, AddAggregated(groups, served));
  if (!groups_done) FLYBALL_TRY(AddGroupsOneByOne(rest, groups.body, served));
  return served;
}

template <typename Matches>
Result<ServedResource> RestMapper::Find(const std::string& what, Matches matches) {
  const auto look = [&](const Served& served) {
    return std::ranges::find_if(served.resources, matches);
  };
  const SteadyTime now = rest_.clock().SteadyNow();
  {
    MutexLock lock(mutex_);
    if (served_) {
      if (const auto found = look(*served_); found != served_->resources.end()) return *found;
      if (now - asked_ < std::chrono::seconds(1)) return Fail(ErrorCode::kNotFound, what);
    }
  }
  FLYBALL_TRY(Served fresh, Discover(rest_));
  MutexLock lock(mutex_);
  served_ = std::move(fresh);
  asked_ = now;
  const auto found = look(*served_);
  if (found != served_->resources.end()) return *found;
  return Fail(ErrorCode::kNotFound, what);
}

Result<ServedResource> RestMapper::ByKind(std::string_view group, std::string_view kind,
                                          std::string_view version) {
  const std::string what =
      "the server has no kind '" + std::string(kind) + "' in group '" + std::string(group) + "'";
  return Find(what, [=](const ServedResource& served) {
    const Resource& resource = served.resource;
    const bool fits = version.empty() ? served.preferred : resource.version == version;
    return fits && resource.group == group && resource.kind == kind;
  });
}

Result<ServedResource> RestMapper::ByPlural(std::string_view group, std::string_view plural,
                                            std::string_view version) {
  const std::string what = "the server has no resource '" + std::string(plural) + "' in group '" +
                           std::string(group) + "'";
  return Find(what, [=](const ServedResource& served) {
    const Resource& resource = served.resource;
    const bool fits = version.empty() ? served.preferred : resource.version == version;
    return fits && resource.group == group && resource.plural == plural;
  });
}

}  // namespace flyball::client
