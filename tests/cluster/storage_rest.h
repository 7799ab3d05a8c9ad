#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/storage/v1.h"

namespace flyball::cluster {

/// All that there is of storage in a namespace, and of volumes.
struct StorageScene {
  std::vector<core::v1::PersistentVolumeClaim> claims;
  std::vector<core::v1::PersistentVolume> volumes;
  std::vector<core::v1::Pod> pods;
  std::vector<storage::v1::StorageClass> classes;
  std::vector<storage::v1::VolumeAttachment> attachments;
  std::string driver = {};  ///< that makes, attaches and deletes volumes whenever it is asked to
};

/// Why a scene is not one in which nobody has anything left to do: a claim waits that can be bound,
/// a pod that could run, something goes that nobody keeps, a volume is at a node that does not want
/// it. Empty: it is at rest. Wherever a volume is, any node can have it.
std::vector<std::string> UnrestIn(const StorageScene& scene);

}  // namespace flyball::cluster
