#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/label_selector.h"
#include "flyball/api/policy/v1.h"
#include "flyball/base/clock.h"
#include "tests/faults/attach_invariants.h"
#include "tests/faults/chronicle.h"
#include "tests/faults/daemon_invariants.h"
#include "tests/faults/endpoint_invariants.h"
#include "tests/faults/job_invariants.h"
#include "tests/faults/node_invariants.h"
#include "tests/faults/ordinal_invariants.h"
#include "tests/faults/range_invariants.h"
#include "tests/faults/slice_invariants.h"
#include "tests/faults/storage_invariants.h"
#include "tests/parity/world.h"

namespace flyball::faults {

/// What must hold at every revision, whatever goes wrong:
///
///   - nobody makes more pods than their owner asks for, nor do the ReplicaSets of a deployment
///     together come to ask for more than it has room for with maxSurge;
///   - no pod is deleted that its owner asks for, and no available one of those that maxUnavailable
///     says are to stay;
///   - what DaemonInvariants says of daemons;
///   - no healthy pod is evicted of those that a disruption budget says are to stay;
///   - in the end nothing is left of owners that are gone;
///   - what OrdinalInvariants say of StatefulSets;
///   - what JobInvariants says of jobs;
///   - what NodeInvariants says of nodes, and of pods that they drive out;
///   - what RangeInvariants says of the ranges of nodes;
///   - what StorageInvariants says of claims and volumes;
///   - what AttachInvariants says of volumes and the nodes that they are attached to;
///   - what EndpointInvariants says of Endpoints and their mirrors;
///   - what SliceInvariants says of the slices of services.
///
/// A manager cannot know better than its caches, so an owner is taken to ask for anything that it
/// has asked for since the last checkpoint, when all was quiet. What people do themselves, and what
/// goes with its owner or its namespace, is their own matter.
///
/// For one task at a time.
class Invariants {
 public:
  explicit Invariants(Clock& clock) : clock_(clock) {}

  void Tell(const Happening& happening);
  /// People delete a pod: that is their own matter.
  void PeopleDelete(const api::ObjectKey& pod) {
    peoples_.insert(pod);
    of_ordinals_.PeopleDelete(pod);
  }
  void Checkpoint();
  /// Nothing changes any more.
  void Finish(const parity::World& world);

  /// What did not hold, for people.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  /// The least and the most that has been asked for of late.
  struct Range {
    std::int64_t now = 0;
    std::int64_t least = 0;
    std::int64_t most = 0;

    explicit Range(std::int64_t value = 0) : now(value), least(value), most(value) {}
    void Set(std::int64_t value);
    void Forget() { least = most = now; }
  };
  /// A ReplicaSet or a ReplicationController.
  struct Set {
    std::string name;
    std::string deployment;  ///< its uid, if it has one
    Range replicas;
    std::int64_t min_ready_seconds = 0;
    bool goes = false;
  };
  struct Deployment {
    std::string name;
    Range replicas;
    Range most;       ///< pods
    Range available;  ///< pods that are to be, once they were
    bool goes = false;
  };
  struct Pod {
    api::ObjectKey key;
    std::string set;  ///< the uid of its controller
    api::Map<std::string> labels = {};
    bool active = false;
    bool evicted = false;           ///< at somebody's request, which no budget was against
    std::optional<WallTime> ready;  ///< since when
  };
  struct Budget {
    api::ObjectKey key;
    api::Selector selector = api::Selector::Nothing();
    policy::v1::PodDisruptionBudgetSpec spec = {};

    bool Covers(const Pod& pod) const {
      return pod.key.namespace_ == key.namespace_ && selector.Matches(pod.labels);
    }
  };

  template <typename T>
  static std::optional<T> As(const sandbox::RecordPtr& record);

  void TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod);
  template <typename T>
  void TellOfSet(const std::string& uid, const std::optional<T>& set);
  void TellOfDeployment(const std::string& uid, const std::optional<apps::v1::Deployment>& told);
  void TellOfBudget(const std::string& uid,
                    const std::optional<policy::v1::PodDisruptionBudget>& told);
  /// A service or its Endpoints.
  void TellOfNetwork(const Happening& happening);
  void TellOfNamespace(const std::string& name, const std::optional<core::v1::Namespace>& space);
  static Pod FactsOf(const core::v1::Pod& pod);

  void JudgeGrowth(const Set& set);
  void JudgeCreation(const Pod& pod);
  void JudgeDeletion(const Pod& pod);
  void JudgeEviction(const Pod& pod);
  /// How many of its pods a budget wants to be healthy at least.
  std::int64_t HealthyFor(const Budget& budget) const;
  /// How many pods those who control a budget's pods ask for.
  std::int64_t ReplicasFor(const Budget& budget) const;
  /// Of one owner, or of all of a deployment.
  std::int64_t ActivePodsOf(const std::string& set) const;
  std::int64_t ReplicasOfDeployment(const std::string& deployment) const;
  std::int64_t AvailablePodsOfDeployment(const std::string& deployment) const;
  bool IsAvailable(const Pod& pod) const;

  Clock& clock_;
  OrdinalInvariants of_ordinals_;
  std::set<api::ObjectKey> peoples_;
  std::map<std::string, Pod> pods_;  // these by uid
  std::map<std::string, Set> sets_;
  std::map<std::string, Deployment> deployments_;
  std::map<std::string, Budget> budgets_;
  std::set<std::string> ending_namespaces_;
  std::vector<std::string> violations_;
  DaemonInvariants daemons_{clock_, violations_};
  SliceInvariants slices_{violations_};
  JobInvariants jobs_{violations_};
  RangeInvariants ranges_{violations_};
  StorageInvariants storage_{violations_};
  AttachInvariants attach_{violations_, clock_};
  NodeInvariants nodes_{violations_};
  EndpointInvariants endpoints_{violations_};
};

}  // namespace flyball::faults
