#include "flyball/controllers/volume_binder/claim_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/volume_binder/internal/binder_fake.h"

namespace flyball::controllers::volume_binder {
namespace {

using Action = ClaimPlan::Action;
using common::Normal;
using common::Warning;

/// What there is beside a claim.
struct World {
  std::vector<PersistentVolume> volumes = {};
  std::vector<StorageClass> classes = {};
  std::vector<std::string> waiting_pods = {};
  bool provisions = true;

  ClaimPlan PlanFor(const PersistentVolumeClaim& claim) const {
    return volume_binder::PlanFor(
        claim, {.volume = [this](const auto& name) { return Volume(name); },
                .volumes = {.any = [this](const auto& key) { return !Find(key).empty(); },
                            .all = [this](const auto& key) { return Find(key); }},
                .storage_class = [this](const auto& name) { return Class(name); },
                .classes = [this] { return Classes(); },
                .waiting_pods = [this] { return waiting_pods; },
                .provisions = provisions});
  }
  VolumeRef Volume(const std::string& name) const {
    for (const auto& volume : volumes) {
      if (volume.metadata.name == name) return std::make_shared<PersistentVolume>(volume);
    }
    return nullptr;
  }
  std::vector<VolumeRef> Find(const std::string& key) const {
    std::vector<VolumeRef> found;
    for (const auto& volume : volumes) {
      const auto keys = MatchKeysOf(volume);
      if (std::ranges::find(keys, key) == keys.end()) continue;
      found.push_back(std::make_shared<PersistentVolume>(volume));
    }
    return found;
  }
  ClassRef Class(const std::string& name) const {
    for (const auto& one : classes) {
      if (one.metadata.name == name) return std::make_shared<StorageClass>(one);
    }
    return nullptr;
  }
  std::vector<ClassRef> Classes() const {
    std::vector<ClassRef> all;
    for (const auto& one : classes) all.push_back(std::make_shared<StorageClass>(one));
    return all;
  }
};

StorageClass Class(const std::string& name, const std::string& provisioner = "example.com/disks",
                   const std::string& binding = "Immediate") {
  StorageClass storage_class;
  storage_class.metadata.name = name;
  storage_class.provisioner = provisioner;
  storage_class.volumeBindingMode = binding;
  return storage_class;
}
StorageClass Default(const std::string& name, int age = 0) {
  StorageClass storage_class = Class(name);
  storage_class.metadata.annotations["storageclass.kubernetes.io/is-default-class"] = "true";
  storage_class.metadata.creationTimestamp =
      api::Time(WallTime() + std::chrono::days(1) - std::chrono::seconds(age));
  return storage_class;
}
PersistentVolumeClaim WithoutClass() {
  PersistentVolumeClaim claim = Claim("data", "1Gi");
  claim.spec.storageClassName.reset();
  return claim;
}
PersistentVolumeClaim ClaimNaming(const std::string& volume) {
  PersistentVolumeClaim claim = Claim("data", "1Gi");
  claim.spec.volumeName = volume;
  return claim;
}
PersistentVolumeClaim Bound(const std::string& volume) {
  PersistentVolumeClaim claim = ClaimNaming(volume);
  claim.metadata.annotations[kBindCompleted] = "yes";
  claim.status.phase = "Bound";
  return claim;
}

std::string BoundName(const ClaimPlan& plan) {
  return plan.action == Action::kBind ? plan.volume->metadata.name : plan.ToString();
}

TEST(ClaimPlan, AVolumeThatMatchesIsBound) {
  const World world{.volumes = {Free("a", "1Gi")}, .classes = {Class("slow")}};
  const ClaimPlan plan = world.PlanFor(Claim("data", "1Gi"));
  EXPECT_EQ(plan.action, Action::kBind);
  EXPECT_EQ(plan.ToString(), "bind it to a");
}

TEST(ClaimPlan, WithoutAClassAndAVolumeItWaits) {
  auto claim = Claim("data", "1Gi");
  claim.spec.storageClassName = "";
  EXPECT_EQ((World{.classes = {Default("new")}}.PlanFor(claim)),
            (ClaimPlan{.action = Action::kPending,
                       .events = {Normal("FailedBinding",
                                         "no persistent volumes available for this claim and no "
                                         "storage class is set")}}));
  EXPECT_EQ(World().PlanFor(WithoutClass()).ToString(), "let it wait, say FailedBinding");
}

TEST(ClaimPlan, OneThatChoseNoClassGetsWhatHasBecomeTheDefault) {
  const World world{.classes = {Class("other"), Default("b"), Default("a")}};
  EXPECT_EQ(world.PlanFor(WithoutClass()),
            (ClaimPlan{.action = Action::kAssignClass, .name = "a"}));
  // A volume without a class goes before that.
  auto volume = Free("v", "1Gi");
  volume.spec.storageClassName = "";
  EXPECT_EQ(
      BoundName(World{.volumes = {volume}, .classes = {Default("a")}}.PlanFor(WithoutClass())),
      "v");
}

TEST(ClaimPlan, TheNewestDefaultCounts) {
  EXPECT_EQ((World{.classes = {Default("a", 5), Default("b", 3), Default("c", 4)}}
                 .PlanFor(WithoutClass())
                 .ToString()),
            "give it the class b");
  auto beta = Class("beta");
  beta.metadata.annotations["storageclass.beta.kubernetes.io/is-default-class"] = "true";
  EXPECT_EQ((World{.classes = {beta}}.PlanFor(WithoutClass()).name), "beta");
  beta.metadata.annotations["storageclass.beta.kubernetes.io/is-default-class"] = "yes";
  EXPECT_EQ((World{.classes = {beta}}.PlanFor(WithoutClass()).action), Action::kPending);
}

TEST(ClaimPlan, AProvisionerIsAskedForAVolume) {
  const ClaimPlan plan = World{.classes = {Class("slow")}}.PlanFor(Claim("data", "1Gi"));
  EXPECT_EQ(plan,
            (ClaimPlan{.action = Action::kProvision,
                       .name = "example.com/disks",
                       .events = {Normal(
                           "ExternalProvisioning",
                           "Waiting for a volume to be created either by the external provisioner "
                           "'example.com/disks' or manually by the system administrator. If volume "
                           "creation is delayed, please verify that the provisioner is running and "
                           "correctly registered.")}}));
  EXPECT_EQ(plan.ToString(), "have example.com/disks make a volume, say ExternalProvisioning");
}

TEST(ClaimPlan, ADriverThatHasTakenOverIsAskedInstead) {
  const World world{.classes = {Class("slow", "kubernetes.io/gce-pd")}};
  EXPECT_EQ(world.PlanFor(Claim("data", "1Gi")).name, "pd.csi.storage.gke.io");
}

TEST(ClaimPlan, WhoMakesNoVolumesIsNotAsked) {
  const auto why = [](const std::vector<StorageClass>& classes) {
    const ClaimPlan plan = World{.classes = classes}.PlanFor(Claim("data", "1Gi"));
    EXPECT_EQ(plan.action, Action::kNothing);
    EXPECT_EQ(plan.events.at(0).reason, "ProvisioningFailed");
    return plan.events.at(0).message;
  };
  EXPECT_EQ(why({}), "storageclass.storage.k8s.io \"slow\" not found");
  EXPECT_EQ(why({Class("slow", "kubernetes.io/no-provisioner")}),
            "no volume plugin matched name: kubernetes.io/no-provisioner");
  EXPECT_EQ(why({Class("slow", "kubernetes.io/nfs")}), "no provisionable volume plugin matched");
  EXPECT_EQ(why({Class("slow", "kubernetes.io/host-path")}),
            "Failed to create provisioner: provisioning in volume plugin "
            "\"kubernetes.io/host-path\" is disabled");
}

TEST(ClaimPlan, NobodyIsAskedWhereThatIsTurnedOff) {
  EXPECT_EQ((World{.classes = {Class("slow")}, .provisions = false}.PlanFor(Claim("data", "1Gi"))),
            ClaimPlan());
}

TEST(ClaimPlan, OneThatWaitsForItsFirstConsumerWaits) {
  World world{.volumes = {Free("a", "1Gi")},
              .classes = {Class("slow", "example.com/disks", "WaitForFirstConsumer")}};
  auto claim = Claim("data", "1Gi");
  const auto waits = [](const char* reason, const char* message) {
    return ClaimPlan{.action = Action::kPending, .events = {Normal(reason, message)}};
  };
  EXPECT_EQ(world.PlanFor(claim), waits("WaitForFirstConsumer",
                                        "waiting for first consumer to be created before binding"));
  world.waiting_pods = {"web"};
  EXPECT_EQ(world.PlanFor(claim),
            waits("WaitForPodScheduled", "waiting for pod web to be scheduled"));
  world.waiting_pods = {"a", "b"};
  EXPECT_EQ(world.PlanFor(claim),
            waits("WaitForPodScheduled", "waiting for pods a,b to be scheduled"));
  claim.metadata.annotations[kSelectedNode] = "node";
  EXPECT_EQ(world.PlanFor(claim).action, Action::kProvision);
  world.volumes = {MeantFor(Free("a", "1Gi"), claim)};
  EXPECT_EQ(BoundName(world.PlanFor(claim)), "a");
}

TEST(ClaimPlan, AClassThatDoesNotSayWhenIsAProblem) {
  World world{.classes = {Class("slow")}};
  world.classes[0].volumeBindingMode.reset();
  EXPECT_EQ(world.PlanFor(Claim("data", "1Gi")),
            (ClaimPlan{.problem = "VolumeBindingMode not set for StorageClass \"slow\""}));
}

TEST(ClaimPlan, ASelectorThatCannotBeReadIsAProblem) {
  auto claim = Claim("data", "1Gi");
  claim.spec.selector.emplace().matchExpressions.emplace_back().operator_ = "Near";
  EXPECT_NE(World().PlanFor(claim).problem, "");
}

TEST(ClaimPlan, TheVolumeThatAClaimNames) {
  EXPECT_EQ(World().PlanFor(ClaimNaming("a")), (ClaimPlan{.action = Action::kPending}));
  EXPECT_EQ(
      (BoundName(World{.volumes = {Free("a", "1Gi"), Free("b", "1Gi")}}.PlanFor(ClaimNaming("b")))),
      "b");
  EXPECT_EQ(BoundName(World{.volumes = {MeantFor(Free("a", "1Gi"), ClaimNaming("a"))}}.PlanFor(
                ClaimNaming("a"))),
            "a");
}

TEST(ClaimPlan, AVolumeThatDoesNotDoIsNotBound) {
  EXPECT_EQ((World{.volumes = {Free("a", "1Mi")}}.PlanFor(ClaimNaming("a"))),
            (ClaimPlan{.action = Action::kPending,
                       .events = {Warning("VolumeMismatch",
                                          "Cannot bind to requested volume \"a\": requested PV is "
                                          "too small")}}));
}

TEST(ClaimPlan, AVolumeOfAnotherClaimIsWaitedFor) {
  const World world{.volumes = {BoundTo(Claim("other", "1Gi"), Free("a", "1Gi"))}};
  const auto told = Warning("FailedBinding", "volume \"a\" already bound to a different claim.");
  EXPECT_EQ(world.PlanFor(ClaimNaming("a")),
            (ClaimPlan{.action = Action::kPending, .events = {told}}));
  auto claim = ClaimNaming("a");
  claim.metadata.annotations[kBoundByController] = "yes";
  const ClaimPlan plan = world.PlanFor(claim);
  EXPECT_EQ(plan.action, Action::kNothing);
  EXPECT_EQ(plan.ToString(),
            "leave it, say FailedBinding: the claim was bound to volume \"a\", which is claimed by "
            "somebody else");
}

TEST(ClaimPlan, WhatIsBoundStaysBoundAndIsMadeWhole) {
  const auto claim = Bound("a");
  EXPECT_EQ((BoundName(World{.volumes = {BoundTo(claim, Free("a", "1Gi"))}}.PlanFor(claim))), "a");
  EXPECT_EQ((BoundName(World{.volumes = {Free("a", "1Gi")}}.PlanFor(claim))), "a");
}

TEST(ClaimPlan, ABoundClaimMayLoseItsVolume) {
  const auto lost = [](const char* reason, const char* message) {
    return ClaimPlan{.action = Action::kLost, .events = {Warning(reason, message)}};
  };
  EXPECT_EQ(
      World().PlanFor(Bound("")),
      lost("ClaimLost",
           "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"));
  EXPECT_EQ(
      World().PlanFor(Bound("a")),
      lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!"));
  const World world{.volumes = {BoundTo(Claim("other", "1Gi"), Free("a", "1Gi"))}};
  EXPECT_EQ(world.PlanFor(Bound("a")),
            lost("ClaimMisbound",
                 "Two claims are bound to the same volume, this one is bound incorrectly"));
  EXPECT_EQ(world.PlanFor(Bound("a")).ToString(), "it has lost its volume, say ClaimMisbound");
  // One that was reserved by name is not bound to it yet, and never will be to this one.
  EXPECT_EQ((World{.volumes = {MeantFor(Free("a", "1Gi"), Bound("a"))}}.PlanFor(Bound("a")).action),
            Action::kLost);
}

}  // namespace
}  // namespace flyball::controllers::volume_binder
