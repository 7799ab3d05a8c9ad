#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/controllers/volume_binder/annotations.h"

/// Which volume a claim gets. Volumes are found by what must be equal, their access modes and their
/// size, so that those which cannot match cost nothing, however many they are.
namespace flyball::controllers::volume_binder {

/// The values that a volume is found by: as one that anybody may have who fits, as one that is
/// meant for a claim, or as none. One that is free has several, of which the first say only that
/// there is any of its kind: a claim that none fits is soon done. Sizes go by powers of two.
std::vector<std::string> MatchKeysOf(const PersistentVolume& volume);

using VolumeRef = std::shared_ptr<const PersistentVolume>;
/// All volumes by these values.
struct VolumesByKey {
  std::function<bool(const std::string& key)> any;
  std::function<std::vector<VolumeRef>(const std::string& key)> all;
};

/// The volume for a claim: among those with no more access modes than need be one that is meant for
/// it, or else the smallest that fits; null if there is none. Of a claim that waits for its first
/// consumer (`delayed`) the scheduler chooses the volume, unless one is meant for it.
Result<VolumeRef> FindMatch(const PersistentVolumeClaim& claim, bool delayed,
                            const VolumesByKey& volumes);

/// Why a claim cannot have the volume that it names; none if it can.
std::optional<std::string> Misfit(const PersistentVolume& volume,
                                  const PersistentVolumeClaim& claim);

}  // namespace flyball::controllers::volume_binder
