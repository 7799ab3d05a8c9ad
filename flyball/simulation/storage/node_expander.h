#pragma once

#include <memory>

#include "flyball/simulation/storage/node_storage.h"
#include "flyball/simulation/storage/step_log.h"

namespace flyball::simulation {

/// Has file systems grow whose volumes have grown, on simulated nodes where pods use them: says in
/// the claim's status that all of it is done, as kubelet does.
/// Reads PersistentVolumeClaims, PersistentVolumes and Pods; writes PersistentVolumeClaims/status.
///
/// One call for a claim at a time; of different claims, any thread.
class NodeExpander {
 public:
  struct Deps {
    const NodeRegistry& registry;
    ClientOfNode client_of;
    cache::Lister<core::v1::PersistentVolumeClaim> claims;
    cache::Lister<core::v1::PersistentVolume> volumes;
    cache::Lister<views::KubeletPod> pods;
    cache::Lister<views::KubeletNode> nodes;
  };
  NodeExpander(Deps deps, NodeVolumes options)
      : deps_(std::move(deps)), options_(std::move(options)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key);

 private:
  /// A simulated node on which a pod runs that uses the claim; empty: there is none.
  std::string NodeOf(const api::ObjectKey& claim) const;

  const Deps deps_;
  const NodeVolumes options_;
  StepLog steps_;
};

}  // namespace flyball::simulation
