#pragma once

#include <cstdint>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/label_selector.h"

/// What a ReplicaSet and a ReplicationController say in different ways. All else that they have is
/// called the same, so that one template does for both.
namespace flyball::controllers::replica_set {

/// How many pods are wanted. No server leaves it open.
template <typename Set>
std::int32_t ReplicasOf(const Set& set) {
  return set.spec.replicas.value_or(1);
}

/// Which pods it takes for its own. An error if nobody can tell.
inline Result<api::Selector> SelectorOf(const apps::v1::ReplicaSet& set) {
  return api::Selector::FromMessage(set.spec.selector);
}
// PARITY: a ReplicationController without a selector takes none, though one that asks for no label
// would seem to take all.
inline Result<api::Selector> SelectorOf(const core::v1::ReplicationController& set) {
  if (set.spec.selector.empty()) return api::Selector::Nothing();
  return api::Selector::FromLabels(set.spec.selector);
}

/// What its pods are made of.
inline const core::v1::PodTemplateSpec& TemplateOf(const apps::v1::ReplicaSet& set) {
  return set.spec.template_;
}
inline const core::v1::PodTemplateSpec& TemplateOf(const core::v1::ReplicationController& set) {
  static const core::v1::PodTemplateSpec kNone;
  return set.spec.template_ ? *set.spec.template_ : kNone;
}

}  // namespace flyball::controllers::replica_set
