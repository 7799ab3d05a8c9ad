#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct PersistentVolumeBinderOptions {
  /// A pod that wipes a volume, for one kind of volume.
  struct Recycler {
    std::string pod_template_file = {};
    std::int32_t minimum_timeout = 0;    ///< seconds
    std::int32_t timeout_increment = 0;  ///< seconds a GiB
  };

  std::chrono::nanoseconds sync_period = std::chrono::seconds(15);
  bool host_path_provisioning = false;
  bool dynamic_provisioning = true;
  Recycler nfs_recycler = {{}, 300, 30};
  Recycler host_path_recycler = {{}, 60, 30};
  std::string flex_volume_plugin_dir = "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/";

  void AddFlags(flags::FlagSection& section);
  void Describe(ConfigWriter& config) const;
};

}  // namespace flyball::manager
