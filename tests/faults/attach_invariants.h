#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/storage/v1.h"
#include "flyball/base/clock.h"

namespace flyball::faults {

/// What must hold of volumes and nodes at every revision: nobody is asked to attach a volume to a
/// node while another has it, unless its access modes allow that; and nobody to detach one that a
/// running pod uses, that its node is told it has, or that its node says it uses: unless the node
/// is out of service, or nobody has wanted the volume there for six minutes. For one task at a
/// time.
class AttachInvariants {
 public:
  AttachInvariants(std::vector<std::string>& violations, const Clock& clock)
      : violations_(violations), clock_(clock) {}

  void TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod);
  void TellOfNode(const std::string& name, const std::optional<core::v1::Node>& node);
  void TellOfVolume(const std::string& uid,
                    const std::optional<core::v1::PersistentVolume>& volume);
  void TellOfAttachment(const std::string& uid,
                        const std::optional<storage::v1::VolumeAttachment>& attachment);

 private:
  const core::v1::PersistentVolume* VolumeOf(const storage::v1::VolumeAttachment& attachment) const;
  void CheckAttached(const std::string& uid, const storage::v1::VolumeAttachment& attachment);
  void CheckDetached(const storage::v1::VolumeAttachment& attachment);
  void CheckNode(const core::v1::Node& node, const std::string& volume, const std::string& name);
  /// Whether nobody has wanted anything of a claim at a node for as long as a node is waited for.
  bool IsOverdue(const std::string& node, const core::v1::PersistentVolume& volume) const;

  /// A node, and the namespace and name of a claim.
  using Place = std::tuple<std::string, std::string, std::string>;

  std::vector<std::string>& violations_;
  const Clock& clock_;
  // By uid, but for nodes.
  std::map<std::string, core::v1::Pod> pods_;
  std::map<std::string, core::v1::Node> nodes_;
  std::map<std::string, core::v1::PersistentVolume> volumes_;
  std::map<std::string, storage::v1::VolumeAttachment> attachments_;
  std::map<Place, SteadyTime> left_;  ///< when the last pod did
};

}  // namespace flyball::faults
