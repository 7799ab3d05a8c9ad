#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/object_key.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/attach_detach/attachable.h"
#include "flyball/controllers/attach_detach/memory.h"
#include "flyball/controllers/common/planned_event.h"

/// What is to become of the volumes of one node.
namespace flyball::controllers::attach_detach {

/// Another node that has a volume, or may have it.
struct Elsewhere {
  std::string node;
  bool attached = false;                  ///< and not just about to be, or about to be no more
  bool in_use = false;                    ///< the node says that it uses it
  std::vector<api::ObjectKey> pods = {};  ///< that want it there

  friend bool operator==(const Elsewhere&, const Elsewhere&) = default;
};

/// A volume on the node, and all that is known of it there.
struct VolumeFacts {
  Attachable volume;
  /// Those that want it there and have not ended, in the order of their names. Empty where nobody
  /// is to attach anything.
  std::vector<cache::Ref<views::Pod>> pods = {};
  /// A pod that has not ended may use it, though nothing is to be attached for it: what is attached
  /// stays.
  bool kept = false;
  cache::Ref<VolumeAttachment> attachment = nullptr;
  bool reported = false;  ///< the node's status says that it is attached
  /// The node may have it, whatever its status says, and whether there is a Node object: only of
  /// volumes that have no VolumeAttachment.
  bool held = false;
  bool in_use = false;  ///< the node says that it uses it
  /// The node's object before this one said so, and this one has not told what became of it.
  bool was_in_use = false;
  /// Where it may be besides; asked for only where that matters.
  std::vector<Elsewhere> elsewhere = {};
  /// Somebody is about to attach it to another node, and the caches do not show yet how that went.
  bool contended = false;
};

struct NodeFacts {
  std::string name;
  cache::Ref<views::Node> node = nullptr;  ///< null: it is gone
  /// All of its pods, as they were known when the rest was found out.
  std::vector<cache::Ref<views::Pod>> pods = {};
  std::vector<VolumeFacts> volumes = {};  ///< in the order of their names
};

/// What a person may set.
struct Rules {
  /// Whether a node's status is held against what VolumeAttachments say of the same volumes.
  bool compare = true;
  /// Whether volumes are taken from a node that is not well and has not let go of them in time.
  bool force = true;
};

/// How long a node has to let go of a volume before it is taken from one that is not well.
inline constexpr std::chrono::nanoseconds kUnmountTime = std::chrono::minutes(6);

struct Detachment {
  enum class Force : std::uint8_t { kNone, kTimeout, kOutOfService };

  std::string volume;
  cache::Ref<VolumeAttachment> attachment;
  /// Why it goes, though the node may still use it.
  Force force = Force::kNone;
};

struct PodEvent {
  cache::Ref<views::Pod> pod;
  common::PlannedEvent event;
};

/// An operation that has ended, for the metrics.
struct Ended {
  std::string plugin;
  VolumeMemory::Operation operation = VolumeMemory::Operation::kNone;
  bool failed = false;
  bool migrated = false;
  std::chrono::nanoseconds took = {};

  friend bool operator==(const Ended&, const Ended&) = default;
};

/// In this order: what is missing, what is reported, what is detached, what is attached, what is
/// told.
struct Plan {
  /// VolumeAttachments that the cache does not have, and without which what a node says is not
  /// believed. Whether the server has none, either, is asked before anything else.
  std::vector<std::string> missing = {};
  /// What the node's status is to say of volumes: all of it, as a patch. Nothing if it says so.
  std::optional<api::Json> report = {};
  std::vector<Detachment> detach = {};
  std::vector<Attachable> attach = {};
  /// The exclusive ones that begin to be this node's.
  std::vector<std::string> begun = {};
  /// What the node holds from before it is told so, and what it holds no more once it is told so.
  std::vector<std::string> hold = {};
  std::vector<std::string> release = {};
  std::vector<PodEvent> events = {};
  std::vector<Ended> ended = {};
  NodeMemory memory = {};  ///< from now on
  /// When to look again, though nothing has changed.
  std::optional<std::chrono::nanoseconds> again = {};

  std::string ToString() const;
};

Plan PlanFor(const NodeFacts& facts, const NodeMemory& memory, const Rules& rules, SteadyTime now);

/// Whether what was planned may still be done, by the server's word on the node.
bool MayDetach(const Detachment& planned, const core::v1::Node& live);

/// Another failure, and when to try again.
std::chrono::nanoseconds Failed(VolumeMemory& memory, SteadyTime now);
/// What pods are told of it.
common::PlannedEvent AttachFailed(const Attachable& volume, const std::string& why);

/// Whether attaching to a node is this controller's matter.
bool IsManaged(const views::Node& node);
/// Whether a change of a node may change what is to become of its volumes.
bool SameToVolumes(const views::Node& before, const views::Node& now);
/// Whether a change of a VolumeAttachment changes nothing for its node.
bool SameToNode(const VolumeAttachment& before, const VolumeAttachment& now);

}  // namespace flyball::controllers::attach_detach
