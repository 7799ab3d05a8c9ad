#include "flyball/manager/options/persistent_volume_binder_options.h"

namespace flyball::manager {

void PersistentVolumeBinderOptions::AddFlags(flags::FlagSection& section) {
  section.Add("pvclaimbinder-sync-period", sync_period,
              "How often every volume and claim is looked at again.");
  section.Add("pv-recycler-pod-template-filepath-nfs", nfs_recycler.pod_template_file,
              "A file with the pod that wipes NFS volumes.");
  section.Add("pv-recycler-minimum-timeout-nfs", nfs_recycler.minimum_timeout,
              "How many seconds a pod that wipes an NFS volume has at least.");
  section.Add("pv-recycler-increment-timeout-nfs", nfs_recycler.timeout_increment,
              "How many seconds a GiB a pod that wipes an NFS volume has on top of that.");
  section.Add("pv-recycler-pod-template-filepath-hostpath", host_path_recycler.pod_template_file,
              "A file with the pod that wipes host path volumes. For tests on one node.");
  section.Add("pv-recycler-minimum-timeout-hostpath", host_path_recycler.minimum_timeout,
              "How many seconds a pod that wipes a host path volume has at least. For tests on one "
              "node.");
  section.Add("pv-recycler-timeout-increment-hostpath", host_path_recycler.timeout_increment,
              "How many seconds a GiB a pod that wipes a host path volume has on top of that. For "
              "tests on one node.");
  section.Add("enable-hostpath-provisioner", host_path_provisioning,
              "Make host path volumes for claims. For tests on one node, and for nothing else.");
  section.Add("enable-dynamic-provisioning", dynamic_provisioning,
              "Make volumes for claims where a storage class says how.");
  section.Add("flex-volume-plugin-dir", flex_volume_plugin_dir,
              "The folder in which flex volume plugins are looked for.");
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
