#include "flyball/controllers/attach_detach/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/node_fake.h"
#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::attach_detach {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using Force = Detachment::Force;
using Operation = VolumeMemory::Operation;

constexpr const char* kName = "kubernetes.io/csi/d.example.com^h";
constexpr const char* kDisk = "kubernetes.io/iscsi/t:i:0";
const SteadyTime kNow = SteadyTime(std::chrono::hours(5));

Attachable OfDriver() {
  Attachable volume = *AttachableNamed(kName);
  volume.title = volume.persistent_volume = "disk";
  volume.exclusive = true;
  return volume;
}
Attachable OfNobody() {
  Attachable volume = *AttachableNamed(kDisk);
  volume.title = "disk";
  volume.exclusive = true;
  return volume;
}

/// A volume on a node, said in the order in which it comes about.
struct Case {
  VolumeFacts facts{.volume = OfDriver()};
  core::v1::Node node = MakeNode("n");
  bool node_is_there = true;
  NodeMemory memory = {};
  Rules rules = {};

  VolumeAttachment& attachment() {
    if (!made) made = AttachmentOf(facts.volume, "n");
    return *made;
  }
  std::optional<VolumeAttachment> made = std::nullopt;

  Case& Wanted(const std::string& pod = "web") {
    facts.pods.push_back(ViewOf(FakeStoragePod(pod, "n")));
    return *this;
  }
  Case& Attached(bool attached = true) {
    attachment().status.attached = attached;
    return *this;
  }
  Case& Going() {
    attachment().metadata.deletionTimestamp = api::Time::FromUnix(1);
    return *this;
  }
  Case& Reported() {
    facts.reported = true;
    auto& reported = node.status.volumesAttached.emplace_back();
    reported.name = facts.volume.name;
    reported.devicePath = "/dev/a";
    return *this;
  }
  Case& InUse() {
    facts.in_use = true;
    return *this;
  }
  Case& Unwell() {
    node = [&] {
      auto unwell = MakeNode("n", "Unknown");
      unwell.status.volumesAttached = node.status.volumesAttached;
      return unwell;
    }();
    return *this;
  }
  Case& At(Elsewhere other) {
    facts.elsewhere.push_back(std::move(other));
    return *this;
  }
  VolumeMemory& remembered() { return memory[facts.volume.name]; }

  Plan Make(SteadyTime now = kNow) {
    if (made) facts.attachment = std::make_shared<const VolumeAttachment>(*made);
    NodeFacts all{.name = "n", .node = node_is_there ? ViewOf(node) : nullptr};
    all.volumes.push_back(facts);
    Plan plan = PlanFor(all, memory, rules, now);
    memory = plan.memory;
    return plan;
  }
};

std::vector<std::string> EventsOf(const Plan& plan) {
  std::vector<std::string> lines;
  for (const auto& [pod, event] : plan.events) {
    lines.push_back(std::string(pod->metadata.name) + ": " + event.reason + ": " + event.message);
  }
  return lines;
}
/// Reports these, in JSON.
std::string Report(const std::string& volumes) {
  return R"({"metadata":{"resourceVersion":"7"},"status":{"volumesAttached":)" + volumes + "}}";
}
std::string ReportOf(const Plan& plan) { return plan.report ? plan.report->ToString() : ""; }
std::string Listed(const std::string& name) {
  return R"({"devicePath":"","name":")" + name + R"("})";
}
std::vector<std::string> AttachedBy(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& volume : plan.attach) names.push_back(volume.name);
  return names;
}
void ExpectNothing(const Plan& plan) {
  EXPECT_EQ(plan.ToString(), "");
  EXPECT_THAT(EventsOf(plan), IsEmpty());
  EXPECT_THAT(plan.missing, IsEmpty());
}

constexpr const char* kAttachSucceeded =
    "web: SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume \"disk\" ";

TEST(AttachPlan, AVolumeThatAPodWantsIsAttached) {
  Case one;
  const Plan plan = one.Wanted().Make();
  EXPECT_THAT(AttachedBy(plan), ElementsAre(kName));
  EXPECT_THAT(plan.begun, ElementsAre(kName));
  EXPECT_THAT(EventsOf(plan), IsEmpty());
  EXPECT_EQ(plan.report, std::nullopt);
  EXPECT_EQ(plan.ToString(), std::string("attaches ") + kName);
  EXPECT_EQ(one.remembered(), (VolumeMemory{.operation = Operation::kAttach, .begun = kNow}));
}

TEST(AttachPlan, ADriverHasTwoMinutesBeforePodsAreTold) {
  Case one;
  one.Wanted().Make();
  one.Attached(false);
  EXPECT_EQ(one.Make(kNow + seconds(1)).again, seconds(119));
  const Plan late = one.Make(kNow + minutes(2));
  EXPECT_THAT(EventsOf(late),
              ElementsAre("web: FailedAttachVolume: AttachVolume.Attach failed for volume \"disk\" "
                          ": timed out waiting for external-attacher of d.example.com CSI driver "
                          "to attach volume h"));
  EXPECT_EQ(late.again, milliseconds(500));
  EXPECT_THAT(late.ended, ElementsAre(Ended{.plugin = "kubernetes.io/csi:d.example.com",
                                            .operation = Operation::kAttach,
                                            .failed = true,
                                            .took = minutes(2)}));
  // Then it has as long again.
  const Plan after = one.Make(kNow + minutes(2) + milliseconds(500));
  ExpectNothing(after);
  EXPECT_EQ(after.again, minutes(2));
}

TEST(AttachPlan, WhatIsAttachedIsReportedAndTold) {
  Case one;
  one.Wanted().Wanted("two").Make();
  const Plan plan = one.Attached().Make(kNow + seconds(3));
  EXPECT_EQ(ReportOf(plan), Report("[" + Listed(kName) + "]"));
  EXPECT_EQ(plan.ToString(), "reports other volumes");
  EXPECT_THAT(EventsOf(plan),
              ElementsAre(kAttachSucceeded, "two" + std::string(kAttachSucceeded).substr(3)));
  EXPECT_THAT(plan.ended, ElementsAre(Ended{.plugin = "kubernetes.io/csi:d.example.com",
                                            .operation = Operation::kAttach,
                                            .took = seconds(3)}));
  EXPECT_EQ(one.remembered(), (VolumeMemory{.begun = kNow, .told_of_success = true}));
}

TEST(AttachPlan, WhatIsReportedIsLeftAlone) {
  Case one;
  const Plan plan = one.Wanted().Attached().Reported().Make();
  ExpectNothing(plan);
  EXPECT_EQ(plan.again, std::nullopt);
  EXPECT_THAT(plan.ended, IsEmpty());
}

TEST(AttachPlan, ANodeThatHasForgottenIsToldAgainAndPeopleAreNot) {
  Case one;
  one.Wanted().Attached().Reported().Make();
  one.node.status.volumesAttached.clear();
  one.facts.reported = false;
  const Plan plan = one.Make();
  EXPECT_EQ(ReportOf(plan), Report("[" + Listed(kName) + "]"));
  EXPECT_THAT(EventsOf(plan), IsEmpty());
}

TEST(AttachPlan, WhatOthersSayInANodesStatusStays) {
  Case one;
  auto& other = one.node.status.volumesAttached.emplace_back();
  other.name = "example.com/flex/a";
  other.devicePath = "/dev/b";
  const Plan plan = one.Wanted().Attached().Make();
  EXPECT_EQ(ReportOf(plan), Report(R"([{"devicePath":"/dev/b","name":"example.com/flex/a"},)" +
                                   Listed(kName) + "]"));
}

TEST(AttachPlan, ADriversErrorIsToldLessAndLessOften) {
  Case one;
  one.Wanted().Make();
  one.attachment().status.attachError.emplace().message = "no such disk";
  SteadyTime now = kNow + seconds(1);
  std::vector<std::int64_t> delays;
  for (int i = 0; i < 11; ++i) {
    const Plan plan = one.Make(now);
    EXPECT_THAT(EventsOf(plan),
                ElementsAre("web: FailedAttachVolume: AttachVolume.Attach failed for volume "
                            "\"disk\" : no such disk"));
    EXPECT_EQ(plan.ended.size(), 1);
    delays.push_back(std::chrono::duration_cast<milliseconds>(*plan.again).count());
    // Whatever else may happen meanwhile.
    const Plan between = one.Make(now + *plan.again / 2);
    ExpectNothing(between);
    EXPECT_EQ(between.again, *plan.again - *plan.again / 2);
    now += *plan.again;
  }
  EXPECT_THAT(delays, ElementsAre(500, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 122000, 122000,
                                  122000));
  one.attachment().status.attachError.reset();
  const Plan attached = one.Attached().Make(now);
  EXPECT_THAT(EventsOf(attached), ElementsAre(kAttachSucceeded));
  EXPECT_EQ(one.remembered().failures, 0);
}

TEST(AttachPlan, WhatCouldNotBeAskedForIsAskedForLater) {
  Case one;
  one.Wanted().Make();
  EXPECT_EQ(Failed(one.remembered(), kNow), milliseconds(500));
  const Plan early = one.Make(kNow + milliseconds(200));
  ExpectNothing(early);
  EXPECT_EQ(early.again, milliseconds(300));
  EXPECT_THAT(AttachedBy(one.Make(kNow + milliseconds(500))), ElementsAre(kName));
}

TEST(AttachPlan, WhatAnotherNodeHasIsWaitedFor) {
  Case one;
  one.Wanted().At(
      {.node = "m", .attached = true, .in_use = true, .pods = {{"team", "a"}, {"team", "b"}}});
  const Plan plan = one.Make();
  EXPECT_THAT(AttachedBy(plan), IsEmpty());
  EXPECT_THAT(EventsOf(plan),
              ElementsAre("web: FailedAttachVolume: Waiting for detach for volume \"disk\" Volume "
                          "is already used by pod(s) a, b"));
  EXPECT_EQ(plan.again, std::nullopt);
  // That is told once.
  ExpectNothing(one.Make(kNow + minutes(9)));
  one.facts.elsewhere.clear();
  EXPECT_THAT(AttachedBy(one.Make(kNow + minutes(10))), ElementsAre(kName));
}

TEST(AttachPlan, PodsOfOtherNamespacesAreNotNamed) {
  const auto message = [](std::vector<api::ObjectKey> pods) {
    Case one;
    const Plan plan =
        one.Wanted().At({.node = "m", .attached = true, .pods = std::move(pods)}).Make();
    const std::string line = EventsOf(plan).at(0);
    return line.substr(line.find("Volume is"));
  };
  EXPECT_EQ(message({{"x", "a"}}), "Volume is already used by 1 pod(s) in different namespaces");
  EXPECT_EQ(message({{"team", "a"}, {"x", "b"}, {"y", "c"}}),
            "Volume is already used by pod(s) a and 2 pod(s) in different namespaces");
}

TEST(AttachPlan, ANodeWithoutPodsThatUsesAVolumeStillHasIt) {
  Case one;
  const Plan plan = one.Wanted().At({.node = "m", .attached = true, .in_use = true}).Make();
  EXPECT_THAT(EventsOf(plan),
              ElementsAre("web: FailedAttachVolume: Waiting for detach for volume \"disk\" Volume "
                          "is already exclusively attached to one node, waiting on detach before "
                          "it can be attached to another node"));
}

TEST(AttachPlan, ANodeThatIsAboutToLetGoIsWaitedForInSilence) {
  for (const Elsewhere& other :
       {Elsewhere{.node = "m", .attached = true}, Elsewhere{.node = "m", .in_use = true},
        Elsewhere{.node = "m", .pods = {{"team", "a"}}}}) {
    Case one;
    ExpectNothing(one.Wanted().At(other).Make());
  }
}

TEST(AttachPlan, WhatSeveralNodesMayHaveIsAttachedToSeveral) {
  Case one;
  one.facts.volume.exclusive = false;
  const Plan plan = one.Wanted().At({.node = "m", .attached = true, .in_use = true}).Make();
  EXPECT_THAT(AttachedBy(plan), ElementsAre(kName));
  EXPECT_THAT(plan.begun, IsEmpty());
}

TEST(AttachPlan, WhatSomebodyElseIsAboutToAttachIsLookedForAgain) {
  Case one;
  one.facts.contended = true;
  const Plan plan = one.Wanted().Make();
  ExpectNothing(plan);
  EXPECT_EQ(plan.again, seconds(1));
}

TEST(AttachPlan, WhatNobodyAttachesANodeIsToldOf) {
  Case one{.facts = {.volume = OfNobody()}};
  const Plan plan = one.Wanted().Make();
  EXPECT_EQ(ReportOf(plan), Report("[" + Listed(kDisk) + "]"));
  EXPECT_THAT(AttachedBy(plan), IsEmpty());
  EXPECT_THAT(plan.begun, ElementsAre(kDisk));
  EXPECT_THAT(EventsOf(plan), ElementsAre(kAttachSucceeded));
  EXPECT_THAT(plan.ended,
              ElementsAre(Ended{.plugin = "kubernetes.io/iscsi", .operation = Operation::kAttach}));
  one.Reported();
  ExpectNothing(one.Make());
}

TEST(AttachPlan, NorIsANodeToldOfWhatAnotherHas) {
  Case one{.facts = {.volume = OfNobody()}};
  one.Wanted().At({.node = "m", .attached = true, .in_use = true});
  EXPECT_EQ(one.Make().report, std::nullopt);
}

TEST(AttachPlan, AnAttachmentThatIsGoneIsLookedForAndMadeAnew) {
  Case one;
  const Plan plan = one.Wanted().Reported().Make();
  EXPECT_THAT(plan.missing, ElementsAre(AttachmentName(OfDriver(), "n")));
  EXPECT_EQ(ReportOf(plan), Report("null"));
  EXPECT_THAT(AttachedBy(plan), ElementsAre(kName));
}

TEST(AttachPlan, AnAttachmentThatIsAttachedNoMoreIsNotReported) {
  Case one;
  const Plan plan = one.Wanted().Reported().Attached(false).Make();
  EXPECT_EQ(ReportOf(plan), Report("null"));
  EXPECT_THAT(plan.missing, IsEmpty());
  EXPECT_EQ(plan.again, minutes(2));
}

TEST(AttachPlan, ANodeIsBelievedIfNothingIsToBeCompared) {
  Case gone{.rules = {.compare = false}};
  ExpectNothing(gone.Wanted().Reported().Make());
  Case detached{.rules = {.compare = false}};
  ExpectNothing(detached.Wanted().Reported().Attached(false).Make());
}

TEST(AttachPlan, WhatIsBeingDetachedAndWantedAgainHasToGoFirst) {
  Case one;
  one.Wanted().Attached().Going().Reported();
  const Plan plan = one.Make();
  EXPECT_EQ(ReportOf(plan), Report("null"));
  EXPECT_THAT(EventsOf(plan), IsEmpty());
  EXPECT_EQ(plan.again, minutes(2));
  const Plan late = one.Make(kNow + minutes(2));
  EXPECT_THAT(EventsOf(late),
              ElementsAre("web: FailedAttachVolume: AttachVolume.Attach failed for volume \"disk\" "
                          ": volume attachment is being deleted"));
  // When it has gone that is counted, and it is attached.
  one.made.reset();
  one.facts.attachment = nullptr;
  one.facts.reported = false;
  const Plan anew = one.Make(kNow + minutes(3));
  EXPECT_THAT(AttachedBy(anew), ElementsAre(kName));
  EXPECT_THAT(anew.ended, ElementsAre(Ended{.plugin = "kubernetes.io/csi:d.example.com",
                                            .operation = Operation::kDetach,
                                            .took = minutes(1) - milliseconds(500)}));
}

TEST(AttachPlan, APodIsToldAtOnceThatDetachingFails) {
  Case one;
  one.Wanted().Attached().Going();
  one.attachment().status.detachError.emplace().message = "busy";
  EXPECT_THAT(EventsOf(one.Make()),
              ElementsAre("web: FailedAttachVolume: AttachVolume.Attach failed for volume \"disk\" "
                          ": volume attachment is being deleted"));
}

TEST(DetachPlan, WhatNobodyWantsIsTakenBackAndDetached) {
  Case one;
  const Plan plan = one.Attached().Reported().Make();
  EXPECT_EQ(ReportOf(plan), Report("null"));
  ASSERT_EQ(plan.detach.size(), 1);
  EXPECT_EQ(plan.detach[0].volume, kName);
  EXPECT_EQ(plan.detach[0].attachment, one.facts.attachment);
  EXPECT_EQ(plan.detach[0].force, Force::kNone);
  EXPECT_EQ(plan.ToString(), std::string("reports other volumes, detaches ") + kName);
  EXPECT_EQ(one.remembered(),
            (VolumeMemory{.unwanted_since = kNow, .operation = Operation::kDetach, .begun = kNow}));
}

TEST(DetachPlan, WhatWasNeverAttachedIsDetachedToo) {
  Case one;
  one.Wanted().Make();
  one.facts.pods.clear();
  EXPECT_EQ(one.Attached(false).Make().detach.size(), 1);
}

TEST(DetachPlan, WhileItGoesThereIsNothingToDo) {
  Case one;
  one.Attached().Make();
  one.Going();
  const Plan plan = one.Make(kNow + seconds(1));
  ExpectNothing(plan);
  EXPECT_EQ(plan.again, std::nullopt);
  EXPECT_THAT(plan.ended, IsEmpty());
  one.attachment().status.detachError.emplace().message = "busy";
  EXPECT_THAT(one.Make(kNow + seconds(2)).ended,
              ElementsAre(Ended{.plugin = "kubernetes.io/csi:d.example.com",
                                .operation = Operation::kDetach,
                                .failed = true,
                                .took = seconds(2)}));
  EXPECT_THAT(one.Make(kNow + seconds(3)).ended, IsEmpty());
}

TEST(DetachPlan, WhenItHasGoneThatIsCounted) {
  const NodeMemory memory = {
      {kName, {.operation = Operation::kDetach, .begun = kNow}},
      {"kubernetes.io/csi/d^i", {.operation = Operation::kAttach, .begun = kNow}},
      {"unknown", {.operation = Operation::kDetach, .begun = kNow}}};
  const Plan plan = PlanFor({.name = "n"}, memory, {}, kNow + seconds(4));
  EXPECT_THAT(plan.ended, ElementsAre(Ended{.plugin = "kubernetes.io/csi:d.example.com",
                                            .operation = Operation::kDetach,
                                            .took = seconds(4)}));
  EXPECT_THAT(plan.memory, IsEmpty());
}

TEST(DetachPlan, WhatANodeUsesIsWaitedForSixMinutes) {
  Case one;
  one.Attached().Reported().InUse().Unwell();
  const Plan plan = one.Make();
  ExpectNothing(plan);
  EXPECT_EQ(plan.again, minutes(6) + milliseconds(1));
  ExpectNothing(one.Make(kNow + minutes(6)));
  const Plan late = one.Make(kNow + minutes(6) + milliseconds(1));
  ASSERT_EQ(late.detach.size(), 1);
  EXPECT_EQ(late.detach[0].force, Force::kTimeout);
  EXPECT_EQ(ReportOf(late), Report("null"));
  EXPECT_EQ(late.ToString(), std::string("reports other volumes, takes away ") + kName);
}

TEST(DetachPlan, FromANodeThatIsWellNothingIsTaken) {
  Case one;
  one.Attached().Reported().InUse().Make();
  const Plan plan = one.Make(kNow + minutes(60));
  ExpectNothing(plan);
  EXPECT_EQ(plan.again, std::nullopt);
}

TEST(DetachPlan, NorFromAnyIfThatIsNotWanted) {
  Case one{.rules = {.force = false}};
  one.Attached().Reported().InUse().Unwell();
  EXPECT_EQ(one.Make().again, std::nullopt);
  ExpectNothing(one.Make(kNow + minutes(60)));
}

TEST(DetachPlan, TheTimeBeginsAnewWhenAPodComes) {
  Case one;
  one.Attached().Reported().InUse().Unwell().Make();
  one.Wanted().Make(kNow + minutes(5));
  one.facts.pods.clear();
  EXPECT_EQ(one.Make(kNow + minutes(7)).again, minutes(6) + milliseconds(1));
}

TEST(DetachPlan, FromANodeOutOfServiceEverythingIsTakenAtOnce) {
  Case one{.rules = {.force = false}};
  one.node.spec.taints.push_back(MakeTaint("node.kubernetes.io/out-of-service", "NoExecute"));
  const Plan plan = one.Attached().Reported().InUse().Make();
  ASSERT_EQ(plan.detach.size(), 1);
  EXPECT_EQ(plan.detach[0].force, Force::kOutOfService);
}

TEST(DetachPlan, ANodeThatIsGoneIsNotWell) {
  Case one;
  one.node_is_there = false;
  one.Attached().InUse();
  EXPECT_EQ(one.Make().again, minutes(6) + milliseconds(1));
  const Plan plan = one.Make(kNow + minutes(7));
  ASSERT_EQ(plan.detach.size(), 1);
  EXPECT_EQ(plan.detach[0].force, Force::kTimeout);
  EXPECT_EQ(plan.report, std::nullopt);
}

TEST(DetachPlan, WhatAGoneNodeDoesNotUseIsDetachedAtOnce) {
  Case one;
  one.node_is_there = false;
  EXPECT_EQ(one.Attached().Make().detach.size(), 1);
}

TEST(AttachPlan, ReportsHeldVolumeAgainWithoutEvent) {
  Case one{.facts = {.volume = OfNobody()}};
  one.Wanted().Make();
  one.facts.held = true;
  // The Node object is deleted, its pod is still there, and then the node registers anew.
  one.node_is_there = false;
  one.facts.kept = true;
  const auto pods = std::exchange(one.facts.pods, {});
  ExpectNothing(one.Make());
  one.node_is_there = true;
  one.facts.kept = false;
  one.facts.pods = pods;
  one.At({.node = "m", .attached = false});
  const Plan plan = one.Make();
  EXPECT_EQ(ReportOf(plan), Report("[" + Listed(kDisk) + "]"));
  EXPECT_THAT(plan.hold, ElementsAre(kDisk));
  EXPECT_THAT(EventsOf(plan), IsEmpty());
  EXPECT_THAT(plan.ended, IsEmpty());
}

TEST(DetachPlan, ReleasesHeldVolumeOfDeletedNodeAfterUnmountTime) {
  Case one{.facts = {.volume = OfNobody()}};
  one.node_is_there = false;
  one.facts.held = true;
  const Plan early = one.InUse().Make();
  ExpectNothing(early);
  EXPECT_THAT(early.release, IsEmpty());
  EXPECT_EQ(early.again, minutes(6) + milliseconds(1));
  const Plan late = one.Make(kNow + minutes(7));
  EXPECT_THAT(late.release, ElementsAre(kDisk));
  EXPECT_EQ(late.report, std::nullopt);
  EXPECT_THAT(late.memory, IsEmpty());
}

TEST(DetachPlan, ReleasesHeldVolumeThatDeletedNodeDidNotUseAtOnce) {
  Case one{.facts = {.volume = OfNobody()}};
  one.node_is_there = false;
  one.facts.held = true;
  EXPECT_THAT(one.Make().release, ElementsAre(kDisk));
}

TEST(DetachPlan, KeepsHeldVolumeOfDeletedNodeIfForceDetachIsDisabled) {
  Case one{.facts = {.volume = OfNobody()}};
  one.node_is_there = false;
  one.rules.force = false;
  one.facts.held = true;
  one.facts.was_in_use = true;
  one.InUse();
  EXPECT_THAT(one.Make().release, IsEmpty());
  EXPECT_THAT(one.Make(kNow + minutes(60)).release, IsEmpty());
  // The node is back and has all the time to find what it has mounted.
  one.node_is_there = true;
  one.facts.in_use = false;
  EXPECT_THAT(one.Make(kNow + minutes(61)).release, IsEmpty());
  EXPECT_THAT(one.Make(kNow + minutes(68)).release, ElementsAre(kDisk));
}

TEST(DetachPlan, WaitsForNodeThatRegistersAnewToFindItsMounts) {
  Case one{.facts = {.volume = OfNobody()}};
  one.facts.held = true;
  one.facts.was_in_use = true;
  const Plan early = one.Make();
  EXPECT_THAT(early.release, IsEmpty());
  EXPECT_EQ(early.again, minutes(6) + milliseconds(1));
  const Plan late = one.Make(kNow + minutes(7));
  EXPECT_THAT(late.release, ElementsAre(kDisk));
  // Nothing changes but that the server holds the report to the version of the node.
  EXPECT_EQ(ReportOf(late), Report("null"));
}

TEST(DetachPlan, WhatAPodMayUseIsKept) {
  Case one;
  one.facts.kept = true;
  const Plan plan = one.Attached().Reported().Make();
  ExpectNothing(plan);
  EXPECT_THAT(plan.memory, IsEmpty());
}

TEST(DetachPlan, WhatIsReportedAndNotThereIsTakenBack) {
  Case one;
  const Plan plan = one.Reported().Make();
  EXPECT_EQ(ReportOf(plan), Report("null"));
  EXPECT_THAT(plan.detach, IsEmpty());
  Case disk{.facts = {.volume = OfNobody()}};
  EXPECT_EQ(ReportOf(disk.Reported().Make()), Report("null"));
}

TEST(DetachPlan, WhatAGoneNodeReportedIsNobodysMatter) {
  Case one;
  one.node_is_there = false;
  one.facts.reported = true;
  const Plan plan = one.Make();
  ExpectNothing(plan);
  EXPECT_THAT(plan.memory, IsEmpty());
}

TEST(DetachPlan, WhatCouldNotBeDetachedIsTriedLater) {
  Case one;
  one.Attached().Make();
  Failed(one.remembered(), kNow);
  const Plan early = one.Make(kNow + milliseconds(100));
  ExpectNothing(early);
  EXPECT_EQ(early.again, milliseconds(400));
  EXPECT_EQ(one.Make(kNow + milliseconds(500)).detach.size(), 1);
}

TEST(DetachPlan, TheServerHasTheLastWord) {
  const auto may = [](Force force, const core::v1::Node& node) {
    return MayDetach({.volume = kName, .attachment = nullptr, .force = force}, node);
  };
  core::v1::Node node = MakeNode("n");
  EXPECT_TRUE(may(Force::kNone, node));
  node.status.volumesInUse = {"another", kName};
  EXPECT_FALSE(may(Force::kNone, node));
  EXPECT_FALSE(may(Force::kTimeout, node));
  EXPECT_FALSE(may(Force::kOutOfService, node));
  node.status.conditions[0].status = "Unknown";
  EXPECT_FALSE(may(Force::kNone, node));
  EXPECT_TRUE(may(Force::kTimeout, node));
  node.spec.taints.push_back(MakeTaint("node.kubernetes.io/out-of-service", "NoExecute"));
  EXPECT_TRUE(may(Force::kOutOfService, node));
}

TEST(NodeChanges, AreSeenWhereTheyMatter) {
  const auto same = [](const auto& change) {
    const core::v1::Node before = MakeNode("n");
    core::v1::Node now = before;
    change(now);
    return SameToVolumes(*ViewOf(before), *ViewOf(now));
  };
  EXPECT_TRUE(same([](core::v1::Node& node) {
    node.metadata.resourceVersion = "8";
    node.metadata.labels["a"] = "b";
    node.spec.taints.push_back(MakeTaint("a", "NoExecute"));
    node.status.conditions.push_back(MakeNodeCondition("DiskPressure", "True"));
  }));
  EXPECT_FALSE(same([](core::v1::Node& node) { node.metadata.uid = "another"; }));
  EXPECT_FALSE(same([](core::v1::Node& node) {
    node.metadata.annotations["volumes.kubernetes.io/controller-managed-attach-detach"] = "false";
  }));
  EXPECT_FALSE(same([](core::v1::Node& node) { node.status.conditions[0].status = "False"; }));
  EXPECT_FALSE(same([](core::v1::Node& node) {
    node.spec.taints.push_back(MakeTaint("node.kubernetes.io/out-of-service", "NoSchedule"));
  }));
  EXPECT_FALSE(same([](core::v1::Node& node) { node.status.volumesInUse = {"v"}; }));
  EXPECT_FALSE(
      same([](core::v1::Node& node) { node.status.volumesAttached.emplace_back().name = "v"; }));
}

TEST(AttachDetachPlan, WhatAnAttacherKeepsOnAnAttachmentChangesNothingForItsNode) {
  const auto same = [](const auto& change) {
    VolumeAttachment before;
    before.metadata.uid = "one";
    before.spec.nodeName = "n";
    VolumeAttachment now = before;
    change(now);
    return SameToNode(before, now);
  };
  EXPECT_TRUE(same([](VolumeAttachment& attachment) {
    attachment.metadata.resourceVersion = "8";
    attachment.metadata.finalizers = {"external-attacher/example-com"};
    attachment.metadata.annotations["csi.alpha.kubernetes.io/node-id"] = "n";
  }));
  EXPECT_FALSE(same([](VolumeAttachment& attachment) { attachment.metadata.uid = "another"; }));
  EXPECT_FALSE(same([](VolumeAttachment& attachment) {
    attachment.metadata.deletionTimestamp = api::Time(WallTime());
  }));
  EXPECT_FALSE(same([](VolumeAttachment& attachment) { attachment.spec.nodeName = "m"; }));
  EXPECT_FALSE(same([](VolumeAttachment& attachment) { attachment.status.attached = true; }));
  EXPECT_FALSE(same([](VolumeAttachment& attachment) {
    attachment.status.attachError.emplace().message = "no";
  }));
}

}  // namespace
}  // namespace flyball::controllers::attach_detach
