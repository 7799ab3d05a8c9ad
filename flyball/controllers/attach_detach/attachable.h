#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/storage/v1.h"
#include "flyball/api/views.h"

/// Volumes as attaching knows them: what a node's status calls them, who attaches them, and whether
/// to one node at a time.
namespace flyball::controllers::attach_detach {

using core::v1::PersistentVolume;
using storage::v1::VolumeAttachment;

struct Attachable {
  /// "kubernetes.io/csi/driver^handle", the same for all who mean the same disk.
  std::string name;
  std::string title;   ///< what messages call it
  std::string plugin;  ///< in metrics: "kubernetes.io/csi:driver"
  /// Whose matter it is to attach it, and what they call it. Empty: nobody has to do anything, a
  /// node that is told that it is attached does the rest.
  std::string driver = {};
  std::string handle = {};
  bool exclusive = false;              ///< to one node at a time
  bool migrated = false;               ///< of a driver that another has taken over from
  std::string persistent_volume = {};  ///< empty: a pod describes it
  api::Box<core::v1::PersistentVolumeSpec> described = {};  ///< by a pod

  bool HasDriver() const { return !driver.empty(); }
  friend bool operator==(const Attachable&, const Attachable&) = default;
};

/// None if it is not attached by anybody. Whether its driver is one that attaches is not asked
/// here.
///
/// DIVERGES: volumes of FlexVolume are none. Upstream's manager runs what it finds in a folder of
/// its own machine to attach them, with all of its rights; the feature is deprecated since v1.23.
std::optional<Attachable> AttachableOf(const PersistentVolume& volume);
/// Of what a pod itself describes.
std::optional<Attachable> AttachableOf(const views::Pod& pod, const views::Pod::Volume& volume);
/// What can be told of one by what a node's status calls it. None if it is somebody else's.
std::optional<Attachable> AttachableNamed(std::string_view name);
/// The name of what a VolumeAttachment itself describes; empty if it does not.
std::string NameDescribedBy(const VolumeAttachment& attachment);

/// The plugin that metrics count a pod's volume under, though it may not have to be attached; empty
/// if none that ever attaches has to do with it.
std::string PluginOf(const views::Pod::Volume& volume);

/// How many volumes, by plugin.
using PluginCounts = std::map<std::string, int>;

/// Whether a pod may have volumes that have to be attached.
bool MayNeedAttaching(const views::Pod& pod);

/// What the VolumeAttachment of a volume on a node is called.
std::string AttachmentName(const Attachable& volume, std::string_view node);
/// As it is to be made.
VolumeAttachment AttachmentOf(const Attachable& volume, const std::string& node);

}  // namespace flyball::controllers::attach_detach
