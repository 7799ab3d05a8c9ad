#include "flyball/controllers/attributes_class_protection/plan.h"

#include <algorithm>

namespace flyball::controllers::attributes_class_protection {

namespace {

/// Each once, and none that is empty.
std::vector<std::string> Distinct(std::vector<std::string> names) {
  std::erase(names, "");
  for (auto each = names.begin(); each != names.end(); ++each) {
    names.erase(std::remove(each + 1, names.end(), *each), names.end());
  }
  return names;
}

}  // namespace

std::vector<std::string> ClassesOf(const PersistentVolumeClaim& claim) {
  const auto& change = claim.status.modifyVolumeStatus;
  return Distinct({claim.spec.volumeAttributesClassName.value_or(""),
                   claim.status.currentVolumeAttributesClassName.value_or(""),
                   change ? change->targetVolumeAttributesClassName : ""});
}

std::vector<std::string> ClassesOf(const PersistentVolume& volume) {
  return Distinct({volume.spec.volumeAttributesClassName.value_or("")});
}

common::Protection PlanFor(const VolumeAttributesClass& attributes, bool used) {
  return common::ProtectionFor(attributes, kFinalizer, used);
}

}  // namespace flyball::controllers::attributes_class_protection
