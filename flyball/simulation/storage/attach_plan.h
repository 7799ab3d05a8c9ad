#pragma once

#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/storage/v1.h"
#include "flyball/base/clock.h"
#include "flyball/base/result.h"

/// What an external attacher decides.
namespace flyball::simulation {

/// On an attachment that it works on, and on the volume of one: "external-attacher/" and the
/// driver's name in letters, digits and dashes.
std::string AttacherFinalizer(std::string_view driver);
/// On an attachment: what the driver calls the node, in case the node is gone when it is detached.
inline constexpr std::string_view kNodeId = "csi.alpha.kubernetes.io/node-id";

/// What a driver calls a node; an error if it is not there. Null: the node has no CSINode.
Result<std::string> NodeIdOf(const storage::v1::CSINode* node, const std::string& node_name,
                             std::string_view driver);

/// Why a volume cannot be attached, as it stands; null: there is no such volume.
Result<> MayBeAttached(const core::v1::PersistentVolume* volume, const std::string& name,
                       std::string_view driver);

/// An attachment as it says that the volume is there, or what went wrong.
storage::v1::VolumeAttachment Attached(const storage::v1::VolumeAttachment& attachment,
                                       std::string_view volume_handle);
storage::v1::VolumeAttachment FailedToAttach(const storage::v1::VolumeAttachment& attachment,
                                             std::string_view error, WallTime now);
storage::v1::VolumeAttachment FailedToDetach(const storage::v1::VolumeAttachment& attachment,
                                             std::string_view error, WallTime now);

}  // namespace flyball::simulation
