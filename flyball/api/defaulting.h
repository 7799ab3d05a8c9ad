#pragma once

#include "flyball/api/object.h"
#include "flyball/api/type_info.h"

/// Defaults: what an object's members become that its author left out. The API server sets them
/// before it stores anything, so that what a client reads is what the cluster goes by; who makes an
/// object and compares it with a stored one has to set them too.
///
/// The rules are tables, one file a topic: defaulting_pod.cc, defaulting_volume.cc,
/// defaulting_apps.cc and so on. They are those of Kubernetes v1.37 with every feature gate as it
/// comes; where one decides, its rule says so. Stable versions have them, alpha and beta ones do
/// not. What depends on more than the object is no default and not done here: allocated addresses,
/// admission, what a storage strategy clears.
namespace flyball::api {

/// Sets what is unset in a kind, in a list of a kind, or in a part of one, such as a pod template.
/// Applying defaults twice is the same as once. Nothing happens to kinds without defaults. Any
/// thread.
///
/// A part gets what it would get within any object. What only a certain kind does to its parts is
/// missing then: a Pod's containers request what they are limited to, a pod template's do not.
void ApplyDefaults(void* object, const TypeInfo& type);

inline void ApplyDefaults(AnyObject& object) { ApplyDefaults(object.get(), object.type()); }

template <typename T>
void ApplyDefaults(T& object) {
  ApplyDefaults(&object, T::kType);
}

}  // namespace flyball::api
