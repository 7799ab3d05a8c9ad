// Storage, nodes and the scheduler together, on an API server in memory. The binder is played by
// the test, as far as it has a part in this.
#include "flyball/simulation/storage/simulated_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/event_recorder_fake.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/simulation/scheduler.h"
#include "flyball/simulation/simulated_nodes.h"
#include "flyball/simulation/storage/provision_plan.h"
#include "flyball/simulation/storage/storage_fake.h"
#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using namespace std::chrono_literals;
using core::v1::Node;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using sandbox::Requests;
using storage::v1::CSIDriver;
using storage::v1::CSINode;
using storage::v1::StorageClass;
using storage::v1::VolumeAttachment;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kDriver = "d.example.com";

class SimulatedStorageTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  SimulatedStorageTest() {
    core::v1::Namespace space;
    space.metadata.name = "ns";
    EXPECT_TRUE(client_.Of<core::v1::Namespace>().Create(space));
    core::v1::ServiceAccount account;
    account.metadata.namespace_ = "ns";
    account.metadata.name = "default";
    EXPECT_TRUE(client_.Of<core::v1::ServiceAccount>().Create(account));
    faults_.OnEvents(Requests::Watches()).Delay(10ms);
    const runtime::Controller::Deps deps{.client = client_,
                                         .informers = informers_,
                                         .executor = executor_,
                                         .timers = timers_,
                                         .events = events_.Maker()};
    storage_ = std::make_unique<SimulatedStorage>(
        deps,
        SimulatedStorage::Options{
            .driver = std::string(kDriver),
            .timings = {.provision = 2s, .remove = 2s, .attach = 2s, .detach = 2s, .resize = 2s}});
    SimulatedNodes::Options options;
    options.timings = {.start = 1s, .init = 1s, .ready = 1s, .run = 5s, .stop = 2s};
    options.heartbeats.clear_not_ready_taint = true;
    options.volumes = NodeVolumes{.driver = std::string(kDriver), .unmount = 5s, .expand = 1s};
    nodes_ = std::make_unique<SimulatedNodes>(SimulatedNodes::Deps{.harness = deps}, options);
    scheduler_ = MakeScheduler(deps, {.volumes = true});
  }

  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      informers_.Start();
      EXPECT_TRUE(informers_.WaitForSync({}));
      storage_->Start();
      nodes_->Start();
      scheduler_->Start();
      Pass(1s);
      test();
      scheduler_.reset();
      nodes_.reset();
      storage_.reset();
      informers_.Stop();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(48));
    EXPECT_TRUE(done) << report.Describe();
  }

  /// Lets time pass, in which the binder does its part.
  void Pass(std::chrono::nanoseconds span) {
    const SteadyTime end = executor_.clock().SteadyNow() + span;
    while (executor_.clock().SteadyNow() < end) {
      PlayBinder();
      executor_.clock().SleepFor(200ms);
    }
  }
  void PlayBinder() {
    const auto volumes = All<PersistentVolume>();
    for (PersistentVolumeClaim claim : All<PersistentVolumeClaim>()) {
      if (claim.metadata.deletionTimestamp) {
        claim.metadata.finalizers.clear();
        (void)client_.Of<PersistentVolumeClaim>().Update(claim);
      } else if (claim.spec.volumeName.empty()) {
        FindVolume(claim, volumes);
      } else if (claim.status.phase != "Bound") {
        PersistentVolume volume = Get<PersistentVolume>(claim.spec.volumeName);
        simulation::Bind(claim, volume);
        (void)client_.Of<PersistentVolumeClaim>().UpdateStatus(claim);
      }
    }
    for (PersistentVolume volume : volumes) {
      if (volume.metadata.deletionTimestamp &&
          std::erase(volume.metadata.finalizers, "kubernetes.io/pv-protection") > 0) {
        (void)client_.Of<PersistentVolume>().Update(volume);
      } else if (volume.spec.claimRef && volume.status.phase == "Bound" && !IsThere(volume)) {
        volume.status.phase = "Released";
        (void)client_.Of<PersistentVolume>().UpdateStatus(volume);
      } else if (!volume.spec.claimRef && volume.status.phase == "Pending") {
        volume.status.phase = "Available";
        (void)client_.Of<PersistentVolume>().UpdateStatus(volume);
      }
    }
  }
  void FindVolume(PersistentVolumeClaim claim, const std::vector<PersistentVolume>& volumes) {
    const auto found = std::ranges::find_if(
        volumes, [&](const PersistentVolume& volume) { return IsBoundTo(volume, claim); });
    if (found != volumes.end()) {
      PersistentVolume volume = *found;
      simulation::Bind(claim, volume);
      volume.spec.claimRef = found->spec.claimRef;
      (void)client_.Of<PersistentVolume>().UpdateStatus(volume);
      (void)client_.Of<PersistentVolumeClaim>().Update(claim);
      return;
    }
    const auto storage_class = client_.Of<StorageClass>().Get({"", ClassOf(claim)});
    const bool waits = storage_class && storage_class->volumeBindingMode != "Immediate" &&
                       SelectedNodeOf(claim).empty();
    if (!storage_class || waits || claim.metadata.annotations.contains(kProvisioner)) return;
    claim.metadata.annotations[kProvisioner] = storage_class->provisioner;
    (void)client_.Of<PersistentVolumeClaim>().Update(claim);
  }
  bool IsThere(const PersistentVolume& volume) {
    const auto& reference = *volume.spec.claimRef;
    const auto claim =
        client_.Of<PersistentVolumeClaim>().Get({reference.namespace_, reference.name});
    return claim && claim->metadata.uid == reference.uid;
  }

  template <typename T>
  std::vector<T> All() {
    auto all = client_.Of<T>().ListIn("");
    return all ? std::move(all->items) : std::vector<T>();
  }
  template <typename T>
  T Get(const std::string& name) {
    const bool namespaced = client::Resource::Of<T>().namespaced;
    auto got = client_.Of<T>().Get({namespaced ? "ns" : "", name});
    return got ? *std::move(got) : T();
  }
  template <typename T>
  void Create(T object) {
    object.metadata.uid.clear();
    const auto created = client_.Of<T>().Create(object);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  template <typename T>
  void Merge(const std::string& name, const std::string& patch, std::string_view sub = {}) {
    const bool namespaced = client::Resource::Of<T>().namespaced;
    const auto patched = client_.Of<T>().Patch({namespaced ? "ns" : "", name},
                                               {client::PatchType::kMerge, patch}, {}, sub);
    EXPECT_TRUE(patched) << patched.error().Describe();
  }
  void Install(bool attach_required, const std::string& mode = "WaitForFirstConsumer") {
    Create(DescribeDriver(kDriver, attach_required));
    Create(ClassNamed("standard", mode, std::string(kDriver)));
  }
  static Pod PodWith(const std::string& name, const std::string& claim) {
    Pod pod = PodNamed(name);
    auto& volume = pod.spec.volumes.emplace_back();
    volume.name = "data";
    volume.persistentVolumeClaim.emplace().claimName = claim;
    return pod;
  }
  std::string PhaseOf(const std::string& pod) { return Get<Pod>(pod).status.phase; }
  std::string ScheduledMessage(const std::string& pod) {
    for (const auto& condition : Get<Pod>(pod).status.conditions) {
      if (condition.type == "PodScheduled") return condition.message;
    }
    return {};
  }
  /// The attach-detach controller's part: a volume is to be on a node, and says so when it is.
  std::string Attach(const PersistentVolume& volume, const std::string& node) {
    VolumeAttachment attachment;
    attachment.metadata.name = "csi-" + volume.metadata.name;
    attachment.spec.attacher = kDriver;
    attachment.spec.nodeName = node;
    attachment.spec.source.persistentVolumeName = volume.metadata.name;
    Create(attachment);
    return attachment.metadata.name;
  }
  void SayAttached(const PersistentVolume& volume, const std::string& node) {
    Merge<Node>(node,
                R"({"status":{"volumesAttached":[{"name":")" + UniqueNameOf(volume) +
                    R"(","devicePath":""}]}})",
                "status");
  }

  DeterministicExecutor executor_{GetParam(), {.max_steps = 10'000'000}};
  Timers timers_{executor_};
  sandbox::Sandbox sandbox_{{executor_, timers_}, {.seed = GetParam()}};
  sandbox::Faults faults_{sandbox_.transport(), executor_, GetParam()};
  sandbox::Session session_{faults_, executor_.clock()};
  const client::Client& client_ = session_.client();
  runtime::FakeEventRecorder events_;
  cache::InformerFactory informers_{
      {.client = client_, .executor = executor_, .timers = timers_, .random = [] { return 0.5; }}};
  std::unique_ptr<SimulatedStorage> storage_;
  std::unique_ptr<SimulatedNodes> nodes_;
  std::unique_ptr<runtime::Controller> scheduler_;
};

INSTANTIATE_TEST_SUITE_P(Seeds, SimulatedStorageTest, testing::Range<std::uint64_t>(1, 3));

TEST_P(SimulatedStorageTest, AVolumeIsMadeWhenItsFirstPodComesAndGoesWithItsClaim) {
  nodes_->Add("node");
  Play([&] {
    Install(false);
    Create(ClaimNamed("data"));
    Pass(30s);
    EXPECT_THAT(All<PersistentVolume>(), IsEmpty());

    Create(PodWith("db", "data"));
    Pass(2s);
    const auto claim = Get<PersistentVolumeClaim>("data");
    EXPECT_EQ(SelectedNodeOf(claim), "node");
    EXPECT_EQ(Get<Pod>("db").spec.nodeName, "") << "its volume is not there yet";
    Pass(10s);
    EXPECT_EQ(PhaseOf("db"), "Running");
    const auto volumes = All<PersistentVolume>();
    ASSERT_EQ(volumes.size(), 1U);
    EXPECT_EQ(volumes[0].metadata.name, "pvc-" + claim.metadata.uid);
    EXPECT_THAT(volumes[0].metadata.finalizers, Contains(std::string(kProvisionerFinalizer)));
    EXPECT_THAT(events_.lines(),
                ElementsAre("Normal Provisioning: External provisioner is provisioning volume for "
                            "claim \"ns/data\"",
                            "Normal ProvisioningSucceeded: Successfully provisioned volume " +
                                volumes[0].metadata.name));
    EXPECT_THAT(Get<Node>("node").status.volumesInUse, IsEmpty()) << "nothing is attached";

    EXPECT_TRUE(client_.Of<Pod>().Delete({"ns", "db"}));
    EXPECT_TRUE(client_.Of<PersistentVolumeClaim>().Delete({"ns", "data"}));
    Pass(1s);
    EXPECT_EQ(All<PersistentVolume>().size(), 1U);
    Pass(10s);
    EXPECT_THAT(All<PersistentVolume>(), IsEmpty());
  });
}

TEST_P(SimulatedStorageTest, NodesTellWhichDriverTheyHave) {
  nodes_->Add("node", {.labels = {{"topology.kubernetes.io/zone", "a"}}});
  Play([&] {
    Pass(1s);
    const auto node = Get<CSINode>("node");
    ASSERT_EQ(node.spec.drivers.size(), 1U);
    EXPECT_EQ(node.spec.drivers[0].name, kDriver);
    EXPECT_EQ(node.spec.drivers[0].nodeID, "node");
    EXPECT_THAT(node.spec.drivers[0].topologyKeys,
                ElementsAre("kubernetes.io/hostname", "topology.kubernetes.io/zone"));
    EXPECT_EQ(node.metadata.ownerReferences.at(0).uid, Get<Node>("node").metadata.uid);
  });
}

TEST_P(SimulatedStorageTest, APodWaitsUntilItsVolumeIsAttached) {
  nodes_->Add("node");
  Play([&] {
    Install(true);
    Create(ClaimNamed("data"));
    Create(PodWith("db", "data"));
    Pass(20s);
    EXPECT_EQ(Get<Pod>("db").spec.nodeName, "node");
    EXPECT_EQ(PhaseOf("db"), "Pending");
    const auto volume = All<PersistentVolume>().at(0);
    EXPECT_THAT(Get<Node>("node").status.volumesInUse, ElementsAre(UniqueNameOf(volume)));

    const std::string attachment = Attach(volume, "node");
    Pass(1s);
    EXPECT_FALSE(Get<VolumeAttachment>(attachment).status.attached);
    Pass(3s);
    EXPECT_TRUE(Get<VolumeAttachment>(attachment).status.attached);
    EXPECT_THAT(Get<VolumeAttachment>(attachment).metadata.finalizers,
                ElementsAre("external-attacher/d-example-com"));
    EXPECT_THAT(Get<PersistentVolume>(volume.metadata.name).metadata.finalizers,
                Contains("external-attacher/d-example-com"));
    EXPECT_EQ(PhaseOf("db"), "Pending") << "the node is not told yet";
    SayAttached(volume, "node");
    Pass(5s);
    EXPECT_EQ(PhaseOf("db"), "Running");

    // It stays in use until it is unmounted, and then it can be detached.
    EXPECT_TRUE(client_.Of<Pod>().Delete({"ns", "db"}));
    Pass(4s);
    EXPECT_EQ(Get<Pod>("db").metadata.name, "");
    EXPECT_THAT(Get<Node>("node").status.volumesInUse, ElementsAre(UniqueNameOf(volume)));
    Pass(5s);
    EXPECT_THAT(Get<Node>("node").status.volumesInUse, IsEmpty());
    EXPECT_TRUE(client_.Of<VolumeAttachment>().Delete({"", attachment}));
    Pass(1s);
    EXPECT_EQ(Get<VolumeAttachment>(attachment).metadata.name, attachment);
    Pass(3s);
    EXPECT_EQ(Get<VolumeAttachment>(attachment).metadata.name, "");
    EXPECT_TRUE(client_.Of<PersistentVolumeClaim>().Delete({"ns", "data"}));
    Pass(10s);
    EXPECT_THAT(All<PersistentVolume>(), IsEmpty());
  });
}

TEST_P(SimulatedStorageTest, AnAttachmentSaysWhatGoesWrong) {
  nodes_->Add("node");
  Play([&] {
    PersistentVolume volume = VolumeNamed("v", std::string(kDriver));
    volume.metadata.annotations["simulation.flyball.dev/attach-error"] = "no room";
    volume.metadata.annotations["simulation.flyball.dev/detach-error"] = "busy";
    Create(volume);
    const std::string name = Attach(volume, "node");
    Pass(10s);
    EXPECT_EQ(Get<VolumeAttachment>(name).status.attachError->message, "no room");
    Merge<PersistentVolume>(
        "v", R"({"metadata":{"annotations":{"simulation.flyball.dev/attach-error":null}}})");
    Pass(5s);
    EXPECT_TRUE(Get<VolumeAttachment>(name).status.attached);
    EXPECT_FALSE(Get<VolumeAttachment>(name).status.attachError);

    EXPECT_TRUE(client_.Of<VolumeAttachment>().Delete({"", name}));
    Pass(10s);
    EXPECT_EQ(Get<VolumeAttachment>(name).status.detachError->message, "busy");
    Merge<PersistentVolume>(
        "v", R"({"metadata":{"annotations":{"simulation.flyball.dev/detach-error":null}}})");
    Pass(5s);
    EXPECT_EQ(Get<VolumeAttachment>(name).metadata.name, "");
  });
}

TEST_P(SimulatedStorageTest, AVolumeForANodeThatNobodyKnowsIsNotAttached) {
  nodes_->Add("node");
  Play([&] {
    Create(VolumeNamed("v", std::string(kDriver)));
    const std::string name = Attach(VolumeNamed("v"), "elsewhere");
    Pass(5s);
    EXPECT_EQ(Get<VolumeAttachment>(name).status.attachError->message,
              "csinode.storage.k8s.io \"elsewhere\" not found");
    EXPECT_THAT(Get<VolumeAttachment>(name).metadata.finalizers, IsEmpty());
  });
}

TEST_P(SimulatedStorageTest, WhatFailsIsToldAndTriedAgain) {
  nodes_->Add("node");
  Play([&] {
    Install(false, "Immediate");
    PersistentVolumeClaim claim = ClaimNamed("data");
    claim.metadata.annotations["simulation.flyball.dev/provision-error"] = "rpc error: broken";
    Create(claim);
    Pass(20s);
    EXPECT_THAT(events_.lines(),
                Contains("Warning ProvisioningFailed: failed to provision volume with StorageClass "
                         "\"standard\": rpc error: broken"));
    Create(PodWith("db", "data"));
    Pass(5s);
    EXPECT_EQ(ScheduledMessage("db"),
              "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. "
              "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
    Merge<PersistentVolumeClaim>(
        "data", R"({"metadata":{"annotations":{"simulation.flyball.dev/provision-error":null}}})");
    Pass(30s);
    EXPECT_EQ(PhaseOf("db"), "Running");
  });
}

TEST_P(SimulatedStorageTest, WhereThereIsNoRoomForAVolumeAnotherNodeIsChosen) {
  nodes_->Add("node");
  Play([&] {
    Install(false);
    PersistentVolumeClaim claim = ClaimNamed("data");
    claim.metadata.annotations["simulation.flyball.dev/provision-error"] =
        "rpc error: code = ResourceExhausted desc = full";
    Create(claim);
    Create(PodWith("db", "data"));
    Pass(10s);
    EXPECT_THAT(events_.lines(),
                Contains(AllOf(HasSubstr("ProvisioningFailed"), HasSubstr("ResourceExhausted"))));
    EXPECT_EQ(Get<Pod>("db").spec.nodeName, "");
    Merge<PersistentVolumeClaim>(
        "data", R"({"metadata":{"annotations":{"simulation.flyball.dev/provision-error":null}}})");
    Pass(30s);
    EXPECT_EQ(PhaseOf("db"), "Running");
  });
}

TEST_P(SimulatedStorageTest, APodGoesWhereItsVolumeIs) {
  nodes_->Add("a");
  nodes_->Add("b");
  Play([&] {
    Create(DescribeDriver(kDriver, false));
    StorageClass local = ClassNamed("standard", "WaitForFirstConsumer", std::string(kDriver));
    local.parameters[kTopologyParameter] = "kubernetes.io/hostname";
    Create(local);
    Create(ClaimNamed("data"));
    Pod first = PodWith("first", "data");
    first.spec.nodeSelector["kubernetes.io/hostname"] = "b";
    Create(first);
    Pass(15s);
    EXPECT_EQ(PhaseOf("first"), "Running");
    Create(PodWith("second", "data"));
    Pod third = PodWith("third", "data");
    third.spec.nodeSelector["kubernetes.io/hostname"] = "a";
    Create(third);
    Pass(10s);
    EXPECT_EQ(Get<Pod>("second").spec.nodeName, "b");
    EXPECT_EQ(ScheduledMessage("third"),
              "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 1 "
              "node(s) didn't match Pod's node affinity/selector. preemption: 0/2 nodes are "
              "available: 2 Preemption is not helpful for scheduling.");
  });
}

TEST_P(SimulatedStorageTest, AVolumeThatIsThereIsTakenByTheFirstPod) {
  nodes_->Add("node");
  Play([&] {
    Create(DescribeDriver(kDriver, false));
    Create(ClassNamed("standard", "WaitForFirstConsumer", "kubernetes.io/no-provisioner"));
    PersistentVolume large = VolumeNamed("large");
    large.spec.capacity["storage"] = Size("9Gi");
    Create(large);
    Create(VolumeNamed("small"));
    Pass(1s);
    Create(ClaimNamed("one"));
    Create(ClaimNamed("two"));
    Create(ClaimNamed("three"));
    for (const std::string name : {"one", "two", "three"}) Create(PodWith(name, name));
    Pass(20s);
    EXPECT_THAT((std::vector{Get<PersistentVolumeClaim>("one").spec.volumeName,
                             Get<PersistentVolumeClaim>("two").spec.volumeName,
                             Get<PersistentVolumeClaim>("three").spec.volumeName}),
                testing::UnorderedElementsAre("small", "large", ""));
    EXPECT_EQ(std::ranges::count(std::vector{PhaseOf("one"), PhaseOf("two"), PhaseOf("three")},
                                 "Running"),
              2);
  });
}

TEST_P(SimulatedStorageTest, APodWhoseClaimIsNotThereIsToldSo) {
  nodes_->Add("node");
  Play([&] {
    Create(PodWith("db", "none"));
    Pass(5s);
    EXPECT_EQ(ScheduledMessage("db"),
              "0/1 nodes are available: persistentvolumeclaim \"none\" not found. preemption: 0/1 "
              "nodes are available: 1 Preemption is not helpful for scheduling.");
    Install(false);
    Create(ClaimNamed("none"));
    Pass(30s);
    EXPECT_EQ(PhaseOf("db"), "Running");
  });
}

TEST_P(SimulatedStorageTest, AClaimThatAsksForMoreGetsIt) {
  nodes_->Add("node");
  Play([&] {
    Install(false);
    Create(ClaimNamed("data"));
    Create(PodWith("db", "data"));
    Pass(15s);
    EXPECT_EQ(PhaseOf("db"), "Running");
    Merge<PersistentVolumeClaim>("data",
                                 R"({"spec":{"resources":{"requests":{"storage":"3Gi"}}}})");
    Pass(1s);
    EXPECT_EQ(*Get<PersistentVolumeClaim>("data").status.allocatedResourceStatuses.find("storage"),
              "ControllerResizeInProgress");
    Pass(10s);
    const auto claim = Get<PersistentVolumeClaim>("data");
    EXPECT_EQ(claim.status.capacity.find("storage")->ToString(), "3Gi");
    EXPECT_THAT(claim.status.conditions, IsEmpty());
    const auto volume = All<PersistentVolume>().at(0);
    EXPECT_EQ(volume.spec.capacity.find("storage")->ToString(), "3Gi");
    EXPECT_FALSE(volume.metadata.annotations.contains(kPreResizeCapacity));
    EXPECT_THAT(events_.lines(),
                AllOf(Contains("Normal Resizing: External resizer is resizing volume " +
                               volume.metadata.name),
                      Contains("Normal FileSystemResizeRequired: Require file system resize of "
                               "volume on node")));
  });
}

TEST_P(SimulatedStorageTest, ACrowdOfPodsGetsAVolumeEachThoughAnswersGetLost) {
  for (int i = 0; i < 3; ++i) nodes_->Add("node-" + std::to_string(i));
  Play([&] {
    Install(false);
    for (int i = 0; i < 6; ++i) {
      Create(ClaimNamed("data-" + std::to_string(i)));
      Create(PodWith("db-" + std::to_string(i), "data-" + std::to_string(i)));
    }
    sandbox::Fault lost = faults_.On(Requests::Writes()).Every(5).LoseAnswer();
    Pass(1min);
    lost.Lift();
    Pass(2min);
    EXPECT_EQ(All<PersistentVolume>().size(), 6U);
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(PhaseOf("db-" + std::to_string(i)), "Running") << i;
    }
  });
}

}  // namespace
}  // namespace flyball::simulation
