#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "flyball/api/label_selector.h"
#include "flyball/api/object_key.h"
#include "flyball/base/result.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/controller_ref.h"

namespace flyball::controllers::common {

/// Enqueues the owners to reconcile when a dependent changes: its controller, the one that it had
/// before, and for an orphan all owners whose selector matches it (controller-runtime's
/// EnqueueRequestForOwner, and adoption). Any thread.
template <typename Owner, typename T>
class OwnerEnqueuer {
 public:
  using SelectorOf = std::function<Result<api::Selector>(const Owner& owner)>;
  using Add = std::function<void(const api::ObjectKey& owner, bool initial)>;

  OwnerEnqueuer(cache::Lister<Owner> owners, SelectorOf selector_of, Add add)
      : owners_(std::move(owners)), selector_of_(std::move(selector_of)), add_(std::move(add)) {}

  void Added(const T& thing, bool initial) const {
    if (ControllerOf(thing) != nullptr) {
      EnqueueController(thing, initial);
    } else if (!thing.metadata.deletionTimestamp) {
      EnqueueMatchingOwners(thing, initial);
    }
  }

  void Updated(const T& old, const T& thing) const {
    if (old.metadata.resourceVersion == thing.metadata.resourceVersion) return;  // a resync
    const bool other_controller = !SameController(old, thing);
    if (other_controller) EnqueueController(old, false);
    if (ControllerOf(thing) != nullptr) {
      EnqueueController(thing, false);
    } else if (!thing.metadata.deletionTimestamp &&
               (other_controller || !SameLabels(old.metadata.labels, thing.metadata.labels))) {
      EnqueueMatchingOwners(thing, false);
    }
  }

  void Deleted(const T& thing) const { EnqueueController(thing, false); }

 private:
  static bool SameController(const T& a, const T& b) {
    const auto* const of_a = ControllerOf(a);
    const auto* const of_b = ControllerOf(b);
    if (of_a == nullptr || of_b == nullptr) return of_a == of_b;
    return of_a->uid == of_b->uid && of_a->kind == of_b->kind && of_a->name == of_b->name;
  }
  /// Of a kind or of a view.
  template <typename Labels>
  static bool SameLabels(const Labels& a, const Labels& b) {
    return std::ranges::equal(a, b, [](const auto& of_a, const auto& of_b) {
      const auto& [key_a, value_a] = of_a;
      const auto& [key_b, value_b] = of_b;
      return key_a == key_b && value_a == value_b;
    });
  }

  /// If it is of our kind, and still there.
  void EnqueueController(const T& thing, bool initial) const {
    const auto* const owner = ControllerOf(thing);
    // PARITY: whatever the group; there are kinds of the same name elsewhere.
    if (owner == nullptr || owner->kind != Owner::kType.name) return;
    const api::ObjectKey key{std::string(thing.metadata.namespace_), std::string(owner->name)};
    const auto found = owners_.Get(key);
    if (found && owner->uid == found->metadata.uid) add_(key, initial);
  }

  void EnqueueMatchingOwners(const T& thing, bool initial) const {
    if (thing.metadata.labels.empty()) return;
    for (const auto& owner : owners_.InNamespace(thing.metadata.namespace_)) {
      const auto selector = selector_of_(*owner);
      if (!selector || selector->SelectsEverything()) continue;
      if (selector->Matches(thing.metadata.labels)) add_(api::ObjectKey::Of(*owner), initial);
    }
  }

  const cache::Lister<Owner> owners_;
  const SelectorOf selector_of_;
  const Add add_;
};

}  // namespace flyball::controllers::common
