#include "flyball/controllers/common/controller_ref_manager.h"

#include "flyball/api/json_encode.h"
#include "flyball/api/json_writer.h"
#include "flyball/base/check.h"

namespace flyball::controllers::common {
namespace {

client::Patch Strategic(std::string text) {
  return {client::PatchType::kStrategic, std::move(text)};
}

void WriteList(api::JsonWriter& json, std::string_view key, std::string_view only_value) {
  json.Key(key);
  json.BeginArray();
  json.String(only_value);
  json.EndArray();
}

api::ObjectKey KeyOf(const api::ObjectIdentity& object) {
  return {std::string(object.namespace_), std::string(object.name)};
}

}  // namespace

std::string AdoptionPatch(const meta::v1::OwnerReference& owner, std::string_view uid,
                          std::string_view finalizer) {
  std::string text;
  api::JsonWriter json(text);
  json.BeginObject();
  json.Key("metadata");
  json.BeginObject();
  json.Key("ownerReferences");
  json.BeginArray();
  FLYBALL_CHECK(api::SendObject(&owner, owner.kType, json).has_value(), "it has nothing but text");
  json.EndArray();
  json.Key("uid");
  json.String(uid);
  if (!finalizer.empty()) WriteList(json, "finalizers", finalizer);
  json.EndObject();
  json.EndObject();
  return text;
}

std::string ReleasePatch(std::string_view owner_uid, std::string_view uid,
                         std::string_view finalizer) {
  std::string text;
  api::JsonWriter json(text);
  json.BeginObject();
  json.Key("metadata");
  json.BeginObject();
  json.Key("uid");
  json.String(uid);
  json.Key("ownerReferences");
  json.BeginArray();
  json.BeginObject();
  json.Key("$patch");
  json.String("delete");
  json.Key("uid");
  json.String(owner_uid);
  json.EndObject();
  json.EndArray();
  if (!finalizer.empty()) WriteList(json, "$deleteFromPrimitiveList/finalizers", finalizer);
  json.EndObject();
  json.EndObject();
  return text;
}

Result<bool> ControllerRefManager::Adopt(const client::Resource& resource,
                                         const api::ObjectIdentity& object) {
  const api::ObjectKey key = KeyOf(object);
  if (auto may = MayAdopt(); !may) {
    return std::unexpected(may.error().Wrap("can't adopt " + resource.kind + " " + key.ToString() +
                                            " (" + std::string(object.uid) + ")"));
  }
  const auto adopted =
      context_.Patch(resource, key, Strategic(AdoptionPatch(owner_, object.uid, finalizer_)));
  if (!adopted && adopted.error().code() == ErrorCode::kNotFound) return false;
  FLYBALL_TRY(adopted);
  return true;
}

Result<> ControllerRefManager::Release(const client::Resource& resource,
                                       const api::ObjectIdentity& object) {
  const api::ObjectKey key = KeyOf(object);
  LogRelease(resource, key);
  const auto released =
      context_.Patch(resource, key, Strategic(ReleasePatch(owner_.uid, object.uid, finalizer_)));
  if (released) return {};
  // Invalid: another has its name by now, or it has lost its owners already.
  const ErrorCode code = released.error().code();
  if (code == ErrorCode::kNotFound || code == ErrorCode::kInvalid) return {};
  return std::unexpected(released.error());
}

/// Upstream has a message for each kind.
void ControllerRefManager::LogRelease(const client::Resource& resource,
                                      const api::ObjectKey& key) const {
  const auto log = context_.log().V(2);
  if (!log) return;
  const std::string gvk = owner_.apiVersion + ", Kind=" + owner_.kind;
  if (resource.kind == "Pod") {
    log.Info("Patching pod to remove its controllerRef",
             {{"pod", key}, {"gvk", gvk}, {"controller", owner_.name}});
  } else if (resource.kind == "ReplicaSet") {
    log.Info("Patching ReplicaSet to remove its controllerRef",
             {{"replicaSet", key}, {"gvk", gvk}, {"controller", owner_.name}});
  } else if (resource.kind == "ControllerRevision") {
    log.Info("Patching ControllerRevision to remove its controllerRef",
             {{"controllerRevision", key}, {"gvk", gvk}, {"controller", owner_.name}});
  } else {
    log.Info("Patching object to remove its controllerRef",
             {{"kind", resource.kind}, {"object", key}, {"gvk", gvk}, {"controller", owner_.name}});
  }
}

Result<> ControllerRefManager::MayAdopt() {
  if (may_adopt_) return *may_adopt_;
  may_adopt_ = [&]() -> Result<> {
    const auto live = read_();
    if (!live) return std::unexpected(live.error().Wrap("can't recheck DeletionTimestamp"));
    const std::string name = live->namespace_ + "/" + live->name;
    if (live->uid != owner_.uid) {
      return Fail(ErrorCode::kConflict, "can't recheck DeletionTimestamp: original " + owner_.kind +
                                            " " + name + " is gone: got uid " + live->uid +
                                            ", wanted " + owner_.uid);
    }
    if (live->deletionTimestamp) {
      return Fail(ErrorCode::kConflict,
                  name + " has just been deleted at " + live->deletionTimestamp->ToString());
    }
    return {};
  }();
  return *may_adopt_;
}

}  // namespace flyball::controllers::common
