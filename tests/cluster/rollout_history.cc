#include "tests/cluster/rollout_history.h"

#include <utility>

namespace flyball::cluster {

Result<std::unique_ptr<RolloutHistory>> RolloutHistory::Follow(const RealControlPlane& plane,
                                                               Executor& executor,
                                                               transport::Network& network,
                                                               const std::string& space) {
  std::unique_ptr<RolloutHistory> made(new RolloutHistory());
  const auto see = [&invariants = made->invariants_](const auto& seen) {
    invariants.See(seen.key, seen.revision, seen.now);
  };
  using History = NamespaceHistory;
  FLYBALL_TRY(made->history_,
              History::Follow(plane, executor, network, space,
                              {History::Each<apps::v1::Deployment>("/registry/deployments/", see),
                               History::Each<apps::v1::ReplicaSet>("/registry/replicasets/", see),
                               History::Each<core::v1::Pod>("/registry/pods/", see)}));
  return made;
}

Result<std::vector<std::string>> RolloutHistory::Broken() {
  FLYBALL_TRY(history_->CatchUp());
  return history_->WhileStill([this] { return invariants_.broken(); });
}

Result<std::vector<std::string>> RolloutHistory::WrongAtRest() {
  FLYBALL_TRY(history_->CatchUp());
  return history_->WhileStill([this] { return invariants_.WrongAtRest(); });
}

std::string RolloutHistory::Describe() {
  return history_->WhileStill([this] { return invariants_.Describe(); });
}

}  // namespace flyball::cluster
