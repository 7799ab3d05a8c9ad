#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/informer.h"
#include "flyball/runtime/context.h"
#include "flyball/simulation/storage/volume_needs.h"

namespace flyball::simulation {

/// The scheduler's part in volumes: what pods need of nodes on account of their claims, which
/// volumes and nodes are promised to whom, and what is written before a pod is bound.
/// Reads PersistentVolumeClaims, PersistentVolumes and StorageClasses; writes the node that was
/// chosen on claims, and the claim that was chosen on volumes.
///
/// Any thread.
class SchedulerVolumes {
 public:
  struct Deps {
    cache::Lister<core::v1::PersistentVolumeClaim> claims;
    cache::Lister<core::v1::PersistentVolume> volumes;
    cache::Lister<storage::v1::StorageClass> classes;
  };
  explicit SchedulerVolumes(Deps deps) : deps_(std::move(deps)) {}

  /// Null: the pod has no claims.
  std::shared_ptr<const VolumeNeeds> NeedsOf(const views::KubeletPod& pod) const;

  /// From here on others do not get what a pod was promised, though nobody sees it yet.
  void Promise(const api::ObjectKey& pod, const VolumeChoice& choice, const std::string& node);
  /// It has it, or will not get it.
  void Settle(const api::ObjectKey& pod);

  /// Writes what was chosen, once.
  Result<> Write(runtime::Context& context, const VolumeChoice& choice,
                 const std::string& node) const;
  /// Whether all claims are bound by now. An error: they will not be, and another node has to be
  /// found.
  Result<bool> AreBound(const VolumeChoice& choice, const std::string& node) const;

 private:
  /// What a pod was promised until others can see it.
  struct Promised {
    std::string node;
    std::vector<std::string> volumes;
    std::vector<api::ObjectKey> claims;  ///< for which volumes are to be made
  };

  void Add(const ClaimRef& claim, VolumeNeeds& needs) const;
  std::vector<VolumeRef> CandidatesFor(const core::v1::PersistentVolumeClaim& claim) const;
  std::string NodePromised(const api::ObjectKey& claim) const;
  bool IsPromised(const std::string& volume) const;

  const Deps deps_;
  mutable Mutex mutex_;
  std::unordered_map<api::ObjectKey, Promised> promised_ FLYBALL_GUARDED_BY(mutex_);  // by pod
};

}  // namespace flyball::simulation
