#include "flyball/controllers/volume_protection/plan.h"

namespace flyball::controllers::volume_protection {

common::Protection PlanFor(const PersistentVolume& volume) {
  return common::ProtectionFor(volume, kFinalizer, volume.status.phase == "Bound");
}

}  // namespace flyball::controllers::volume_protection
