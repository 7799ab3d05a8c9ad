#include "flyball/controllers/attach_detach/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/attach_detach/attachable.h"
#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/node_fake.h"
#include "flyball/controllers/common/internal/undecodable_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::attach_detach {
namespace {

using core::v1::Node;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using sandbox::Fault;
using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using storage::v1::CSIDriver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kManaged = "volumes.kubernetes.io/controller-managed-attach-detach";
constexpr const char* kSucceeded =
    "Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume \"disk\" ";
constexpr const char* kStatusOfA = "PATCH /api/v1/nodes/a/status";
constexpr const char* kIscsiVolume = "kubernetes.io/iscsi/t:iqn.2001-04.com.example:i:0";
constexpr const char* kWaitsForWeb =
    "Warning FailedAttachVolume: Waiting for detach for volume \"disk\" Volume is already used by "
    "pod(s) web";
constexpr const char* kCreate = "POST /apis/storage.k8s.io/v1/volumeattachments";

/// The controller on an embedded server, with a test in the place of kubelets and drivers.
class AttachDetachTest : public ControllerFixture {
 protected:
  AttachDetachTest() {
    CreateNamespace("team");
    CreateServiceAccount("team");
  }

  void PlayIt(const std::function<void()>& test, Options options = {}) {
    auto with_events = deps();
    with_events.events = events_.Maker();
    Play(Make(with_events, options), [&] {
      Pass(seconds(1));
      test();
    });
  }

  template <typename T>
  void Must(const Result<T>& result) {
    ASSERT_TRUE(result) << result.error().Describe();
  }

  void CreateNode(const std::string& name, bool managed = true) {
    Node node = MakeNode(name);
    node.metadata.uid = node.metadata.resourceVersion = "";
    if (managed) node.metadata.annotations[kManaged] = "true";
    Must(All<Node>().Create(node));
    UpdateStatus(name,
                 [](Node& its) { its.status.conditions = {MakeNodeCondition("Ready", "True")}; });
  }
  void UpdateStatus(const std::string& name, const std::function<void(Node&)>& change) {
    Node node = *All<Node>().Get({"", name});
    change(node);
    Must(All<Node>().UpdateStatus(node));
  }
  void SetInUse(const std::string& node, const std::vector<std::string>& volumes) {
    UpdateStatus(node, [&](Node& its) { its.status.volumesInUse = volumes; });
  }
  void SetReady(const std::string& node, const std::string& ready) {
    UpdateStatus(node,
                 [&](Node& its) { its.status.conditions = {MakeNodeCondition("Ready", ready)}; });
  }

  /// A volume and a claim that are bound to each other.
  void CreateDisk(const std::string& name = "disk", const std::string& mode = "ReadWriteOnce",
                  const std::function<void(core::v1::PersistentVolumeSpec&)>& make = nullptr) {
    PersistentVolumeClaim claim = FakeClaim("claim-of-" + name);
    claim.spec.accessModes = {mode};
    claim.spec.volumeName = name;
    const auto created = All<PersistentVolumeClaim>().Create(claim);
    Must(created);
    PersistentVolume volume;
    volume.metadata.name = name;
    volume.spec.accessModes = {mode};
    volume.spec.capacity["storage"] = *api::Quantity::Parse("1Gi");
    volume.spec.persistentVolumeReclaimPolicy = "Retain";
    auto& owner = volume.spec.claimRef.emplace();
    owner.namespace_ = "team";
    owner.name = claim.metadata.name;
    owner.uid = created->metadata.uid;
    if (make) {
      make(volume.spec);
    } else {
      volume.spec.csi.emplace().driver = "d.example.com";
      volume.spec.csi->volumeHandle = name;
    }
    Must(All<PersistentVolume>().Create(volume));
    PersistentVolumeClaim bound = *created;
    bound.status.phase = "Bound";
    Must(All<PersistentVolumeClaim>().UpdateStatus(bound));
  }
  static std::string NameOf(const std::string& disk) {
    return "kubernetes.io/csi/d.example.com^" + disk;
  }
  static std::string AttachmentOn(const std::string& node, const std::string& disk = "disk") {
    return AttachmentName(*AttachableNamed(NameOf(disk)), node);
  }
  static std::string DeleteOn(const std::string& node) {
    return "DELETE /apis/storage.k8s.io/v1/volumeattachments/" + AttachmentOn(node);
  }

  void CreatePod(const std::string& name, const std::string& node,
                 const std::string& disk = "disk") {
    Pod pod = WithClaim(FakeStoragePod(name, node), "claim-of-" + disk);
    pod.metadata.uid = "";
    Must(All<Pod>().Create(pod));
    Run(name);
  }
  void Run(const std::string& name) {
    Pod pod = *All<Pod>().Get({"team", name});
    pod.status.phase = "Running";
    auto& container = pod.status.containerStatuses.emplace_back();
    container.name = "c";
    container.state.running.emplace();
    Must(All<Pod>().UpdateStatus(pod));
  }
  void End(const std::string& name) {
    Pod pod = *All<Pod>().Get({"team", name});
    pod.status.phase = "Succeeded";
    Must(All<Pod>().UpdateStatus(pod));
  }
  void DeletePod(const std::string& name) {
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    Must(All<Pod>().Delete({"team", name}, now));
  }

  /// What a driver does, or says that it cannot do.
  void DriverAttaches(const std::string& node, const std::string& disk = "disk") {
    ChangeStatus(node, disk, [](auto& status) {
      status.attached = true;
      status.attachError.reset();
    });
  }
  void DriverFails(const std::string& node, const std::string& why) {
    ChangeStatus(node, "disk", [&](auto& status) { status.attachError.emplace().message = why; });
  }
  void ChangeStatus(const std::string& node, const std::string& disk,
                    const std::function<void(storage::v1::VolumeAttachmentStatus&)>& change) {
    auto attachment = All<VolumeAttachment>().Get({"", AttachmentOn(node, disk)});
    Must(attachment);
    change(attachment->status);
    Must(All<VolumeAttachment>().UpdateStatus(*attachment));
  }
  /// Until Finish(), what is detached stays.
  void Hold(const std::string& node) { SetFinalizers(node, {"external-attacher/d-example-com"}); }
  void Finish(const std::string& node) { SetFinalizers(node, {}); }
  void SetFinalizers(const std::string& node, const std::vector<std::string>& finalizers) {
    auto attachment = All<VolumeAttachment>().Get({"", AttachmentOn(node)});
    Must(attachment);
    attachment->metadata.finalizers = finalizers;
    Must(All<VolumeAttachment>().Update(*attachment));
  }

  /// "disk on a", "disk to a" for one that is yet to be attached, "disk off a" for one that goes.
  std::vector<std::string> Attachments() {
    std::vector<std::string> lines;
    const auto listed = All<VolumeAttachment>().ListIn("");
    for (const auto& one : listed->items) {
      const bool goes = one.metadata.deletionTimestamp.has_value();
      lines.push_back(one.spec.source.persistentVolumeName.value_or("?") +
                      (goes                  ? " off "
                       : one.status.attached ? " on "
                                             : " to ") +
                      one.spec.nodeName);
    }
    std::ranges::sort(lines);
    return lines;
  }
  std::vector<std::string> Reported(const std::string& node) {
    std::vector<std::string> names;
    const auto got = All<Node>().Get({"", node});
    for (const auto& one : got->status.volumesAttached) {
      names.push_back(one.name);
    }
    return names;
  }
  std::vector<std::string> TakeEvents() {
    auto lines = events_.lines();
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(seen_));
    seen_ += lines.size();
    return lines;
  }

  /// A node with a pod that has its disk.
  void SetUp1() {
    CreateNode("a");
    CreateDisk();
    CreatePod("web", "a");
    Pass(seconds(1));
    DriverAttaches("a");
    Pass(seconds(1));
    EXPECT_THAT(Reported("a"), ElementsAre(NameOf("disk")));
    TakeRequests();
    TakeEvents();
  }

  /// Two nodes and a ReadWriteOnce iSCSI volume, which has no VolumeAttachment: it is attached to
  /// node a for pod web, and in use there.
  void SetUpIscsi() {
    CreateNode("a");
    CreateNode("b");
    CreateDisk("disk", "ReadWriteOnce", [](core::v1::PersistentVolumeSpec& spec) {
      spec.iscsi.emplace().targetPortal = "t";
      spec.iscsi->iqn = "iqn.2001-04.com.example:i";
    });
    CreatePod("web", "a");
    Pass(seconds(1));
    EXPECT_THAT(Reported("a"), ElementsAre(kIscsiVolume));
    SetInUse("a", {kIscsiVolume});
    Pass(seconds(1));
    TakeRequests();
    TakeEvents();
  }
  /// The pod goes on running, but no cache can tell any more what is in it.
  void MakeUndecodable(const std::string& name) {
    faults_.OnEvents(Requests::Watches().Of("pods")).Rewrite(Garble);
    Pod pod = *All<Pod>().Get({"team", name});
    pod.spec.containers[0].image = kUndecodable;
    Must(All<Pod>().Update(pod));
  }
  void DeleteNode(const std::string& name) { Must(All<Node>().Delete({"", name})); }

  runtime::FakeEventRecorder events_;
  std::size_t seen_ = 0;
};

TEST_F(AttachDetachTest, AVolumeIsAttachedForAPodAndDetachedAfterIt) {
  PlayIt([&] {
    CreateNode("a");
    CreateDisk();
    CreatePod("web", "a");
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent[0].request, kCreate);
    EXPECT_THAT(sent[0].body, HasSubstr(R"("name":")" + AttachmentOn("a")));
    EXPECT_THAT(Attachments(), ElementsAre("disk to a"));
    EXPECT_THAT(TakeEvents(), IsEmpty());
    DriverAttaches("a");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatusOfA));
    EXPECT_THAT(Reported("a"), ElementsAre(NameOf("disk")));
    EXPECT_THAT(TakeEvents(), ElementsAre(kSucceeded));
    EXPECT_THAT(metrics_.Text(), HasSubstr("attachdetach_controller_total_volumes{plugin_name="
                                           "\"kubernetes.io/csi:d.example.com\",state=\"actual_"
                                           "state_of_world\"} 1"));
    EXPECT_THAT(metrics_.Text(), HasSubstr("storage_count_attachable_volumes_in_use{node=\"a\","
                                           "volume_plugin=\"kubernetes.io/csi:d.example.com\"} 1"));

    DeletePod("web");
    Pass(seconds(1));
    const auto end = TakeSent();
    ASSERT_EQ(end.size(), 2);
    EXPECT_EQ(end[0].request, kStatusOfA);
    EXPECT_EQ(end[1].request, DeleteOn("a"));
    EXPECT_THAT(end[1].body, HasSubstr("\"preconditions\":{\"uid\":"));
    EXPECT_THAT(Attachments(), IsEmpty());
    EXPECT_THAT(Reported("a"), IsEmpty());
    EXPECT_THAT(TakeEvents(), IsEmpty());
    EXPECT_THAT(metrics_.Text(), Not(HasSubstr("state=\"actual_state_of_world\"")));
    for (const std::string operation : {"volume_attach", "volume_detach"}) {
      EXPECT_THAT(metrics_.Text(),
                  HasSubstr("storage_operation_duration_seconds_count{migrated=\"false\",operation_"
                            "name=\"" +
                            operation +
                            "\",status=\"success\",volume_plugin=\"kubernetes.io/csi:d.example."
                            "com\"} 1"));
    }
    Pass(minutes(10));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(AttachDetachTest, WhatANodeUsesStaysUntilItHasLetGo) {
  PlayIt([&] {
    SetUp1();
    SetInUse("a", {NameOf("disk")});
    DeletePod("web");
    Pass(minutes(20));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    SetInUse("a", {});
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatusOfA, DeleteOn("a")));
  });
}

TEST_F(AttachDetachTest, AVolumeIsTakenFromANodeThatIsNotWellAfterSixMinutes) {
  PlayIt([&] {
    SetUp1();
    SetInUse("a", {NameOf("disk")});
    SetReady("a", "Unknown");
    DeletePod("web");
    Pass(minutes(6) - seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    Pass(seconds(2));
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatusOfA, DeleteOn("a")));
    EXPECT_THAT(metrics_.Text(),
                HasSubstr("attach_detach_controller_attachdetach_controller_forced_detaches{reason="
                          "\"timeout\"} 1"));
  });
}

TEST_F(AttachDetachTest, NothingIsTakenByForceIfThatIsNotWanted) {
  PlayIt(
      [&] {
        SetUp1();
        SetInUse("a", {NameOf("disk")});
        SetReady("a", "Unknown");
        DeletePod("web");
        Pass(minutes(30));
        EXPECT_THAT(TakeRequests(), IsEmpty());
        Node node = *All<Node>().Get({"", "a"});
        node.spec.taints.push_back(MakeTaint("node.kubernetes.io/out-of-service", "NoExecute"));
        Must(All<Node>().Update(node));
        Pass(seconds(1));
        EXPECT_THAT(TakeRequests(), ElementsAre(kStatusOfA, DeleteOn("a")));
        EXPECT_THAT(metrics_.Text(), HasSubstr("forced_detaches{reason=\"out-of-service\"} 1"));
      },
      {.force_detach = false});
}

TEST_F(AttachDetachTest, APodThatHasEndedNeedsNothing) {
  PlayIt([&] {
    SetUp1();
    End("web");
    Pass(seconds(1));
    EXPECT_THAT(Attachments(), IsEmpty());
    CreatePod("next", "a");
    Pass(seconds(1));
    EXPECT_THAT(Attachments(), ElementsAre("disk to a"));
  });
}

TEST_F(AttachDetachTest, AVolumeMovesWithItsPodAndIsNeverOnTwoNodes) {
  PlayIt([&] {
    SetUp1();
    CreateNode("b");
    Hold("a");
    SetInUse("a", {NameOf("disk")});
    CreatePod("other", "b");
    Pass(seconds(1));
    EXPECT_THAT(TakeEvents(),
                ElementsAre("Warning FailedAttachVolume: Waiting for detach for volume \"disk\" "
                            "Volume is already used by pod(s) web"));
    DeletePod("web");
    SetInUse("a", {});
    Pass(minutes(5));
    EXPECT_THAT(Attachments(), ElementsAre("disk off a"));
    Finish("a");
    Pass(seconds(1));
    EXPECT_THAT(Attachments(), ElementsAre("disk to b"));
    DriverAttaches("b");
    Pass(seconds(1));
    EXPECT_THAT(TakeEvents(), ElementsAre(kSucceeded));
    EXPECT_THAT(Reported("a"), IsEmpty());
    EXPECT_THAT(Reported("b"), ElementsAre(NameOf("disk")));
  });
}

TEST_F(AttachDetachTest, OfTwoThatWantTheSameAtTheSameMomentOneGetsIt) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    CreateDisk();
    CreatePod("one", "a");
    CreatePod("two", "b");
    Pass(minutes(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kCreate));
    EXPECT_EQ(Attachments().size(), 1);
  });
}

TEST_F(AttachDetachTest, OneThatSeveralMayUseIsAttachedToAll) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    CreateDisk("disk", "ReadWriteMany");
    CreatePod("one", "a");
    CreatePod("two", "b");
    Pass(seconds(1));
    EXPECT_THAT(Attachments(), ElementsAre("disk to a", "disk to b"));
  });
}

TEST_F(AttachDetachTest, ADriversErrorIsToldAndOvercome) {
  PlayIt([&] {
    CreateNode("a");
    CreateDisk();
    CreatePod("web", "a");
    Pass(seconds(1));
    DriverFails("a", "no such disk");
    Pass(milliseconds(100));
    EXPECT_THAT(TakeEvents(), ElementsAre("Warning FailedAttachVolume: AttachVolume.Attach failed "
                                          "for volume \"disk\" : no such disk"));
    Pass(seconds(4));  // after 0.5, 1 and 2 seconds
    EXPECT_EQ(TakeEvents().size(), 3);
    DriverAttaches("a");
    Pass(milliseconds(100));
    EXPECT_THAT(TakeEvents(), ElementsAre(kSucceeded));
    EXPECT_THAT(Reported("a"), ElementsAre(NameOf("disk")));
  });
}

TEST_F(AttachDetachTest, WhatTheServerRefusesIsToldAndAskedForAgain) {
  PlayIt([&] {
    CreateNode("a");
    CreateDisk();
    faults_.On(Requests::Writes().Of("volumeattachments")).Times(2).Refuse(403);
    CreatePod("web", "a");
    Pass(seconds(3));
    EXPECT_THAT(TakeRequests(), ElementsAre(kCreate, kCreate, kCreate));
    const auto events = TakeEvents();
    ASSERT_EQ(events.size(), 2);
    EXPECT_THAT(events[0], HasSubstr("AttachVolume.Attach failed for volume \"disk\" : "
                                     "kubernetes.io/csi: attacher.Attach failed: "));
    EXPECT_THAT(Attachments(), ElementsAre("disk to a"));
  });
}

TEST_F(AttachDetachTest, OnNodesThatAttachThemselvesNothingIsDone) {
  PlayIt([&] {
    CreateNode("a", /*managed=*/false);
    CreateDisk();
    CreatePod("web", "a");
    Pass(minutes(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    // What is there stays as long as a pod uses it.
    Must(All<VolumeAttachment>().Create(
        AttachmentOf(*AttachableOf(*All<PersistentVolume>().Get({"", "disk"})), "a")));
    DriverAttaches("a");
    Pass(minutes(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    DeletePod("web");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(DeleteOn("a")));
  });
}

TEST_F(AttachDetachTest, ADriverThatAttachesNothingIsNotAskedTo) {
  PlayIt([&] {
    CSIDriver driver;
    driver.metadata.name = "d.example.com";
    driver.spec.attachRequired = false;
    Must(All<CSIDriver>().Create(driver));
    CreateNode("a");
    CreateDisk();
    CreatePod("web", "a");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    // Another of the same name, which does.
    Must(All<CSIDriver>().Delete({"", "d.example.com"}));
    Pass(seconds(1));
    EXPECT_THAT(Attachments(), ElementsAre("disk to a"));
    Must(All<CSIDriver>().Create(driver));
    Pass(seconds(1));
    EXPECT_THAT(Attachments(), IsEmpty());
  });
}

TEST_F(AttachDetachTest, AnAttachmentThatSomebodyDeletesIsMadeAnew) {
  PlayIt([&] {
    SetUp1();
    Must(All<VolumeAttachment>().Delete({"", AttachmentOn("a")}));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatusOfA, kCreate));
    DriverAttaches("a");
    Pass(seconds(1));
    EXPECT_THAT(TakeEvents(), ElementsAre(kSucceeded));
  });
}

TEST_F(AttachDetachTest, ItIsNotIfNothingIsToBeCompared) {
  PlayIt(
      [&] {
        SetUp1();
        Must(All<VolumeAttachment>().Delete({"", AttachmentOn("a")}));
        Pass(minutes(5));
        EXPECT_THAT(TakeRequests(), IsEmpty());
      },
      {.compare = false});
}

TEST_F(AttachDetachTest, ANodesVolumesAreFreedWhenItIsGone) {
  PlayIt([&] {
    SetUp1();
    Must(All<Node>().Delete({"", "a"}));
    Pass(minutes(10));
    EXPECT_THAT(TakeRequests(), IsEmpty()) << "its pod is still there";
    DeletePod("web");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(DeleteOn("a")));
  });
}

TEST_F(AttachDetachTest, WhatAGoneNodeUsedIsFreedAfterSixMinutes) {
  PlayIt([&] {
    SetUp1();
    SetInUse("a", {NameOf("disk")});
    Must(All<Node>().Delete({"", "a"}));
    DeletePod("web");
    Pass(minutes(5));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    Pass(minutes(2));
    EXPECT_THAT(TakeRequests(), ElementsAre(DeleteOn("a")));
  });
}

TEST_F(AttachDetachTest, AManagerThatStartsFindsWhatIsDangling) {
  CreateNode("a");
  CreateDisk();
  CreateDisk("used");
  CreateDisk("foreign");
  for (const std::string disk : {"disk", "used", "foreign"}) {
    auto attachment = AttachmentOf(*AttachableOf(*All<PersistentVolume>().Get({"", disk})), "a");
    if (disk == "foreign") attachment.metadata.name = "by-hand";
    Must(All<VolumeAttachment>().Create(attachment));
  }
  CreatePod("web", "a", "used");
  UpdateStatus("a", [](Node& node) {
    node.status.volumesAttached.emplace_back().name = NameOf("used");
    node.status.volumesAttached.emplace_back().name = NameOf("not-there");
    node.status.volumesAttached.emplace_back().name = "kubernetes.io/aws-ebs/vol-1";
  });
  DriverAttaches("a", "used");
  PlayIt([&] {
    Pass(seconds(1));
    EXPECT_THAT(Attachments(), ElementsAre("foreign to a", "used on a"));
    EXPECT_THAT(Reported("a"), ElementsAre(NameOf("used"), "kubernetes.io/aws-ebs/vol-1"));
    EXPECT_THAT(TakeEvents(), IsEmpty());
  });
}

TEST_F(AttachDetachTest, NothingIsDetachedForWantOfAPodThatTheCacheDoesNotShowYet) {
  PlayIt([&] {
    SetUp1();
    // The cache is to see the first pod go, and not the other come.
    faults_.OnEvents(Requests::Watches().Of("pods")).After(1).Delay(seconds(30));
    before_next_request_ = [&] { CreatePod("next", "a"); };
    DeletePod("web");
    Pass(seconds(20));
    EXPECT_THAT(Attachments(), ElementsAre("disk on a"));
    Pass(seconds(20));
    EXPECT_THAT(Attachments(), ElementsAre("disk on a"));
    EXPECT_THAT(Reported("a"), ElementsAre(NameOf("disk")));
  });
}

TEST_F(AttachDetachTest, NothingIsDetachedForWantOfAPodThatTheCacheShowsWhileTheServerIsAsked) {
  PlayIt([&] {
    SetUp1();
    before_next_request_ = [&] {
      CreatePod("next", "a");
      Pass(seconds(1));
    };
    DeletePod("web");
    Pass(seconds(5));
    EXPECT_THAT(Attachments(), ElementsAre("disk on a"));
    EXPECT_THAT(Reported("a"), ElementsAre(NameOf("disk")));
  });
}

TEST_F(AttachDetachTest, ANodeThatUsesAVolumeAgainKeepsIt) {
  PlayIt([&] {
    SetUp1();
    // It says so after it has been told that it has the volume no more.
    answer_instead_ = [&](const transport::Request& request) -> std::optional<transport::Response> {
      if (request.method == "GET" && request.target.starts_with("/api/v1/nodes/a")) {
        answer_instead_ = nullptr;
        SetInUse("a", {NameOf("disk")});
      }
      return std::nullopt;
    };
    DeletePod("web");
    Pass(minutes(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatusOfA));
    EXPECT_THAT(Attachments(), ElementsAre("disk on a"));
    SetInUse("a", {});
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(DeleteOn("a")));
  });
}

TEST_F(AttachDetachTest, WhatANodeAttachesItselfItIsToldOf) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    CreateDisk("disk", "ReadWriteOnce", [](core::v1::PersistentVolumeSpec& spec) {
      spec.iscsi.emplace().targetPortal = "t";
      spec.iscsi->iqn = "iqn.2001-04.com.example:i";
    });
    const std::string name = kIscsiVolume;
    CreatePod("web", "a");
    Pass(seconds(1));
    EXPECT_THAT(Reported("a"), ElementsAre(name));
    EXPECT_THAT(TakeEvents(), ElementsAre(kSucceeded));
    SetInUse("a", {name});
    CreatePod("other", "b");
    Pass(seconds(1));
    EXPECT_THAT(Reported("b"), IsEmpty());
    EXPECT_EQ(TakeEvents().size(), 1);
    DeletePod("web");
    SetInUse("a", {});
    Pass(seconds(1));
    EXPECT_THAT(Reported("a"), IsEmpty());
    EXPECT_THAT(Reported("b"), ElementsAre(name));
  });
}

TEST_F(AttachDetachTest, KeepsVolumesOfANodeWithAPodThatCannotBeDecodedAndAttachesOthers) {
  PlayIt([&] {
    SetUp1();
    CreateDisk("second");
    Fault lists = faults_.On(Requests::Lists().Of("pods")).Delay(milliseconds(1));
    MakeUndecodable("web");
    Pass(seconds(10));
    CreatePod("db", "a", "second");
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kCreate));
    DriverAttaches("a", "second");
    Pass(minutes(60));
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatusOfA));
    EXPECT_THAT(Attachments(), ElementsAre("disk on a", "second on a"));
    EXPECT_GT(lists.count(), 50);
    EXPECT_LT(lists.count(), 80);

    DeletePod("web");
    Pass(minutes(2));
    EXPECT_THAT(TakeRequests(), ElementsAre(kStatusOfA, DeleteOn("a")));
  });
}

TEST_F(AttachDetachTest, KeepsIscsiVolumeOfAPodThatCannotBeDecoded) {
  PlayIt([&] {
    SetUpIscsi();
    MakeUndecodable("web");
    // A kubelet that has just started, and has not found yet what it has mounted.
    SetInUse("a", {});
    CreatePod("other", "b");
    Pass(minutes(60));
    EXPECT_THAT(Reported("a"), ElementsAre(kIscsiVolume));
    EXPECT_THAT(Reported("b"), IsEmpty());
    DeletePod("web");
    Pass(minutes(2));
    EXPECT_THAT(Reported("a"), IsEmpty());
    EXPECT_THAT(Reported("b"), ElementsAre(kIscsiVolume));
  });
}

TEST_F(AttachDetachTest, KeepsIscsiVolumeOfDeletedNodeUntilPodIsGoneAndUnmountTimeHasPassed) {
  PlayIt([&] {
    SetUpIscsi();
    DeleteNode("a");
    CreatePod("other", "b");
    Pass(minutes(10));
    EXPECT_THAT(Reported("b"), IsEmpty());
    EXPECT_THAT(TakeEvents(), ElementsAre(kWaitsForWeb));
    DeletePod("web");
    Pass(minutes(5));
    EXPECT_THAT(Reported("b"), IsEmpty());
    Pass(minutes(2));
    EXPECT_THAT(Reported("b"), ElementsAre(kIscsiVolume));
    EXPECT_THAT(TakeEvents(), ElementsAre(kSucceeded));
  });
}

TEST_F(AttachDetachTest, KeepsFibreChannelVolumeOfDeletedNode) {
  PlayIt([&] {
    CreateNode("a");
    CreateNode("b");
    CreateDisk("disk", "ReadWriteOnce",
               [](core::v1::PersistentVolumeSpec& spec) { spec.fc.emplace().wwids = {"w"}; });
    CreatePod("web", "a");
    Pass(seconds(1));
    EXPECT_THAT(Reported("a"), ElementsAre("kubernetes.io/fc/[w]"));
    DeleteNode("a");
    CreatePod("other", "b");
    Pass(minutes(10));
    EXPECT_THAT(Reported("b"), IsEmpty());
    // The deleted node did not use it, so that nothing has to be unmounted.
    DeletePod("web");
    Pass(seconds(1));
    EXPECT_THAT(Reported("b"), ElementsAre("kubernetes.io/fc/[w]"));
  });
}

TEST_F(AttachDetachTest, KeepsIscsiVolumeOfDeletedNodeIfForceDetachIsDisabled) {
  PlayIt(
      [&] {
        SetUpIscsi();
        DeleteNode("a");
        DeletePod("web");
        CreatePod("other", "b");
        Pass(minutes(30));
        EXPECT_THAT(Reported("b"), IsEmpty());
        // A machine that was set up anew: six minutes later its kubelet knows what it has mounted.
        CreateNode("a");
        Pass(minutes(5));
        EXPECT_THAT(Reported("b"), IsEmpty());
        Pass(minutes(2));
        EXPECT_THAT(Reported("b"), ElementsAre(kIscsiVolume));
      },
      {.force_detach = false});
}

TEST_F(AttachDetachTest, ReportsIscsiVolumeAgainWhenNodeRegistersAnew) {
  PlayIt([&] {
    SetUpIscsi();
    DeleteNode("a");
    Pass(seconds(1));
    CreateNode("a");
    CreatePod("other", "b");
    Pass(seconds(1));
    EXPECT_THAT(Reported("a"), ElementsAre(kIscsiVolume));
    EXPECT_THAT(Reported("b"), IsEmpty());
    EXPECT_THAT(TakeEvents(), ElementsAre(kWaitsForWeb));
    SetInUse("a", {kIscsiVolume});
    DeletePod("web");
    Pass(minutes(20));
    EXPECT_THAT(Reported("b"), IsEmpty());
    SetInUse("a", {});
    Pass(seconds(1));
    EXPECT_THAT(Reported("a"), IsEmpty());
    EXPECT_THAT(Reported("b"), ElementsAre(kIscsiVolume));
  });
}

TEST_F(AttachDetachTest, KeepsIscsiVolumeOfNodeThatRegistersAnewBeforeItKnowsItsMounts) {
  PlayIt([&] {
    SetUpIscsi();
    DeleteNode("a");
    DeletePod("web");
    CreatePod("other", "b");
    Pass(minutes(1));
    // A kubelet that has just started says nothing of mounts that it has yet to find.
    CreateNode("a");
    Pass(minutes(4));
    EXPECT_THAT(Reported("b"), IsEmpty());
    SetInUse("a", {kIscsiVolume});
    Pass(minutes(20));
    EXPECT_THAT(Reported("b"), IsEmpty());
    SetInUse("a", {});
    Pass(seconds(1));
    EXPECT_THAT(Reported("b"), ElementsAre(kIscsiVolume));
  });
}

TEST_F(AttachDetachTest, ReleasesIscsiVolumeOfNodeThatRegistersAnewAfterUnmountTime) {
  PlayIt([&] {
    SetUpIscsi();
    DeleteNode("a");
    DeletePod("web");
    CreatePod("other", "b");
    Pass(minutes(1));
    CreateNode("a");
    Pass(minutes(4));
    EXPECT_THAT(Reported("b"), IsEmpty());
    Pass(minutes(2));
    EXPECT_THAT(Reported("b"), ElementsAre(kIscsiVolume));
  });
}

TEST_F(AttachDetachTest, ReportsIscsiVolumeAgainWhenNodeStatusLosesIt) {
  PlayIt([&] {
    SetUpIscsi();
    CreatePod("other", "b");
    Pass(seconds(1));
    EXPECT_THAT(TakeEvents(), ElementsAre(kWaitsForWeb));
    UpdateStatus("a", [](Node& node) { node.status.volumesAttached.clear(); });
    Pass(seconds(1));
    EXPECT_THAT(Reported("a"), ElementsAre(kIscsiVolume));
    EXPECT_THAT(Reported("b"), IsEmpty());
    EXPECT_THAT(TakeEvents(), IsEmpty());
  });
}

TEST_F(AttachDetachTest, KeepsIscsiVolumeInUseWhenNodeStatusLosesIt) {
  PlayIt([&] {
    SetUpIscsi();
    DeletePod("web");
    CreatePod("other", "b");
    UpdateStatus("a", [](Node& node) { node.status.volumesAttached.clear(); });
    Pass(minutes(20));
    EXPECT_THAT(Reported("b"), IsEmpty());
    SetInUse("a", {});
    Pass(seconds(1));
    EXPECT_THAT(Reported("b"), ElementsAre(kIscsiVolume));
  });
}

TEST_F(AttachDetachTest, WhatAPodDescribesIsAttachedAsItIsDescribed) {
  PlayIt([&] {
    CreateNode("a");
    Pod pod = FakeStoragePod("web", "a");
    pod.metadata.uid = "";
    pod.spec.volumes.emplace_back().name = "data";
    pod.spec.volumes.back().cinder.emplace().volumeID = "c";
    Must(All<Pod>().Create(pod));
    Pass(seconds(1));
    const auto attachments = All<VolumeAttachment>().ListIn("")->items;
    ASSERT_EQ(attachments.size(), 1);
    EXPECT_EQ(attachments[0].spec.attacher, "cinder.csi.openstack.org");
    EXPECT_EQ(attachments[0].spec.source.inlineVolumeSpec->csi->volumeHandle, "c");
    DeletePod("web");
    Pass(seconds(1));
    EXPECT_THAT(Attachments(), IsEmpty());
  });
}

TEST_F(AttachDetachTest, AConflictOverANodesStatusIsOvercome) {
  PlayIt([&] {
    CreateNode("a");
    CreateDisk();
    CreatePod("web", "a");
    Pass(seconds(1));
    faults_.On(Requests::Writes().Of("nodes")).Once().Refuse(409);
    DriverAttaches("a");
    Pass(seconds(4));  // until the server was asked, which has no other object
    EXPECT_THAT(Reported("a"), ElementsAre(NameOf("disk")));
    EXPECT_THAT(TakeEvents(), ElementsAre(kSucceeded));
  });
}

}  // namespace
}  // namespace flyball::controllers::attach_detach
