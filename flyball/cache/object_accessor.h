#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "flyball/api/json_decode.h"
#include "flyball/cache/object_source.h"

/// Accessors for the types that objects are kept in: kinds, views of them, their metadata, JSON.
namespace flyball::cache {

/// The metadata of a view, as far as the view has it: what garbage collection goes by.
template <client::View T>
meta::v1::ObjectMeta ObjectMetaOf(const T& object) {
  const auto& view = object.metadata;
  meta::v1::ObjectMeta metadata;
  metadata.name = view.name.view();
  if constexpr (requires { view.namespace_; }) metadata.namespace_ = view.namespace_.view();
  metadata.uid = view.uid.view();
  metadata.resourceVersion = view.resourceVersion.view();
  if constexpr (requires { view.creationTimestamp; }) {
    metadata.creationTimestamp = view.creationTimestamp;
  }
  if constexpr (requires { view.deletionTimestamp; }) {
    if (view.deletionTimestamp) metadata.deletionTimestamp = *view.deletionTimestamp;
  }
  if constexpr (requires { view.labels; }) {
    for (const auto& label : view.labels) {
      metadata.labels[std::string(label.key.view())] = label.value.view();
    }
  }
  if constexpr (requires { view.finalizers; }) {
    for (const auto& name : view.finalizers) metadata.finalizers.emplace_back(name.view());
  }
  if constexpr (requires { view.ownerReferences; }) {
    for (const auto& owner : view.ownerReferences) {
      meta::v1::OwnerReference& reference = metadata.ownerReferences.emplace_back();
      reference.apiVersion = owner.apiVersion.view();
      reference.kind = owner.kind.view();
      reference.name = owner.name.view();
      reference.uid = owner.uid.view();
      reference.controller = owner.controller;
      reference.blockOwnerDeletion = owner.blockOwnerDeletion;
    }
  }
  return metadata;
}

template <typename T>
const meta::v1::ObjectMeta& ObjectMetaOf(const T& object) {
  return object.metadata;
}

meta::v1::ObjectMeta ObjectMetaOf(const api::Json& object);

/// Of what ownership and deletion are about, in a form of metadata that has it.
template <typename Metadata>
bool SameOwnershipIn(const Metadata& a, const Metadata& b) {
  const auto same_owner = [](const auto& one, const auto& other) {
    return one.uid == other.uid && one.name == other.name && one.kind == other.kind &&
           one.apiVersion == other.apiVersion && one.controller == other.controller &&
           one.blockOwnerDeletion == other.blockOwnerDeletion;
  };
  return a.uid == b.uid && a.deletionTimestamp == b.deletionTimestamp &&
         std::ranges::equal(a.finalizers, b.finalizers) &&
         std::ranges::equal(a.ownerReferences, b.ownerReferences, same_owner);
}

/// Does not look at the rest of what an object is told apart by.
template <typename T>
ObjectName ObjectNameOf(const T& object) {
  const auto& metadata = object.metadata;
  ObjectName name{{}, metadata.name};
  // A view of a kind that has no namespaces has no place for one.
  if constexpr (requires { metadata.namespace_; }) name.first = metadata.namespace_;
  return name;
}

inline ObjectName ObjectNameOf(const api::Json& object) {
  const api::ObjectIdentity identity = api::IdentityOf(object);
  return {identity.namespace_, identity.name};
}

/// An object with nothing but names.
template <typename T>
T KeyOnlyObjectOf(const api::ObjectIdentity& identity) {
  T object;
  object.metadata.namespace_ = identity.namespace_;
  object.metadata.name = identity.name;
  object.metadata.uid = identity.uid;
  object.metadata.resourceVersion = identity.resource_version;
  return object;
}

template <>
api::Json KeyOnlyObjectOf<api::Json>(const api::ObjectIdentity& identity);

template <typename T>
class AccessorFor final : public ObjectAccessor {
 public:
  static const AccessorFor& Get() {
    static const AccessorFor accessor;
    return accessor;
  }

  api::ObjectIdentity IdentityOf(const void* object) const override {
    return api::IdentityOf(*static_cast<const T*>(object));
  }
  ObjectName NameOf(const void* object) const override {
    return ObjectNameOf(*static_cast<const T*>(object));
  }
  std::shared_ptr<const meta::v1::PartialObjectMetadata> MetadataOf(
      const Object& object) const override {
    if constexpr (std::is_same_v<T, meta::v1::PartialObjectMetadata>) {
      return std::static_pointer_cast<const T>(object);
    } else {
      auto metadata = std::make_shared<meta::v1::PartialObjectMetadata>();
      metadata->metadata = ObjectMetaOf(*static_cast<const T*>(object.get()));
      return metadata;
    }
  }
  bool HasOwners() const override {
    if constexpr (client::View<T>) {
      return requires(const T& object) {
        object.metadata.ownerReferences;
        object.metadata.finalizers;
        object.metadata.deletionTimestamp;
      };
    } else {
      return true;
    }
  }
  bool SameOwnership(const void* a, const void* b) const override {
    if constexpr (requires(const T& object) { object.metadata.ownerReferences; }) {
      return SameOwnershipIn(static_cast<const T*>(a)->metadata,
                             static_cast<const T*>(b)->metadata);
    } else {
      return false;  // nobody can tell
    }
  }
  Object KeyOnly(const api::ObjectIdentity& identity) const override {
    if constexpr (client::View<T>) {
      return nullptr;
    } else {
      return std::make_shared<const T>(KeyOnlyObjectOf<T>(identity));
    }
  }
};

}  // namespace flyball::cache
