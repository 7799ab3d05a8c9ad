#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/cluster/namespace_history.h"
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

  RolloutInvariants invariants_;               // while the history is still
  std::unique_ptr<NamespaceHistory> history_;  // ends first
};

}  // namespace flyball::cluster
