#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"

namespace flyball::faults {

/// What must hold of volumes at every revision, where one knows what people delete: nobody else
/// deletes one that is to be kept, nor one whose claim is there and has no other. For one task at a
/// time.
class VolumeLossInvariants {
 public:
  explicit VolumeLossInvariants(std::vector<std::string>& violations) : violations_(violations) {}

  /// Before they do. From here on it may go whatever is said of it.
  void PeopleDelete(const std::string& uid) { given_up_.insert(uid); }

  void TellOfClaim(const std::string& uid,
                   const std::optional<core::v1::PersistentVolumeClaim>& claim);
  void TellOfVolume(const std::string& uid,
                    const std::optional<core::v1::PersistentVolume>& volume);

 private:
  void CheckGoing(const core::v1::PersistentVolume& volume);

  std::vector<std::string>& violations_;
  // By uid.
  std::set<std::string> given_up_;
  std::map<std::string, core::v1::PersistentVolumeClaim> claims_;
  std::map<std::string, core::v1::PersistentVolume> volumes_;
};

}  // namespace flyball::faults
