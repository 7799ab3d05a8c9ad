#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flyball/api/storage/v1.h"
#include "flyball/base/mutex.h"
#include "flyball/runtime/reconcile_queue.h"
#include "flyball/simulation/node_registry.h"
#include "flyball/simulation/storage/pod_volumes.h"

namespace flyball::simulation {

/// What simulated nodes do about volumes.
struct NodeVolumes {
  std::string driver;  ///< that each of them has
  /// From when the last pod that had a volume is over until the volume is no longer in use.
  std::chrono::nanoseconds unmount = {};
  /// How long it takes a file system to grow.
  std::chrono::nanoseconds expand = std::chrono::milliseconds(200);
};

/// The CSINode of a node that has a driver. Its topology is that of the labels which it has.
storage::v1::CSINode DescribeCsiNode(const views::KubeletNode& node, const std::string& driver);

/// Says for nodes which driver they have, and which volumes are in use on them.
/// Reads Pods and what PodVolumes reads; writes CSINodes, and volumesInUse of Nodes/status.
///
/// One call for a node at a time; of different nodes, any thread.
class NodeStorage {
 public:
  struct Deps {
    ClientOfNode client_of;
    std::function<std::vector<cache::Ref<views::KubeletPod>>(std::string_view node)> pods_of;
    std::shared_ptr<const PodVolumes> volumes;
    Clock& clock;
  };
  NodeStorage(Deps deps, NodeVolumes options)
      : deps_(std::move(deps)), options_(std::move(options)) {}

  /// Returns when there is something to be said again; nothing: when something changes.
  Result<std::optional<SteadyTime>> SeeTo(runtime::Context& context, const std::string& name,
                                          const views::KubeletNode& node);

 private:
  struct Memory {
    bool published = false;
    /// Volumes that no pod has any more, and until when they are still in use.
    std::unordered_map<std::string, SteadyTime> unmounting;
  };
  Memory& MemoryOf(const std::string& name);
  Result<> Publish(const std::string& name, const views::KubeletNode& node) const;
  /// By the pods that are there, and by those that have just ended.
  std::vector<std::string> InUse(const views::KubeletNode& node, Memory& memory) const;

  const Deps deps_;
  const NodeVolumes options_;
  Mutex mutex_;
  /// An entry is for who reconciles its node.
  std::unordered_map<std::string, Memory> memories_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::simulation
