#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/controllers/common/planned_event.h"
#include "flyball/controllers/volume_binder/annotations.h"

namespace flyball::controllers::volume_binder {

using ClaimRef = std::shared_ptr<const PersistentVolumeClaim>;

/// What is known of the claim that a volume is bound to.
struct VolumeFacts {
  /// Null if there is none with its name and uid, by what the server has.
  ClaimRef claim = nullptr;
  /// Whether the caches have one of its name, be it another.
  bool name_in_use = false;
  /// The pods, as "namespace/name", that use the claim and have not ended.
  std::function<std::vector<std::string>()> pods = nullptr;
};

/// What is to be done about a volume, in this order.
struct VolumePlan {
  std::string phase = {};  ///< to be said; empty: as it is
  std::string message = {};
  bool unbind = false;      ///< takes back a binding, then makes it available
  bool wake_claim = false;  ///< its claim goes on from there
  /// Of the volume, those for a phase only when it is new.
  std::vector<common::PlannedEvent> events = {};
  std::vector<common::PlannedEvent> claim_events = {};
  /// What comes of reclaiming it: a phase, why, and what is told when it is new.
  std::string reclaimed_phase = {};
  /// What is behind it is to be deleted; as it is each time until it is gone.
  enum class Deletion {
    kNone,
    kByDriver,
    kFails,  ///< nobody can
  };
  Deletion deletion = Deletion::kNone;
  std::vector<common::PlannedEvent> reclaim_events = {};

  std::string ToString() const;
  friend bool operator==(const VolumePlan&, const VolumePlan&) = default;
};

/// Whether it matters which claim there is.
bool IsBound(const PersistentVolume& volume);

/// Decides. Nothing here deletes a volume: what is behind it is deleted by its driver, and then the
/// driver deletes it, too.
VolumePlan PlanFor(const PersistentVolume& volume, const VolumeFacts& facts);

}  // namespace flyball::controllers::volume_binder
