#include "flyball/controllers/volume_expander/plan.h"

#include "flyball/controllers/common/csi_migration.h"
#include "flyball/controllers/common/storage_size.h"

namespace flyball::controllers::volume_expander {
namespace {

using api::Json;
using common::CapacityOf;
using common::RequestOf;

}  // namespace

bool IsOf(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const auto& reference = volume.spec.claimRef;
  return reference && reference->namespace_ == claim.metadata.namespace_ &&
         reference->uid == claim.metadata.uid;
}

bool Grows(const PersistentVolumeClaim& before, const PersistentVolumeClaim& now) {
  return RequestOf(now) > RequestOf(before) || CapacityOf(now) > CapacityOf(before);
}

Plan PlanFor(const PersistentVolumeClaim& claim, const PersistentVolume& volume) {
  // That it still says what it was before is left from when it was to grow.
  if (RequestOf(claim) <= CapacityOf(claim) &&
      !volume.metadata.annotations.contains(common::kPreResizeCapacity)) {
    return {};
  }
  const auto replaced = common::MigratedDriverOf(volume);
  if (!replaced) return {.message = "waiting for an external controller to expand this PVC"};
  return {.message = "CSI migration enabled for " + *replaced +
                     "; waiting for external resizer to expand the pvc",
          .resizer = *common::MigratedTo(*replaced)};
}

Json ResizerPatch(const PersistentVolumeClaim& claim, const std::string& resizer) {
  return Json::Object{
      {"metadata", Json::Object{{"annotations", Json::Object{{std::string(kResizer), resizer}}},
                                {"resourceVersion", claim.metadata.resourceVersion}}}};
}

bool HasResizer(const PersistentVolumeClaim& claim, const std::string& resizer) {
  const std::string* const found = claim.metadata.annotations.find(kResizer);
  return found != nullptr && *found == resizer;
}

}  // namespace flyball::controllers::volume_expander
