#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "flyball/cache/informer.h"
#include "flyball/runtime/controller.h"
#include "flyball/simulation/node_reconciler.h"
#include "flyball/simulation/node_registry.h"
#include "flyball/simulation/pod_script.h"
#include "flyball/simulation/storage/node_storage.h"

/// Nodes without machines: what kubelets would have written, they write. A thousand of them take no
/// more threads than one.
///
///   pod_script.h       what is to become of a pod: timings, and its annotations
///   pod_lifecycle.h    decides how far it is by now, and when that changes
///   pod_status.h       what kubelet would say of that
///   node_description.h what kubelet says of its node
///   pod_reconciler.h, node_reconciler.h   do
///   storage/           volumes, where they are simulated too
namespace flyball::simulation {

/// Simulates nodes on any API server.
///
///   SimulatedNodes nodes({.harness = deps}, {});
///   for (int i = 0; i < 1000; ++i) nodes.Add("node-" + std::to_string(i));
///   informers.Start(); informers.WaitForSync({});
///   nodes.Start();
///
/// Any thread, but for the constructor and the destructor.
class SimulatedNodes {
 public:
  struct Deps {
    runtime::Controller::Deps harness;
    /// As whom each node writes. Null: as `harness.client`.
    ClientOfNode client_of = nullptr;
  };
  struct Options {
    Timings timings = {};
    Heartbeats heartbeats = {};
    // Requests at a time, of all nodes together.
    std::size_t pod_writers = 16;
    std::size_t node_writers = 8;
    /// What nodes do about the volumes of pods. Nothing: a pod's claims are not looked at.
    std::optional<NodeVolumes> volumes = std::nullopt;
  };

  SimulatedNodes(const Deps& deps, const Options& options);
  SimulatedNodes(const SimulatedNodes&) = delete;
  SimulatedNodes& operator=(const SimulatedNodes&) = delete;

  /// A node that registers itself, or takes over one of that name, at the start or from now on.
  void Add(const std::string& name, const NodeShape& shape = {});

  /// The node is not heard of any more; its pods go on unseen. Or it is back.
  void SetSilent(const std::string& name, bool silent);

  /// When the caches have what there is.
  void Start();
  /// False if something is still under way at the deadline.
  [[nodiscard]] bool Stop(SteadyTime deadline);

 private:
  using Claim = core::v1::PersistentVolumeClaim;
  using Volume = core::v1::PersistentVolume;

  void LookAtPods(const std::string& node);
  void AddHandlers();
  /// Something about a claim may let its pods start, or change what their nodes have in use.
  void LookAtPodsOf(const api::ObjectKey& claim);
  std::shared_ptr<const PodVolumes> ReadVolumes();
  void AddExpander(const Deps& deps, const NodeVolumes& options);
  void AddVolumeHandlers(cache::InformerFactory& informers);

  NodeRegistry registry_;
  const cache::Informer<views::KubeletPod> pods_;
  const cache::Informer<views::KubeletNode> nodes_;
  runtime::ReconcileQueue<std::string>* node_queue_ = nullptr;
  runtime::ReconcileQueue<api::ObjectKey>* pod_queue_ = nullptr;
  runtime::ReconcileQueue<api::ObjectKey>* claim_queue_ = nullptr;  // null: no volumes
  runtime::Controller controller_;                                  // ends before what it uses
};

}  // namespace flyball::simulation
