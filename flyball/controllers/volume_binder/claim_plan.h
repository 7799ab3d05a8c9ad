#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/storage/v1.h"
#include "flyball/controllers/common/planned_event.h"
#include "flyball/controllers/volume_binder/volume_match.h"

namespace flyball::controllers::volume_binder {

using storage::v1::StorageClass;
using ClassRef = std::shared_ptr<const StorageClass>;

/// What a decision about a claim may ask for, each only if it must.
struct ClaimFacts {
  std::function<VolumeRef(const std::string& name)> volume;
  VolumesByKey volumes;
  std::function<ClassRef(const std::string& name)> storage_class;
  std::function<std::vector<ClassRef>()> classes;
  /// The pods that name the claim and wait for a node.
  std::function<std::vector<std::string>()> waiting_pods;
  bool provisions = true;  ///< --enable-dynamic-provisioning
};

/// What is to be done about a claim.
struct ClaimPlan {
  enum class Action {
    kNothing,
    kBind,         ///< to `volume`
    kAssignClass,  ///< `name`, which has become the default since
    kProvision,    ///< have the provisioner `name` make a volume
    kPending,      ///< it waits, and has nothing
    kLost,         ///< it was bound, and has lost its volume; for good
  };
  Action action = Action::kNothing;
  VolumeRef volume = nullptr;
  std::string name = {};
  /// To be told; of a claim that is lost when it first is.
  std::vector<common::PlannedEvent> events = {};
  /// Something is wrong that is looked at again after a while.
  std::string problem = {};

  std::string ToString() const;
  friend bool operator==(const ClaimPlan&, const ClaimPlan&) = default;
};

/// Decides.
ClaimPlan PlanFor(const PersistentVolumeClaim& claim, const ClaimFacts& facts);

/// The newest of the classes that are the default, and of those that are as new the first by name;
/// null if there is none.
ClassRef DefaultClass(const std::vector<ClassRef>& classes);

}  // namespace flyball::controllers::volume_binder
