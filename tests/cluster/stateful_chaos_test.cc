// StatefulSets on a real API server while everything around them breaks and people go on changing
// them: they scale, give new images, move partitions, delete pods, change what happens to claims,
// and replace a set under its pods. Each revision that etcd ever had is held against what managers
// promise: one pod of an ordinal at a time, in order, and no claim deleted that is to be kept.
//
// FLYBALL_CHAOS_OPERATIONS sets how many things people do, FLYBALL_CHAOS_SEED in which order.

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/chaos.h"
#include "tests/cluster/namespace_history.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/faults/ordinal_invariants.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using apps::v1::StatefulSet;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using testing::IsEmpty;

constexpr int kSets = 4;

std::string NameOf(int number) { return "db-" + std::string(1, static_cast<char>('a' + number)); }

/// That of a pod or of a claim.
int OrdinalOf(const std::string& name) { return std::stoi(name.substr(name.rfind('-') + 1)); }

class StatefulChaosTest : public OperationChaos {
 protected:
  StatefulChaosTest() : OperationChaos(50) {}

  void SetUp() override {
    BinaryTest::SetUp();
    Must(simulated_.Start());
    using History = NamespaceHistory;
    auto history = History::Follow(
        real_plane(), executor(), network(), space_,
        {History::Each<StatefulSet>("/registry/statefulsets/",
                                    [this](const auto& seen) {
                                      ++changes_;
                                      invariants_.TellOfSet(seen.uid(), seen.copy());
                                    }),
         History::Each<Pod>("/registry/pods/",
                            [this](const auto& seen) {
                              ++changes_;
                              pods_seen_ += seen.before == nullptr ? 1 : 0;
                              invariants_.TellOfPod(seen.uid(), seen.copy());
                            }),
         History::Each<PersistentVolumeClaim>(
             "/registry/persistentvolumeclaims/", [this](const auto& seen) {
               ++changes_;
               claims_gone_ += seen.now == nullptr ? 1 : 0;
               if (seen.now != nullptr && !seen.now->metadata.deletionTimestamp) return;
               invariants_.TellOfGoingClaim(seen.either());
             })});
    ASSERT_TRUE(history) << history.error().Describe();
    history_ = *std::move(history);
  }

  StatefulSet Describe(int number) {
    StatefulSet set;
    set.metadata.namespace_ = space_;
    set.metadata.name = NameOf(number);
    set.spec.replicas = 3;
    set.spec.serviceName = "db";
    set.spec.podManagementPolicy = number % 2 == 0 ? "OrderedReady" : "Parallel";
    set.spec.selector.emplace().matchLabels = {{"app", NameOf(number)}};
    set.spec.template_.metadata.labels = {{"app", NameOf(number)}};
    auto& container = set.spec.template_.spec.containers.emplace_back();
    container.name = "main";
    container.image = "app:0";
    if (number == 2) set.spec.ordinals.emplace().start = 3;
    if (number == 3) {
      set.spec.updateStrategy.rollingUpdate.emplace().maxUnavailable = api::IntOrString::Parse("2");
    }
    auto& policy = set.spec.persistentVolumeClaimRetentionPolicy.emplace();
    policy.whenScaled = number % 2 == 0 ? "Retain" : "Delete";
    policy.whenDeleted = number < 2 ? "Retain" : "Delete";
    auto& claim = set.spec.volumeClaimTemplates.emplace_back();
    claim.metadata.name = "data";
    claim.spec.accessModes = {"ReadWriteOnce"};
    claim.spec.resources.requests["storage"] = *api::Quantity::Parse("1Gi");
    return set;
  }

  // What people do.
  void Order() override {
    LetClaimsGo();
    Recreate();
    if (!MayOrder()) return;
    const int number = Below(kSets);
    switch (Below(8)) {
      case 0:
      case 1:
        return Change("scale", number, R"({"spec":{"replicas":)" + std::to_string(Below(6)) + "}}");
      case 2:
        return Change("image", number,
                      R"({"spec":{"template":{"spec":{"containers":[{"name":"main","image":"app:)" +
                          std::to_string(Below(4)) + R"("}]}}}})");
      case 3:
        return Change("partition", number,
                      R"({"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":)"
                      R"({"partition":)" +
                          std::to_string(Below(4)) + "}}}}");
      case 4:
        return Change("retention policy", number,
                      R"({"spec":{"persistentVolumeClaimRetentionPolicy":{"whenScaled":")" +
                          KeptOrNot() + R"(","whenDeleted":")" + KeptOrNot() + R"("}}})");
      case 5:
        return Change("update by hand", number,
                      R"({"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}})");
      case 6:
        return ReplaceSet(number);
      default:
        return DeletePod();
    }
  }
  std::string KeptOrNot() { return Below(2) == 0 ? "Retain" : "Delete"; }
  void Change(const char* what, int number, std::string text) {
    const auto patched = All<StatefulSet>().Patch({space_, NameOf(number)},
                                                  {client::PatchType::kStrategic, std::move(text)});
    if (patched) Done(what);
  }
  void DeletePod() {
    const auto pods = All<Pod>().ListIn(space_);
    if (!pods || pods->items.empty()) return;
    const Pod& pod =
        pods->items[static_cast<std::size_t>(Below(static_cast<int>(pods->items.size())))];
    if (pod.metadata.deletionTimestamp) return;
    const api::ObjectKey key = api::ObjectKey::Of(pod);
    history_->WhileStill([&] {
      invariants_.PeopleDelete(key);
      return true;
    });
    if (All<Pod>().Delete(key)) Done("pod deleted");
  }
  /// How people change what cannot be changed: away with the set and not with its pods, and another
  /// of that name, which takes them.
  void ReplaceSet(int number) {
    const auto now = All<StatefulSet>().Get({space_, NameOf(number)});
    if (!now || now->metadata.deletionTimestamp) return;
    meta::v1::DeleteOptions options;
    options.propagationPolicy = "Orphan";
    if (!All<StatefulSet>().Delete({space_, NameOf(number)}, options)) return;
    StatefulSet next = *now;
    next.metadata = Describe(number).metadata;
    next.status = {};
    next.spec.podManagementPolicy =
        next.spec.podManagementPolicy == "Parallel" ? "OrderedReady" : "Parallel";
    to_create_.insert_or_assign(number, std::move(next));
    Done("pod management");
  }
  void Recreate() {
    std::erase_if(to_create_, [this](const auto& one) {
      const auto made = All<StatefulSet>().Create(one.second);
      // While the old one is on its way.
      return made.has_value();
    });
  }

  /// What the controller does that protects claims, which we do not have: once nobody uses them.
  void LetClaimsGo() const {
    const auto claims = All<PersistentVolumeClaim>().ListIn(space_);
    if (!claims) return;
    for (const PersistentVolumeClaim& claim : claims->items) {
      if (!claim.metadata.deletionTimestamp || claim.metadata.finalizers.empty()) continue;
      const std::string pod = claim.metadata.name.substr(std::string("data-").size());
      const auto user = All<Pod>().Get({space_, pod});
      if (user || user.error().code() != ErrorCode::kNotFound) continue;
      (void)All<PersistentVolumeClaim>().Patch(
          {space_, claim.metadata.name},
          {client::PatchType::kMerge, R"({"metadata":{"finalizers":null}})"});
    }
  }

  /// Why a set is not as it was asked to be; empty: it is.
  static std::string Unrest(const StatefulSet& set, const std::vector<Pod>& pods) {
    const auto& status = set.status;
    const int wanted = set.spec.replicas.value_or(1);
    if (set.metadata.deletionTimestamp) return "goes";
    if (status.observedGeneration < set.metadata.generation) return "is not looked at";
    if (status.replicas != wanted || status.readyReplicas != wanted) {
      return "has " + std::to_string(status.readyReplicas) + " of " + std::to_string(wanted);
    }
    const auto& rolling = set.spec.updateStrategy.rollingUpdate;
    const bool by_hand = set.spec.updateStrategy.type == "OnDelete";
    const int start = set.spec.ordinals ? set.spec.ordinals->start : 0;
    const int partition = start + (rolling ? rolling->partition.value_or(0) : 0);
    int count = 0;
    for (const Pod& pod : pods) {
      if (!pod.metadata.name.starts_with(set.metadata.name + "-")) continue;
      ++count;
      const std::string& name = pod.metadata.name;
      if (pod.metadata.deletionTimestamp) return name + " goes";
      const std::string* const revision = pod.metadata.labels.find("controller-revision-hash");
      const bool is_latest = revision != nullptr && *revision == status.updateRevision;
      if (!by_hand && !is_latest && OrdinalOf(name) >= partition) return name + " is old";
    }
    return count == wanted ? "" : std::to_string(count) + " pods";
  }
  std::vector<std::string> Unsettled() const {
    const auto sets = Must(All<StatefulSet>().ListIn(space_)).items;
    const auto pods = Must(All<Pod>().ListIn(space_)).items;
    std::vector<std::string> all;
    if (std::ssize(sets) != kSets) all.emplace_back("a set is missing");
    for (const StatefulSet& set : sets) {
      const std::string unrest = Unrest(set, pods);
      if (!unrest.empty()) all.push_back(set.metadata.name + ": " + unrest);
    }
    return all;
  }
  /// Until all is as it was asked for: from there on, only that counts.
  void Settle() override {
    const int allowed = std::exchange(allowed_, 0);
    EXPECT_TRUE(Eventually(
        [&] {
          Must(breakage_.Revive());
          Order();
          return to_create_.empty() && Unsettled().empty();
        },
        180s));
    EXPECT_THAT(Unsettled(), IsEmpty());
    Must(history_->CatchUp());
    history_->WhileStill([&] {
      invariants_.Checkpoint();
      return true;
    });
    ++settled_;
    allowed_ = allowed;
  }

  std::map<int, StatefulSet> to_create_;
  SimulatedCluster simulated_{
      plane(),
      executor(),
      network(),
      {.nodes = 3, .timings = {.start = 100ms, .ready = 100ms, .stop = 200ms, .spread = 1}}};
  const std::string space_ = NewNamespace();

  // While the history is still.
  faults::OrdinalInvariants invariants_;
  int pods_seen_ = 0;
  int claims_gone_ = 0;
  std::int64_t changes_ = 0;

  std::unique_ptr<NamespaceHistory> history_;
};

TEST_F(StatefulChaosTest, WhateverBreaksPodsComeInOrderAndClaimsThatAreKeptStay) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  Must(breakage_.Revive());
  ASSERT_TRUE(Eventually([&] { return IsFurnished(space_); }, 60s));
  for (int i = 0; i < kSets; ++i) Must(All<StatefulSet>().Create(Describe(i)));
  BreakAndSettle(2);
  if (HasFatalFailure()) return;
  history_->WhileStill([&] {
    EXPECT_THAT(invariants_.violations(), IsEmpty());
    std::cout << Told() << pods_seen_ << " pods ever, " << claims_gone_ << " claims deleted; "
              << changes_ << " changes\n";
    return true;
  });
}

}  // namespace
}  // namespace flyball::cluster
