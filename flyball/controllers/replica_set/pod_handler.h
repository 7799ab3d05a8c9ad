#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "flyball/api/object_key.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/replica_set/set_kind.h"

namespace flyball::controllers::replica_set {

/// Which sets a change of a pod concerns: those that control it, or did, and of a pod that nobody
/// controls those that might.
template <typename Set>
class PodHandler {
 public:
  using Add = std::function<void(const api::ObjectKey& set, bool initial)>;

  PodHandler(cache::Lister<Set> sets, Add add) : sets_(std::move(sets)), add_(std::move(add)) {}

  void Added(const views::Pod& pod, bool initial) const {
    if (common::ControllerOf(pod) != nullptr) {
      AddController(pod, initial);
    } else if (!pod.metadata.deletionTimestamp) {
      AddThoseWhoMightAdopt(pod, initial);
    }
  }

  void Updated(const views::Pod& old, const views::Pod& pod) const {
    if (old.metadata.resourceVersion == pod.metadata.resourceVersion) return;  // a resync
    const bool other_controller = !SameController(old, pod);
    if (other_controller) AddController(old, false);
    if (common::ControllerOf(pod) != nullptr) {
      AddController(pod, false);
    } else if (!pod.metadata.deletionTimestamp &&
               (other_controller || !SameLabels(old.metadata.labels, pod.metadata.labels))) {
      AddThoseWhoMightAdopt(pod, false);
    }
  }

  void Deleted(const views::Pod& pod) const { AddController(pod, false); }

 private:
  static bool SameController(const views::Pod& a, const views::Pod& b) {
    const auto* const of_a = common::ControllerOf(a);
    const auto* const of_b = common::ControllerOf(b);
    if (of_a == nullptr || of_b == nullptr) return of_a == of_b;
    return of_a->uid == of_b->uid && of_a->kind == of_b->kind && of_a->name == of_b->name;
  }
  static bool SameLabels(const api::ViewMap& a, const api::ViewMap& b) {
    return std::ranges::equal(a, b, [](const api::ViewEntry& of_a, const api::ViewEntry& of_b) {
      return of_a.key == of_b.key && of_a.value == of_b.value;
    });
  }

  /// If it is one of ours, and still there.
  void AddController(const views::Pod& pod, bool initial) const {
    const auto* const owner = common::ControllerOf(pod);
    // PARITY: whatever the group; there are sets with this kind's name elsewhere.
    if (owner == nullptr || owner->kind != Set::kType.name) return;
    const api::ObjectKey key{std::string(pod.metadata.namespace_), std::string(owner->name)};
    const auto set = sets_.Get(key);
    if (set && owner->uid == set->metadata.uid) add_(key, initial);
  }

  void AddThoseWhoMightAdopt(const views::Pod& pod, bool initial) const {
    if (pod.metadata.labels.empty()) return;
    for (const auto& set : sets_.InNamespace(pod.metadata.namespace_)) {
      const auto selector = SelectorOf(*set);
      if (!selector || selector->SelectsEverything()) continue;
      if (selector->Matches(pod.metadata.labels)) add_(api::ObjectKey::Of(*set), initial);
    }
  }

  const cache::Lister<Set> sets_;
  const Add add_;
};

}  // namespace flyball::controllers::replica_set
