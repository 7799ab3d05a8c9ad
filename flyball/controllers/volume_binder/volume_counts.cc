#include "flyball/controllers/volume_binder/volume_counts.h"

namespace flyball::controllers::volume_binder {
namespace {

/// PARITY: those alone that upstream's binder could do something about itself.
const char* DriverOf(const PersistentVolume& volume) {
  if (volume.spec.hostPath) return "kubernetes.io/host-path";
  return volume.spec.nfs ? "kubernetes.io/nfs" : "N/A";
}

}  // namespace

VolumeCounts::VolumeCounts(MetricRegistry& metrics)
    : volumes_(metrics.Gauges(
          {.name = "pv_collector_total_pv_count",
           .help = "[ALPHA] Number of PersistentVolumes by volume plugin and volume mode.",
           .labels = {"plugin_name", "volume_mode"}})),
      bound_volumes_(metrics.Gauges(
          {.name = "pv_collector_bound_pv_count",
           .help =
               "[ALPHA] Number of PersistentVolumes that are bound to a claim, by StorageClass.",
           .labels = {"storage_class"}})),
      unbound_volumes_(metrics.Gauges({.name = "pv_collector_unbound_pv_count",
                                       .help = "[ALPHA] Number of PersistentVolumes that are not "
                                               "bound to a claim, by StorageClass.",
                                       .labels = {"storage_class"}})),
      bound_claims_(
          metrics.Gauges({.name = "pv_collector_bound_pvc_count",
                          .help = "[ALPHA] Number of PersistentVolumeClaims that are bound to a "
                                  "volume, by namespace, StorageClass and VolumeAttributesClass.",
                          .labels = {"namespace", "storage_class", "volume_attributes_class"}})),
      unbound_claims_(
          metrics.Gauges({.name = "pv_collector_unbound_pvc_count",
                          .help = "[ALPHA] Number of PersistentVolumeClaims that are not bound to "
                                  "a volume, by namespace, StorageClass and VolumeAttributesClass.",
                          .labels = {"namespace", "storage_class", "volume_attributes_class"}})) {}

void VolumeCounts::Count(const PersistentVolume* before, const PersistentVolume* now) {
  if (before != nullptr) Add(*before, -1);
  if (now != nullptr) Add(*now, 1);
}

void VolumeCounts::Count(const PersistentVolumeClaim* before, const PersistentVolumeClaim* now) {
  if (before != nullptr) Add(*before, -1);
  if (now != nullptr) Add(*now, 1);
}

void VolumeCounts::Add(const PersistentVolume& volume, int amount) {
  volumes_.Add({DriverOf(volume), ModeOf(volume)}, amount);
  const bool bound = volume.status.phase == "Bound";
  (bound ? bound_volumes_ : unbound_volumes_).Add({volume.spec.storageClassName}, amount);
}

void VolumeCounts::Add(const PersistentVolumeClaim& claim, int amount) {
  const bool bound = claim.status.phase == "Bound";
  (bound ? bound_claims_ : unbound_claims_)
      .Add({claim.metadata.namespace_, ClassOf(claim),
            claim.spec.volumeAttributesClassName.value_or("")},
           amount);
}

}  // namespace flyball::controllers::volume_binder
