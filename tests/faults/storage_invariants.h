#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"

namespace flyball::faults {

/// What must hold of claims and volumes at every revision: no claim goes while a pod on a node uses
/// it; no two claims are bound to one volume, nor two volumes to one claim; no claim is said to be
/// lost whose volume is there and is its own; and no volume is said to be released whose claim is
/// there and has no other. For one task at a time.
class StorageInvariants {
 public:
  explicit StorageInvariants(std::vector<std::string>& violations) : violations_(violations) {}

  void TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod);
  void TellOfClaim(const std::string& uid,
                   const std::optional<core::v1::PersistentVolumeClaim>& claim);
  void TellOfVolume(const std::string& uid,
                    const std::optional<core::v1::PersistentVolume>& volume);

 private:
  void CheckBound(const core::v1::PersistentVolumeClaim& claim);
  void CheckLost(const core::v1::PersistentVolumeClaim& claim);
  void CheckOnly(const std::string& uid, const core::v1::PersistentVolume& volume);
  void CheckReleased(const core::v1::PersistentVolume& volume);

  std::vector<std::string>& violations_;
  // By uid.
  std::map<std::string, core::v1::Pod> pods_;
  std::map<std::string, core::v1::PersistentVolumeClaim> claims_;
  std::map<std::string, core::v1::PersistentVolume> volumes_;
};

}  // namespace flyball::faults
