#pragma once

#include "flyball/api/meta/v1.h"

namespace flyball::runtime {

/// The owner that controls an object of a generated kind or a view, of which there is at most one;
/// null if it is nobody's.
template <typename T>
auto ControllerOf(const T& object) -> decltype(&*object.metadata.ownerReferences.begin()) {
  for (const auto& owner : object.metadata.ownerReferences) {
    if (owner.controller.value_or(false)) return &owner;
  }
  return nullptr;
}

/// What makes an object of a generated kind the controller of what carries it.
template <typename Owner>
meta::v1::OwnerReference ControllerRefTo(const Owner& owner) {
  meta::v1::OwnerReference reference;
  reference.apiVersion = Owner::kType.ApiVersion();
  reference.kind = Owner::kType.name;
  reference.name = owner.metadata.name;
  reference.uid = owner.metadata.uid;
  reference.controller = true;
  reference.blockOwnerDeletion = true;
  return reference;
}

}  // namespace flyball::runtime
