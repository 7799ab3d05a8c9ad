#include "flyball/controllers/garbage_collector/patches.h"

#include <algorithm>
#include <utility>

#include "flyball/api/json.h"

namespace flyball::controllers::garbage_collector {
namespace {

using api::Json;
using client::Patch;
using meta::v1::ObjectMeta;
using meta::v1::OwnerReference;

Json OfMetadata(Json::Object metadata) {
  return Json::Object{{"metadata", Json(std::move(metadata))}};
}

/// PARITY: an empty list is sent as none.
Json ListOrNull(Json::Array list) { return list.empty() ? Json() : Json(std::move(list)); }

Result<Patch> WholeOwners(const ObjectMeta& object, std::span<const OwnerReference> owners) {
  Json::Array list;
  for (const OwnerReference& owner : owners) {
    FLYBALL_TRY(list.emplace_back(), api::ToJson(owner));
  }
  return Patch::Merge(OfMetadata({{"resourceVersion", object.resourceVersion},
                                  {"ownerReferences", ListOrNull(std::move(list))}}));
}

}  // namespace

Patch WithoutOwners(std::string_view uid, std::span<const std::string> owners) {
  Json::Array list;
  for (const std::string& owner : owners) {
    list.emplace_back(Json::Object{{"$patch", "delete"}, {"uid", owner}});
  }
  return Patch::Strategic(OfMetadata({{"uid", uid}, {"ownerReferences", Json(std::move(list))}}));
}

Result<Patch> WithoutOwnersWhole(const ObjectMeta& object, std::span<const std::string> owners) {
  std::vector<OwnerReference> left = object.ownerReferences;
  std::erase_if(left, [&](const OwnerReference& reference) {
    return std::ranges::find(owners, reference.uid) != owners.end();
  });
  return WholeOwners(object, left);
}

Result<Patch> Unblocked(const ObjectMeta& object) {
  Json::Array list;
  for (OwnerReference owner : object.ownerReferences) {
    if (!owner.blockOwnerDeletion.value_or(false)) continue;
    owner.blockOwnerDeletion = false;
    FLYBALL_TRY(list.emplace_back(), api::ToJson(owner));
  }
  return Patch::Strategic(
      OfMetadata({{"uid", object.uid}, {"ownerReferences", Json(std::move(list))}}));
}

Result<Patch> UnblockedWhole(const ObjectMeta& object) {
  std::vector<OwnerReference> owners = object.ownerReferences;
  for (OwnerReference& owner : owners) owner.blockOwnerDeletion = false;
  return WholeOwners(object, owners);
}

Patch WithoutFinalizer(const ObjectMeta& object, std::string_view finalizer) {
  Json::Array left;
  for (const std::string& name : object.finalizers) {
    if (name != finalizer) left.emplace_back(name);
  }
  return Patch::Merge(OfMetadata(
      {{"resourceVersion", object.resourceVersion}, {"finalizers", ListOrNull(std::move(left))}}));
}

}  // namespace flyball::controllers::garbage_collector
