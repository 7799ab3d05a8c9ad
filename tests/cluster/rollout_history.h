#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flyball/base/mutex.h"
#include "tests/cluster/etcd_history.h"
#include "tests/cluster/rollout_invariants.h"

namespace flyball::cluster {

/// Holds all that happens in one namespace, from the start of this on, against what managers
/// promise of rollouts. One thread.
class RolloutHistory {
 public:
  static Result<std::unique_ptr<RolloutHistory>> Follow(const RealControlPlane& plane,
                                                        Executor& executor,
                                                        transport::Network& network,
                                                        const std::string& space);

  /// What has been wrong up to now. An error if it is not known.
  Result<std::vector<std::string>> Broken();
  /// What is wrong if everything is at rest.
  Result<std::vector<std::string>> WrongAtRest();
  std::string Describe();

 private:
  RolloutHistory() = default;
  void Tell(const EtcdHistory::Change& change);
  template <typename T>
  void TellAs(const EtcdHistory::Change& change) FLYBALL_REQUIRES(mutex_);

  Mutex mutex_;
  RolloutInvariants invariants_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::string> unread_ FLYBALL_GUARDED_BY(mutex_);  // objects that make no sense
  std::unique_ptr<EtcdHistory> history_;                        // ends first
};

}  // namespace flyball::cluster
