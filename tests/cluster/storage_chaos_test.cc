// Storage on a real API server while everything around it breaks and people go on: they make claims
// of every sort, volumes to be kept and to be deleted, reserved from either side, and pods that use
// them; they delete any of these, have claims grow and volumes kept. Each revision that etcd ever
// had is held against what managers promise: one claim for a volume and one volume for a claim, no
// volume lost that is to be kept, no claim gone that a pod uses, no volume at two nodes. When all
// is quiet every claim is bound that can be, and every pod runs that has its volumes.
//
// FLYBALL_CHAOS_OPERATIONS sets how many things people do, FLYBALL_CHAOS_SEED in which order.

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/storage/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/chaos.h"
#include "tests/cluster/namespace_history.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/cluster/storage_rest.h"
#include "tests/faults/attach_invariants.h"
#include "tests/faults/storage_invariants.h"
#include "tests/faults/volume_loss_invariants.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using core::v1::Node;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using storage::v1::StorageClass;
using storage::v1::VolumeAttachment;
using testing::IsEmpty;

// Few enough that names are used again: what is left of one meets the next.
constexpr int kClaims = 10;
constexpr int kVolumes = 8;
constexpr int kPods = 6;

class StorageChaosTest : public OperationChaos {
 protected:
  StorageChaosTest() : OperationChaos(25) {}

  void SetUp() override {
    BinaryTest::SetUp();
    Follow();
    Must(simulated_.Start());
    // Beside `standard`, which waits for pods.
    for (const auto& [name, policy] : {std::pair("quick", "Delete"), std::pair("kept", "Retain")}) {
      StorageClass made = simulation::DescribeClass(name, simulation::kSimulatedDriver, false);
      made.volumeBindingMode = "Immediate";
      made.reclaimPolicy = policy;
      Must(All<StorageClass>().Create(made));
    }
  }
  void Follow() {
    using History = NamespaceHistory;
    auto history = History::Follow(
        real_plane(), executor(), network(), space_,
        {History::Each<Pod>("/registry/pods/",
                            [this](const auto& seen) {
                              ++changes_;
                              storage_.TellOfPod(seen.uid(), seen.copy());
                              attach_.TellOfPod(seen.uid(), seen.copy());
                            }),
         History::Each<PersistentVolumeClaim>("/registry/persistentvolumeclaims/",
                                              [this](const auto& seen) { TellOfClaim(seen); }),
         History::EachOfCluster<PersistentVolume>("/registry/persistentvolumes/",
                                                  [this](const auto& seen) { TellOfVolume(seen); }),
         History::EachOfCluster<Node>("/registry/minions/",
                                      [this](const auto& seen) {
                                        attach_.TellOfNode(seen.either().metadata.name,
                                                           seen.copy());
                                      }),
         History::EachOfCluster<VolumeAttachment>(
             "/registry/volumeattachments/", [this](const auto& seen) {
               ++changes_;
               attached_ += seen.before == nullptr ? 1 : 0;
               attach_.TellOfAttachment(seen.uid(), seen.copy());
             })});
    ASSERT_TRUE(history) << history.error().Describe();
    history_ = *std::move(history);
  }
  void TellOfClaim(const Seen<PersistentVolumeClaim>& seen) {
    ++changes_;
    const auto is_bound = [](const auto* claim) {
      return claim != nullptr && claim->status.phase == "Bound";
    };
    bound_ += is_bound(seen.now) && !is_bound(seen.before) ? 1 : 0;
    claims_gone_ += seen.now == nullptr ? 1 : 0;
    storage_.TellOfClaim(seen.uid(), seen.copy());
    loss_.TellOfClaim(seen.uid(), seen.copy());
  }
  void TellOfVolume(const Seen<PersistentVolume>& seen) {
    ++changes_;
    volumes_gone_ += seen.now == nullptr ? 1 : 0;
    storage_.TellOfVolume(seen.uid(), seen.copy());
    attach_.TellOfVolume(seen.uid(), seen.copy());
    loss_.TellOfVolume(seen.uid(), seen.copy());
  }

  // What people make.
  static std::string ClaimName(int number) { return "claim-" + std::to_string(number); }
  static std::string PodName(int number) { return "pod-" + std::to_string(number); }
  std::string VolumeName(int number) const { return space_ + "-" + std::to_string(number); }
  std::string AnyClaim() { return ClaimName(Below(kClaims)); }
  std::string AnyVolume() { return VolumeName(Below(kVolumes)); }
  api::Quantity AnySize() { return *api::Quantity::Parse(std::to_string(1 + Below(4)) + "Gi"); }
  /// The empty one is that of volumes which people make.
  std::string AnyClass() {
    constexpr const char* kClasses[] = {"", "", "standard", "quick", "kept"};
    return kClasses[Below(std::size(kClasses))];
  }

  PersistentVolumeClaim DescribeClaim() {
    PersistentVolumeClaim claim;
    claim.metadata.namespace_ = space_;
    claim.metadata.name = AnyClaim();
    claim.spec.storageClassName = AnyClass();
    claim.spec.accessModes = {Below(4) == 0 ? "ReadWriteMany" : "ReadWriteOnce"};
    claim.spec.resources.requests["storage"] = AnySize();
    if (claim.spec.storageClassName->empty() && Below(3) == 0) claim.spec.volumeName = AnyVolume();
    return claim;
  }
  PersistentVolume DescribeVolume() {
    PersistentVolume volume;
    volume.metadata.name = AnyVolume();
    auto& spec = volume.spec;
    spec.persistentVolumeReclaimPolicy = Below(2) == 0 ? "Retain" : "Delete";
    spec.storageClassName = Below(4) == 0 ? "standard" : "";
    spec.accessModes = {"ReadWriteOnce"};
    if (Below(3) == 0) spec.accessModes.emplace_back("ReadWriteMany");
    spec.capacity["storage"] = AnySize();
    // As one of those is that was made by the driver for an earlier cluster.
    volume.metadata.annotations["pv.kubernetes.io/provisioned-by"] = simulation::kSimulatedDriver;
    spec.csi.emplace().driver = simulation::kSimulatedDriver;
    spec.csi->volumeHandle = volume.metadata.name;
    if (Below(3) == 0) {
      auto& reference = spec.claimRef.emplace();
      reference.namespace_ = space_;
      reference.name = AnyClaim();
    }
    return volume;
  }
  Pod DescribePod() {
    Pod pod;
    pod.metadata.namespace_ = space_;
    pod.metadata.name = PodName(Below(kPods));
    pod.spec.terminationGracePeriodSeconds = 1;
    auto& container = pod.spec.containers.emplace_back();
    container.name = container.image = "main";
    auto& volume = pod.spec.volumes.emplace_back();
    volume.name = "data";
    if (Below(4) == 0) {
      auto& spec = volume.ephemeral.emplace().volumeClaimTemplate.emplace().spec;
      spec.storageClassName = Below(2) == 0 ? "standard" : "quick";
      spec.accessModes = {"ReadWriteOnce"};
      spec.resources.requests["storage"] = AnySize();
    } else {
      volume.persistentVolumeClaim.emplace().claimName = AnyClaim();
    }
    if (Below(3) == 0) {
      auto& more = pod.spec.volumes.emplace_back();
      more.name = "more";
      more.persistentVolumeClaim.emplace().claimName = AnyClaim();
    }
    return pod;
  }

  // What people do.
  void Order() override {
    if (!MayOrder()) return;
    switch (Below(12)) {
      case 0:
      case 1:
      case 2:
        return Make("claim", DescribeClaim());
      case 3:
      case 4:
        return Make("volume", DescribeVolume());
      case 5:
      case 6:
        return Make("pod", DescribePod());
      case 7:
        return DeleteAny<PersistentVolumeClaim>("claim deleted");
      case 8:
        return DeleteAny<Pod>("pod deleted");
      case 9:
        return DeleteVolume();
      case 10:
        return Grow();
      default:
        return Keep();
    }
  }
  template <typename T>
  void Make(const char* what, const T& object) {
    if (All<T>().Create(object)) Done(what);
  }
  /// One of those there are; none if there are none.
  template <typename T>
  std::optional<T> Any(const std::string& space) {
    const auto all = All<T>().ListIn(space);
    if (!all || all->items.empty()) return std::nullopt;
    return all->items[static_cast<std::size_t>(Below(static_cast<int>(all->items.size())))];
  }
  template <typename T>
  void DeleteAny(const char* what) {
    const auto one = Any<T>(space_);
    if (!one || one->metadata.deletionTimestamp) return;
    if (All<T>().Delete(api::ObjectKey::Of(*one))) Done(what);
  }
  void DeleteVolume() {
    const auto volume = Any<PersistentVolume>("");
    if (!volume || volume->metadata.deletionTimestamp) return;
    history_->WhileStill([&] {
      loss_.PeopleDelete(volume->metadata.uid);
      return true;
    });
    meta::v1::DeleteOptions options;
    options.preconditions.emplace().uid = volume->metadata.uid;
    if (All<PersistentVolume>().Delete({"", volume->metadata.name}, options)) {
      Done("volume deleted");
    }
  }
  void Grow() {
    const auto claim = Any<PersistentVolumeClaim>(space_);
    if (!claim) return;
    const auto patched = All<PersistentVolumeClaim>().Patch(
        api::ObjectKey::Of(*claim),
        {client::PatchType::kMerge, R"({"spec":{"resources":{"requests":{"storage":"8Gi"}}}})"});
    if (patched && patched->metadata.generation != claim->metadata.generation) Done("claim grown");
  }
  /// What people do before they delete a claim whose data they want.
  void Keep() {
    auto volume = Any<PersistentVolume>("");
    // Of one that is released somebody may be about to delete what is behind it.
    if (!volume || volume->status.phase != "Bound") return;
    if (volume->spec.persistentVolumeReclaimPolicy == "Retain") return;
    volume->spec.persistentVolumeReclaimPolicy = "Retain";
    if (All<PersistentVolume>().Update(*volume)) Done("volume kept");
  }

  std::vector<std::string> Unsettled() const {
    return UnrestIn({.claims = Must(All<PersistentVolumeClaim>().ListIn(space_)).items,
                     .volumes = Must(All<PersistentVolume>().ListIn("")).items,
                     .pods = Must(All<Pod>().ListIn(space_)).items,
                     .classes = Must(All<StorageClass>().ListIn("")).items,
                     .attachments = Must(All<VolumeAttachment>().ListIn("")).items,
                     .driver = std::string(simulation::kSimulatedDriver)});
  }
  void Settle() override {
    EXPECT_TRUE(Eventually(
        [&] {
          Must(breakage_.Revive());
          return Unsettled().empty();
        },
        180s));
    EXPECT_THAT(Unsettled(), IsEmpty());
    Must(history_->CatchUp());
    history_->WhileStill([&] {
      EXPECT_THAT(violations_, IsEmpty());
      return true;
    });
    ++settled_;
  }
  /// Something to begin with, and names left for more.
  void Furnish() {
    for (int i = 0; i < kVolumes / 2; ++i) {
      PersistentVolume volume = DescribeVolume();
      volume.metadata.name = volume.spec.csi->volumeHandle = VolumeName(i);
      Must(All<PersistentVolume>().Create(volume));
    }
    for (int i = 0; i < kClaims / 2; ++i) {
      PersistentVolumeClaim claim = DescribeClaim();
      claim.metadata.name = ClaimName(i);
      Must(All<PersistentVolumeClaim>().Create(claim));
    }
    for (int i = 0; i < kPods / 2; ++i) {
      Pod pod = DescribePod();
      pod.metadata.name = PodName(i);
      Must(All<Pod>().Create(pod));
    }
  }

  SimulatedCluster simulated_{
      plane(),
      executor(),
      network(),
      {.nodes = 3,
       .timings = {.start = 100ms, .ready = 100ms, .stop = 200ms, .spread = 1},
       .storage = simulation::StorageTimings{},
       .attach_volumes = true}};
  const std::string space_ = NewNamespace();

  // While the history is still.
  std::vector<std::string> violations_;
  faults::StorageInvariants storage_{violations_};
  faults::AttachInvariants attach_{violations_, clock()};
  faults::VolumeLossInvariants loss_{violations_};
  int bound_ = 0;
  int claims_gone_ = 0;
  int volumes_gone_ = 0;
  int attached_ = 0;
  std::int64_t changes_ = 0;

  std::unique_ptr<NamespaceHistory> history_;
};

TEST_F(StorageChaosTest, WhateverBreaksNothingIsLostAndWhatCanBeBoundIsBound) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  Must(breakage_.Revive());
  ASSERT_TRUE(Eventually([&] { return IsFurnished(space_); }, 60s));
  Furnish();
  BreakAndSettle(2);
  if (HasFatalFailure()) return;
  history_->WhileStill([&] {
    EXPECT_GT(bound_, 0);
    EXPECT_GT(attached_, 0);
    std::cout << Told() << bound_ << " claims bound and " << claims_gone_ << " gone, "
              << volumes_gone_ << " volumes gone, " << attached_ << " attachments; " << changes_
              << " changes\n";
    return true;
  });
}

}  // namespace
}  // namespace flyball::cluster
