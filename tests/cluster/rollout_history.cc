#include "tests/cluster/rollout_history.h"

#include <chrono>
#include <utility>

#include "flyball/client/object_codec.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 30s;
constexpr std::string_view kDeployments = "/registry/deployments/";
constexpr std::string_view kReplicaSets = "/registry/replicasets/";
constexpr std::string_view kPods = "/registry/pods/";

}  // namespace

Result<std::unique_ptr<RolloutHistory>> RolloutHistory::Follow(const RealControlPlane& plane,
                                                               Executor& executor,
                                                               transport::Network& network,
                                                               const std::string& space) {
  std::unique_ptr<RolloutHistory> made(new RolloutHistory());
  const auto wanted = [space](std::string_view key) {
    for (const std::string_view folder : {kDeployments, kReplicaSets, kPods}) {
      if (key.starts_with(folder)) return key.substr(folder.size()).starts_with(space + "/");
    }
    return false;
  };
  FLYBALL_TRY(made->history_,
              EtcdHistory::Follow(
                  plane, executor, network, wanted,
                  [self = made.get()](const EtcdHistory::Change& change) { self->Tell(change); }));
  return made;
}

void RolloutHistory::Tell(const EtcdHistory::Change& change) {
  MutexLock lock(mutex_);
  if (change.key.starts_with(kDeployments)) return TellAs<apps::v1::Deployment>(change);
  if (change.key.starts_with(kReplicaSets)) return TellAs<apps::v1::ReplicaSet>(change);
  TellAs<core::v1::Pod>(change);
}

template <typename T>
void RolloutHistory::TellAs(const EtcdHistory::Change& change) {
  if (change.value.empty()) {
    return invariants_.See(change.key, change.revision, static_cast<const T*>(nullptr));
  }
  const auto object = client::DecodeBody<T>(change.value);
  if (!object) return unread_.push_back(change.key + ": " + object.error().Describe());
  invariants_.See(change.key, change.revision, &*object);
}

Result<std::vector<std::string>> RolloutHistory::Broken() {
  FLYBALL_TRY(history_->CatchUp(kPatience));
  MutexLock lock(mutex_);
  std::vector<std::string> all = invariants_.broken();
  all.insert(all.end(), unread_.begin(), unread_.end());
  return all;
}

Result<std::vector<std::string>> RolloutHistory::WrongAtRest() {
  FLYBALL_TRY(history_->CatchUp(kPatience));
  MutexLock lock(mutex_);
  return invariants_.WrongAtRest();
}

std::string RolloutHistory::Describe() {
  MutexLock lock(mutex_);
  return invariants_.Describe();
}

}  // namespace flyball::cluster
