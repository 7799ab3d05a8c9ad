#include "flyball/simulation/storage/resize_plan.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using Condition = core::v1::PersistentVolumeClaimCondition;

constexpr std::array<std::string_view, 4> kResizeConditions = {
    "Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"};

constexpr std::string_view kAnnounced = "ControllerResizeInProgress";
constexpr std::string_view kInfeasible = "ControllerResizeInfeasible";
constexpr std::string_view kPending = "NodeResizePending";
constexpr std::string_view kOnNode = "NodeResizeInProgress";

std::string_view StateOf(const PersistentVolumeClaim& claim) {
  const std::string* const state = claim.status.allocatedResourceStatuses.find("storage");
  return state == nullptr ? std::string_view() : *state;
}

bool NeedsNode(const PersistentVolume& volume) {
  return volume.spec.volumeMode.value_or("Filesystem") == "Filesystem";
}

/// In place of what was said of a resize before. One that is the same has been so since.
void SayInstead(std::vector<Condition>& conditions, std::vector<Condition> instead) {
  for (Condition& condition : instead) {
    const auto same = std::ranges::find(conditions, condition.type, &Condition::type);
    if (same != conditions.end() && same->status == condition.status) {
      condition.lastTransitionTime = same->lastTransitionTime;
    }
  }
  std::erase_if(conditions, [](const Condition& condition) {
    return std::ranges::find(kResizeConditions, condition.type) != kResizeConditions.end();
  });
  std::ranges::move(instead, std::back_inserter(conditions));
}

Condition Holds(std::string_view type, std::string message, WallTime now) {
  Condition condition;
  condition.type = type;
  condition.status = "True";
  condition.message = std::move(message);
  condition.lastTransitionTime = api::Time(now);
  return condition;
}

/// PARITY: of these codes the driver means that it can never be.
bool IsInfeasible(std::string_view error) {
  return error.contains("code = OutOfRange") || error.contains("code = InvalidArgument") ||
         error.contains("code = NotFound");
}

}  // namespace

ResizePlan PlanResize(const PersistentVolumeClaim& claim, const PersistentVolume& volume,
                      std::string_view driver) {
  if (claim.status.phase != "Bound" || !IsOf(volume, driver) || !IsBoundTo(volume, claim)) {
    return {};
  }
  const api::Quantity asked = StorageIn(claim.spec.resources.requests);
  const api::Quantity has = StorageIn(claim.status.capacity);
  const api::Quantity size = StorageIn(volume.spec.capacity);
  const std::string_view state = StateOf(claim);
  if (state == kPending || state == kOnNode) return {};  // that comes to its end first
  const api::Quantity* const allocated = claim.status.allocatedResources.find("storage");
  // What was begun comes to its end before anything else is; unless it cannot, and less will do.
  const bool goes_on = allocated != nullptr &&
                       (state == kAnnounced || (state == kInfeasible && *allocated == asked));
  if (goes_on) {
    if (size < *allocated) return {ResizeStep::kExpand, *allocated};
    return {NeedsNode(volume) ? ResizeStep::kHandOver : ResizeStep::kFinish, *allocated};
  }
  if (asked > has) return {ResizeStep::kAnnounce, asked};
  const bool left = volume.metadata.annotations.contains(kPreResizeCapacity);
  return left ? ResizePlan{ResizeStep::kTidy, size} : ResizePlan();
}

PersistentVolumeClaim Announced(const PersistentVolumeClaim& claim, const api::Quantity& size,
                                WallTime now) {
  PersistentVolumeClaim changed = claim;
  SayInstead(changed.status.conditions, {Holds("Resizing", "", now)});
  changed.status.allocatedResources["storage"] = size;
  changed.status.allocatedResourceStatuses["storage"] = kAnnounced;
  return changed;
}

PersistentVolume Expanded(const PersistentVolume& volume, const PersistentVolumeClaim& claim,
                          const api::Quantity& size) {
  PersistentVolume changed = volume;
  changed.spec.capacity["storage"] = size;
  if (NeedsNode(volume) && !changed.metadata.annotations.contains(kPreResizeCapacity)) {
    changed.metadata.annotations[kPreResizeCapacity] = StorageIn(claim.status.capacity).ToString();
  }
  return changed;
}

PersistentVolumeClaim HandedOver(const PersistentVolumeClaim& claim, WallTime now) {
  PersistentVolumeClaim changed = claim;
  SayInstead(changed.status.conditions,
             {Holds("FileSystemResizePending",
                    "Waiting for user to (re-)start a pod to finish file system resize of volume "
                    "on node.",
                    now)});
  changed.status.allocatedResourceStatuses["storage"] = kPending;
  return changed;
}

PersistentVolumeClaim FailedToExpand(const PersistentVolumeClaim& claim, const std::string& error,
                                     WallTime now) {
  PersistentVolumeClaim changed = claim;
  std::vector<Condition> said;
  for (const Condition& condition : claim.status.conditions) {
    if (condition.type == "Resizing") said.push_back(condition);
  }
  said.push_back(Holds("ControllerResizeError", "failed to expand pvc with " + error, now));
  SayInstead(changed.status.conditions, std::move(said));
  if (IsInfeasible(error)) changed.status.allocatedResourceStatuses["storage"] = kInfeasible;
  return changed;
}

PersistentVolumeClaim Finished(const PersistentVolumeClaim& claim, const api::Quantity& size) {
  PersistentVolumeClaim changed = claim;
  changed.status.capacity["storage"] = size;
  changed.status.allocatedResourceStatuses.erase("storage");
  SayInstead(changed.status.conditions, {});
  return changed;
}

bool AwaitsNode(const PersistentVolumeClaim& claim) {
  const std::string_view state = StateOf(claim);
  return state == kPending || state == kOnNode;
}

}  // namespace flyball::simulation
