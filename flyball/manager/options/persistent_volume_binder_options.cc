#include "flyball/manager/options/persistent_volume_binder_options.h"

namespace flyball::manager {

void PersistentVolumeBinderOptions::AddFlags(flags::FlagSection& section) {
  section.Add(
      "pvclaimbinder-sync-period", sync_period,
      "Interval at which the binder syncs every PersistentVolume and PersistentVolumeClaim again.");
  section.Add("pv-recycler-pod-template-filepath-nfs", nfs_recycler.pod_template_file,
              "File with the template of the pod that recycles an NFS volume. Shown on /configz "
              "and otherwise ignored: this program does not recycle volumes.");
  section.Add("pv-recycler-minimum-timeout-nfs", nfs_recycler.minimum_timeout,
              "Minimum deadline, in seconds, of a pod that recycles an NFS volume. Shown on "
              "/configz and otherwise ignored: this program does not recycle volumes.");
  section.Add(
      "pv-recycler-increment-timeout-nfs", nfs_recycler.timeout_increment,
      "Seconds per GiB that are added to the deadline of a pod that recycles an NFS volume. Shown "
      "on /configz and otherwise ignored: this program does not recycle volumes.");
  section.Add("pv-recycler-pod-template-filepath-hostpath", host_path_recycler.pod_template_file,
              "File with the template of the pod that recycles a hostPath volume. Shown on "
              "/configz and otherwise ignored: this program does not recycle volumes.");
  section.Add("pv-recycler-minimum-timeout-hostpath", host_path_recycler.minimum_timeout,
              "Minimum deadline, in seconds, of a pod that recycles a hostPath volume. Shown on "
              "/configz and otherwise ignored: this program does not recycle volumes.");
  section.Add(
      "pv-recycler-timeout-increment-hostpath", host_path_recycler.timeout_increment,
      "Seconds per GiB that are added to the deadline of a pod that recycles a hostPath volume. "
      "Shown on /configz and otherwise ignored: this program does not recycle volumes.");
  section.Add("enable-hostpath-provisioner", host_path_provisioning,
              "Provision hostPath volumes, for tests on a single node. Shown on /configz and "
              "otherwise ignored: volumes come from external provisioners only.");
  section.Add("enable-dynamic-provisioning", dynamic_provisioning,
              "Provision PersistentVolumes dynamically for PersistentVolumeClaims whose "
              "StorageClass names a provisioner.");
  section.Add("flex-volume-plugin-dir", flex_volume_plugin_dir,
              "Directory of FlexVolume plugins. Shown on /configz and otherwise ignored: this "
              "program runs no volume plugins.");
}

void PersistentVolumeBinderOptions::Describe(ConfigWriter& config) const {
  config.Add("PVClaimBinderSyncPeriod", sync_period);
  config.AddObject("VolumeConfiguration", [this](ConfigWriter& volumes) {
    volumes.Add("EnableHostPathProvisioning", host_path_provisioning);
    volumes.Add("EnableDynamicProvisioning", dynamic_provisioning);
    volumes.AddObject("PersistentVolumeRecyclerConfiguration", [this](ConfigWriter& recycler) {
      recycler.Add("MaximumRetry", 3);
      recycler.Add("MinimumTimeoutNFS", nfs_recycler.minimum_timeout);
      recycler.Add("PodTemplateFilePathNFS", nfs_recycler.pod_template_file);
      recycler.Add("IncrementTimeoutNFS", nfs_recycler.timeout_increment);
      recycler.Add("PodTemplateFilePathHostPath", host_path_recycler.pod_template_file);
      recycler.Add("MinimumTimeoutHostPath", host_path_recycler.minimum_timeout);
      recycler.Add("IncrementTimeoutHostPath", host_path_recycler.timeout_increment);
    });
    volumes.Add("FlexVolumePluginDir", flex_volume_plugin_dir);
  });
}

}  // namespace flyball::manager
