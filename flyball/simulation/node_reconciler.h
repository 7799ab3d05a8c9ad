#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "flyball/api/coordination/v1.h"
#include "flyball/cache/informer.h"
#include "flyball/runtime/reconcile_queue.h"
#include "flyball/simulation/node_registry.h"
#include "flyball/simulation/storage/node_storage.h"

namespace flyball::simulation {

/// How often nodes say that they are there. Kubelet's defaults.
struct Heartbeats {
  std::chrono::nanoseconds lease = std::chrono::seconds(10);
  std::chrono::nanoseconds status = std::chrono::minutes(5);
  /// Takes the not-ready taint off new nodes. For clusters in which nobody else does.
  bool clear_not_ready_taint = false;
};

/// Whether nothing is heard of a node.
bool IsSilent(const NodeRegistry& registry, std::string_view name, const views::KubeletNode* node);

/// Has the nodes of a registry register themselves, renew their leases, and say how they are.
/// Reads Nodes; writes Nodes, Nodes/status, and Leases in kube-node-lease.
///
/// One call for a node at a time; of different nodes, any thread.
class NodeReconciler {
 public:
  struct Deps {
    NodeRegistry& registry;
    ClientOfNode client_of;
    cache::Lister<views::KubeletNode> nodes;
    Clock& clock;
    /// Called when a node is heard of again, by whose pods much may have happened.
    std::function<void(const std::string& node)> returned;
    /// What nodes say of drivers and volumes; null: nothing.
    std::shared_ptr<NodeStorage> storage = nullptr;
  };
  NodeReconciler(Deps deps, Heartbeats heartbeats)
      : deps_(std::move(deps)), heartbeats_(heartbeats) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const std::string& name);

 private:
  /// What a node remembers of what it said.
  struct Memory {
    bool registered = false;
    bool silent = false;
    std::optional<SteadyTime> leased;
    std::optional<SteadyTime> report_due;
    std::string lease_version;
  };

  Memory& MemoryOf(const std::string& name);
  /// When a node that has changed says again how it is.
  SteadyTime ReportAfterChange(const std::string& name) const;
  Result<> Register(runtime::Context& context, const std::string& name,
                    const NodeRegistry::Facts& facts);
  Result<> Report(runtime::Context& context, const std::string& name,
                  const views::KubeletNode& node);
  Result<> ClearTaint(runtime::Context& context, const std::string& name,
                      const views::KubeletNode& node);
  Result<> RenewLease(const std::string& name, const views::KubeletNode& node, WallTime now,
                      Memory& memory);

  const Deps deps_;
  const Heartbeats heartbeats_;
  Mutex mutex_;
  /// An entry is for who reconciles its node.
  std::unordered_map<std::string, Memory> memories_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::simulation
