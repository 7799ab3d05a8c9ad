#include "flyball/ctl/trace/chain_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/batch/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/resource_argument.h"
#include "flyball/ctl/rollout_history.h"

namespace flyball::ctl::trace {
namespace {

using client::Resource;

/// How long a chain of owners may be: whoever writes references can make them go in circles.
constexpr std::size_t kMostOwners = 8;

/// What objects of a kind make of other kinds, as far as controllers of the cluster do that.
std::vector<std::pair<std::string, Resource>> WhatIsMade() {
  return {{"deployments.apps", Resource::Of<apps::v1::ReplicaSet>()},
          {"cronjobs.batch", Resource::Of<batch::v1::Job>()},
          {"replicasets.apps", Resource::Of<core::v1::Pod>()},
          {"replicationcontrollers", Resource::Of<core::v1::Pod>()},
          {"statefulsets.apps", Resource::Of<core::v1::Pod>()},
          {"daemonsets.apps", Resource::Of<core::v1::Pod>()},
          {"jobs.batch", Resource::Of<core::v1::Pod>()}};
}

/// The kinds that choose pods by their labels.
std::vector<Resource> Choosers() {
  return {Resource::Of<apps::v1::Deployment>(), Resource::Of<apps::v1::ReplicaSet>(),
          Resource::Of<apps::v1::StatefulSet>(), Resource::Of<apps::v1::DaemonSet>(),
          Resource::Of<core::v1::ReplicationController>()};
}

const Json* ControllerReference(const Json& object) {
  for (const Json& reference : ListAt(object, {"metadata", "ownerReferences"})) {
    const Json* const controls = FieldAt(reference, {"controller"});
    if (controls != nullptr && *controls == Json(true)) return &reference;
  }
  return nullptr;
}

/// One of an earlier template that has no pods and shall have none says nothing of how things are.
bool IsOfThePast(const Json& owner, const Json& object) {
  return TextAt(object, {"kind"}) == "ReplicaSet" && NumberAt(object, {"spec", "replicas"}) == 0 &&
         NumberAt(object, {"status", "replicas"}) == 0 && !SameTemplate(owner, object);
}

class ChainReader {
 public:
  explicit ChainReader(Cluster& cluster) : cluster_(cluster) {}

  Result<Chain> Read(const Selected& selected) {
    const Resource& resource = selected.resource->resource;
    FLYBALL_TRY(Json object, cluster_.Get(resource, selected.key));
    chain_.asked = {resource.QualifiedName(), std::move(object)};
    namespace_ = selected.key.namespace_;
    ReadOwners();
    if (chain_.IsAboutPod()) {
      AddPod(chain_.asked.object);
    } else {
      ReadOwned(chain_.asked);
      ReadNeighbours();
    }
    ReadEvents();
    return std::move(chain_);
  }

 private:
  /// Those that are there; none, with a word about it, if they may not be seen.
  const std::vector<Json>& All(const Resource& resource) {
    const auto [place, is_new] = lists_.try_emplace(resource.QualifiedName());
    if (!is_new) return place->second;
    auto objects = cluster_.ListObjects(resource, namespace_);
    if (objects) {
      place->second = *std::move(objects);
    } else if (objects.error().code() != ErrorCode::kNotServed) {
      chain_.unread.push_back(objects.error().message());
    }
    return place->second;
  }

  void ReadOwners() {
    const Json* object = &chain_.asked.object;
    std::vector<Link> found;  // the innermost first
    found.reserve(kMostOwners);
    while (found.size() < kMostOwners) {
      const Json* const reference = ControllerReference(*object);
      if (reference == nullptr) break;
      auto owner = ReadOwner(*reference);
      if (!owner) {
        chain_.unread.push_back(owner.error().message());
        break;
      }
      object = &found.emplace_back(*std::move(owner)).object;
    }
    std::ranges::reverse(found);
    chain_.owners = std::move(found);
  }

  Result<Link> ReadOwner(const Json& reference) {
    FLYBALL_TRY(const client::Served* const served, cluster_.Served());
    FLYBALL_TRY(const client::ServedResource* const resource,
                FindKind(*served, TextAt(reference, {"apiVersion"}), TextAt(reference, {"kind"})));
    const ObjectKey key{resource->resource.namespaced ? namespace_ : "",
                        TextAt(reference, {"name"})};
    FLYBALL_TRY(Json object, cluster_.Get(resource->resource, key));
    if (TextAt(object, {"metadata", "uid"}) != TextAt(reference, {"uid"})) {
      return Fail(ErrorCode::kNotFound,
                  "owner " + key.name + " is gone, and another object has its name");
    }
    return Link{resource->resource.QualifiedName(), std::move(object)};
  }

  void ReadOwned(const Link& owner) {
    for (const auto& [resource, made] : WhatIsMade()) {
      if (resource != owner.resource) continue;
      for (Json& object : ControlledBy(owner.object, All(made))) {
        if (made.plural == "pods") {
          AddPod(object);
        } else if (!IsOfThePast(owner.object, object)) {
          chain_.owned.push_back({made.QualifiedName(), std::move(object)});
          // A copy: those it owns go into the same vector.
          ReadOwned(Link(chain_.owned.back()));
        }
      }
    }
  }

  void AddPod(const Json& object) {
    auto pod = api::DecodeJson<core::v1::Pod>(object.ToString());
    if (pod) {
      chain_.pods.push_back(*std::move(pod));
    } else {
      chain_.unread.push_back(pod.error().message());
    }
  }

  void ReadNeighbours() {
    const auto chooses = [&](const Resource& kind) {
      return kind.QualifiedName() == chain_.asked.resource;
    };
    const auto choosers = Choosers();
    if (std::ranges::none_of(choosers, chooses)) return;
    for (const Resource& kind : choosers) {
      for (const Json& object : All(kind)) {
        const Link link{kind.QualifiedName(), object};
        if (ControllerReference(object) != nullptr || link.uid() == chain_.asked.uid()) continue;
        if (IsAmongOwners(link.uid())) continue;
        chain_.neighbours.push_back(link);
      }
    }
  }

  bool IsAmongOwners(const std::string& uid) const {
    return std::ranges::any_of(chain_.owners, [&](const Link& link) { return link.uid() == uid; });
  }

  void ReadEvents() {
    const std::string namespace_of_events = namespace_.empty() ? "default" : namespace_;
    const auto events = cluster_.ListObjects(Resource::Of<core::v1::Event>(), namespace_of_events);
    if (!events) {
      chain_.unread.push_back(events.error().message());
      return;
    }
    std::vector<std::string> uids;
    for (const Link* const link : chain_.SetsAndOwners()) uids.push_back(link->uid());
    for (const auto& pod : chain_.pods) uids.push_back(pod.metadata.uid);
    for (const Json& event : *events) {
      if (std::ranges::find(uids, TextAt(event, {"involvedObject", "uid"})) == uids.end()) continue;
      auto typed = api::DecodeJson<core::v1::Event>(event.ToString());
      if (typed) chain_.events.push_back(*std::move(typed));
    }
  }

  Cluster& cluster_;
  std::string namespace_;
  std::map<std::string, std::vector<Json>> lists_;
  Chain chain_;
};

}  // namespace

Result<Chain> ReadChain(Cluster& cluster, const Selected& selected) {
  return ChainReader(cluster).Read(selected);
}

}  // namespace flyball::ctl::trace
