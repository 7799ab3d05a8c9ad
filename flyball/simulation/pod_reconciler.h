#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "flyball/api/object_key.h"
#include "flyball/cache/informer.h"
#include "flyball/runtime/reconcile_queue.h"
#include "flyball/simulation/node_registry.h"
#include "flyball/simulation/pod_lifecycle.h"
#include "flyball/simulation/pod_status.h"
#include "flyball/simulation/storage/pod_volumes.h"

namespace flyball::simulation {

/// Runs the pods of simulated nodes, as far as anybody can see: writes their statuses, and deletes
/// them when they are to go and have ended.
/// Reads Pods and Nodes; writes Pods/status, and deletes Pods.
///
/// One call for a pod at a time; of different pods, any thread.
class PodReconciler {
 public:
  struct Deps {
    NodeRegistry& registry;
    ClientOfNode client_of;
    cache::Lister<views::KubeletPod> pods;
    cache::Lister<views::KubeletNode> nodes;
    /// What is waited for before a pod is started; null: volumes are not looked at.
    std::shared_ptr<const PodVolumes> volumes = nullptr;
  };
  PodReconciler(Deps deps, Timings timings) : deps_(std::move(deps)), timings_(timings) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key);

  /// How many pods it knows.
  std::size_t size() const;

 private:
  /// What a node remembers of a pod.
  struct Memory {
    std::string uid;
    std::string node;
    PodRun run;
    ConditionTimes times;
    std::string address;         ///< from the node's pool
    bool holds_address = false;  ///< no longer once it is over, though it still shows it
    std::size_t written = 0;     ///< a hash of the status as written last; zero: none was
    std::string version = {};    ///< of the pod with that status
    std::optional<WallTime> next = std::nullopt;  ///< when something will happen to it
  };

  Memory& MemoryOf(const api::ObjectKey& key, const views::KubeletPod& pod,
                   const views::KubeletNode* node, WallTime now);
  void Forget(const api::ObjectKey& key);
  void ReleaseAddress(Memory& memory);
  void SeeToVolumes(runtime::Context& context, const views::KubeletPod& pod,
                    const views::KubeletNode* node, Memory& memory) const;
  PodScript ReadScript(const runtime::Context& context, const views::KubeletPod& pod) const;
  void SeeToAddress(const views::KubeletPod& pod, const views::KubeletNode* node, Memory& memory);
  Result<> WriteStatus(runtime::Context& context, const views::KubeletPod& pod,
                       const core::v1::PodStatus& status, Memory& memory);
  Result<> Delete(runtime::Context& context, const views::KubeletPod& pod);

  const Deps deps_;
  const Timings timings_;
  mutable Mutex mutex_;
  /// An entry is for who reconciles its pod.
  std::unordered_map<api::ObjectKey, Memory> memories_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::simulation
