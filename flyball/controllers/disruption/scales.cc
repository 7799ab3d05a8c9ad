#include "flyball/controllers/disruption/scales.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "flyball/api/json_decode.h"
#include "flyball/api/meta/v1.h"
#include "flyball/client/unreadable.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/disruption/event_text.h"

namespace flyball::controllers::disruption {
namespace {

using api::ObjectKey;
using client::Resource;

struct GroupVersion {
  std::string_view group;
  std::string_view version;
};

Result<GroupVersion> ParseApiVersion(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == text.npos) return GroupVersion{.group = {}, .version = text};
  if (text.find('/', slash + 1) != text.npos) {
    return Fail(ErrorCode::kInvalid, "unexpected GroupVersion string: " + std::string(text));
  }
  return GroupVersion{.group = text.substr(0, slash), .version = text.substr(slash + 1)};
}

/// The group in which sets and deployments were before they got their own.
bool IsAppsOrExtensions(std::string_view group) { return group == "apps" || group == "extensions"; }

template <typename T>
std::optional<std::int32_t> ReplicasOf(const cache::Lister<T>& lister, const ObjectKey& key,
                                       std::string_view uid) {
  const auto object = lister.Get(key);
  // Of one that cannot be decoded the server is asked for the scale.
  if (!object || object->metadata.uid != uid || !client::IsReadable(object)) return std::nullopt;
  return object->spec.replicas.value_or(1);  // no server leaves it open
}

/// What a Scale is called, in the versions that there have been.
bool IsScale(const meta::v1::APIResource& resource) {
  static constexpr std::array kVersions = {
      GroupVersion{"autoscaling", "v1"}, GroupVersion{"extensions", "v1beta1"},
      GroupVersion{"apps", "v1beta1"}, GroupVersion{"apps", "v1beta2"}};
  return resource.kind == "Scale" && std::ranges::any_of(kVersions, [&](const GroupVersion& its) {
           return its.group == resource.group && its.version == resource.version;
         });
}

/// Whether objects of a resource have a scale, which a mapper may have learned too long ago.
Result<bool> ServesScale(client::RestClient& rest, const Resource& resource) {
  const std::string path = (resource.group.empty() ? "/api/" : "/apis/") + resource.ApiVersion();
  FLYBALL_TRY(const auto response, rest.Do({.path = path,
                                            .accept = std::string(client::kJsonType),
                                            .asked = "discover " + path}));
  FLYBALL_TRY(const auto list, api::DecodeJson<meta::v1::APIResourceList>(response.body));
  return std::ranges::any_of(list.resources, [&](const meta::v1::APIResource& each) {
    return each.name == resource.plural + "/scale" && IsScale(each);
  });
}

}  // namespace

Result<Scales::Total> Scales::Of(const client::Client& client,
                                 const std::vector<PodRef>& pods) const {
  Total total;
  std::set<std::string_view> owners;
  std::map<std::string, std::int32_t> by_uid;  // two sets may have one deployment
  for (const PodRef& pod : pods) {
    const Owner* const owner = common::ControllerOf(*pod);
    if (owner == nullptr) {
      total.unmanaged.emplace_back(pod->metadata.name);
      continue;
    }
    if (!owners.insert(owner->uid).second) continue;
    FLYBALL_TRY(Found found, OfOwner(client, *owner, std::string(pod->metadata.namespace_)));
    if (!found) {
      return Fail(ErrorCode::kNotFound,
                  "found no controllers for pod " + Quoted(pod->metadata.name));
    }
    by_uid[std::move(found->uid)] = found->replicas;
  }
  std::int64_t replicas = 0;
  for (const auto& [uid, its] : by_uid) replicas += its;
  total.replicas = static_cast<std::int32_t>(replicas);
  return total;
}

Result<Scales::Found> Scales::OfOwner(const client::Client& client, const Owner& owner,
                                      const std::string& namespace_) const {
  FLYBALL_TRY(const GroupVersion its, ParseApiVersion(owner.apiVersion));
  const std::string_view uid = owner.uid;
  const ObjectKey key{namespace_, std::string(owner.name)};
  Found found;
  if (owner.kind == "ReplicationController" && its.group.empty()) {
    if (const auto replicas = ReplicasOf(deps_.replication_controllers, key, uid)) {
      found = Scale{.uid = std::string(uid), .replicas = *replicas};
    }
  } else if (owner.kind == "ReplicaSet" && IsAppsOrExtensions(its.group)) {
    FLYBALL_TRY(found, OfReplicaSet(key, uid));
  } else if (owner.kind == "StatefulSet" && its.group == "apps") {
    if (const auto replicas = ReplicasOf(deps_.stateful_sets, key, uid)) {
      found = Scale{.uid = std::string(uid), .replicas = *replicas};
    }
  }
  // A cache may be late, or the object be of a kind that none is of.
  if (found) return found;
  return FromServer(client, owner, namespace_);
}

Result<Scales::Found> Scales::OfReplicaSet(const ObjectKey& key, std::string_view uid) const {
  const auto set = deps_.replica_sets.Get(key);
  if (!set || set->metadata.uid != uid) return std::nullopt;
  const auto* const owner = common::ControllerOf(*set);
  if (owner == nullptr || owner->kind != "Deployment") {
    if (!client::IsReadable(set)) return std::nullopt;
    return Scale{.uid = std::string(uid), .replicas = set->spec.replicas.value_or(1)};
  }
  // PARITY: a deployment that is not of ours, or gone, leaves the set to be asked for its scale.
  FLYBALL_TRY(const GroupVersion its, ParseApiVersion(owner->apiVersion));
  if (!IsAppsOrExtensions(its.group)) return std::nullopt;
  const auto replicas = ReplicasOf(deps_.deployments, {key.namespace_, owner->name}, owner->uid);
  if (!replicas) return std::nullopt;
  return Scale{.uid = owner->uid, .replicas = *replicas};
}

Result<Scales::Found> Scales::FromServer(const client::Client& client, const Owner& owner,
                                         const std::string& namespace_) const {
  FLYBALL_TRY(const GroupVersion its, ParseApiVersion(owner.apiVersion));
  const auto mapped = deps_.mapper->ByKind(its.group, owner.kind, its.version);
  if (!mapped && mapped.error().code() == ErrorCode::kNotFound) {
    return Fail(ErrorCode::kNotFound, "no matches for kind " + Quoted(owner.kind) + " in version " +
                                          Quoted(owner.apiVersion));
  }
  FLYBALL_TRY(mapped);
  const Resource& resource = mapped->resource;
  // In whichever version it was when it made the pod: it is asked for as its group prefers.
  const auto preferred = deps_.mapper->ByPlural(resource.group, resource.plural);
  const auto scale = client.Dynamic(preferred ? preferred->resource : resource)
                         .GetScale({namespace_, std::string(owner.name)});
  if (scale) {
    if (scale->metadata.uid != owner.uid) return std::nullopt;
    return Scale{.uid = scale->metadata.uid, .replicas = scale->spec.replicas};
  }
  const ErrorCode code = scale.error().code();
  if (code != ErrorCode::kNotFound && code != ErrorCode::kNotServed) {
    return std::unexpected(scale.error());
  }
  // It is gone, or its kind has no scale.
  FLYBALL_TRY(const bool scales, ServesScale(client.rest(), resource));
  if (scales) return std::nullopt;
  return Fail(ErrorCode::kUnsupported,
              resource.QualifiedName() + " does not implement the scale subresource");
}

}  // namespace flyball::controllers::disruption
