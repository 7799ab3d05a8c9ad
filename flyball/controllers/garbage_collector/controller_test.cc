#include "flyball/controllers/garbage_collector/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "flyball/controllers/garbage_collector/internal/collector_fixture.h"

namespace flyball::controllers::garbage_collector {
namespace {

using core::v1::ConfigMap;
using sandbox::Fault;
using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::string DeleteLine(const ConfigMap& map, const std::string& propagation, bool with_version) {
  return "DELETE /api/v1/namespaces/" + map.metadata.namespace_ + "/configmaps/" +
         map.metadata.name +
         R"( {"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","preconditions":{"uid":")" +
         map.metadata.uid + "\"" +
         (with_version ? R"(,"resourceVersion":")" + map.metadata.resourceVersion + "\"" : "") +
         R"(},"propagationPolicy":")" + propagation + "\"}";
}
std::string PatchLine(const std::string& name, const std::string& patch) {
  return "PATCH /api/v1/namespaces/default/configmaps/" + name + R"( {"metadata":)" + patch + "}";
}

TEST_F(GarbageCollectorTest, WhatAnOwnerLeavesBehindGoesInTheBackground) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    const ConfigMap child = Create("child", {To(owner)});
    const ConfigMap grandchild = Create("grandchild", {To(child)});
    Create("stranger");
    Start();
    Pass(seconds(1));
    EXPECT_THAT(sent_.Take(), IsEmpty());
    Delete("owner");
    Pass(seconds(1));
    EXPECT_THAT(Left(), ElementsAre("stranger"));
    EXPECT_THAT(sent_.Take(), ElementsAre(DeleteLine(child, "Background", true),
                                          DeleteLine(grandchild, "Background", true)));
  });
}

TEST_F(GarbageCollectorTest, AnOwnerInTheForegroundWaitsForThoseThatBlockIt) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    const ConfigMap blocking = Create("blocking", {To(owner, true)}, {"example.com/hold"});
    const ConfigMap other = Create("other", {To(owner)});
    Start();
    Delete("owner", "Foreground");
    Pass(seconds(60));
    EXPECT_THAT(Left(), UnorderedElementsAre("blocking", "owner"));
    EXPECT_TRUE(maps_.Get({"default", "blocking"})->metadata.deletionTimestamp);
    EXPECT_THAT(sent_.Take(), UnorderedElementsAre(DeleteLine(blocking, "Background", true),
                                                   DeleteLine(other, "Background", true)));
    const std::string version = maps_.Get({"default", "owner"})->metadata.resourceVersion;
    RemoveFinalizers("blocking");
    Pass(seconds(1));
    EXPECT_THAT(Left(), IsEmpty());
    EXPECT_THAT(sent_.Take(),
                ElementsAre(PatchLine(
                    "owner", R"({"finalizers":null,"resourceVersion":")" + version + "\"}")));
  });
}

TEST_F(GarbageCollectorTest, AnOwnerDoesNotWaitForOneThatDoesNotBlockIt) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    Create("child", {To(owner)}, {"example.com/hold"});
    Start();
    Delete("owner", "Foreground");
    Pass(seconds(1));
    EXPECT_THAT(Left(), ElementsAre("child"));
  });
}

TEST_F(GarbageCollectorTest, TheForegroundGoesDownToTheLeaves) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    const ConfigMap child = Create("child", {To(owner, true)});
    const ConfigMap leaf = Create("leaf", {To(child, true)}, {"example.com/hold"});
    Start();
    Delete("owner", "Foreground");
    Pass(seconds(1));
    EXPECT_THAT(Left(), UnorderedElementsAre("child", "leaf", "owner"));
    EXPECT_THAT(sent_.Take(), ElementsAre(DeleteLine(child, "Foreground", true),
                                          DeleteLine(leaf, "Background", true)));
    RemoveFinalizers("leaf");
    Pass(seconds(1));
    EXPECT_THAT(Left(), IsEmpty());
  });
}

TEST_F(GarbageCollectorTest, OrphansStayAndForgetTheirOwner) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    const ConfigMap friend_ = Create("friend");
    const ConfigMap child = Create("child", {To(owner, true), To(friend_)});
    Start();
    Delete("owner", "Orphan");
    const std::string version = maps_.Get({"default", "owner"})->metadata.resourceVersion;
    Pass(seconds(1));
    EXPECT_THAT(Left(), UnorderedElementsAre("child", "friend"));
    EXPECT_THAT(maps_.Get({"default", "child"})->metadata.ownerReferences,
                ElementsAre(To(friend_)));
    EXPECT_THAT(sent_.Take(),
                ElementsAre(PatchLine("child", R"({"ownerReferences":[{"$patch":"delete","uid":")" +
                                                   owner.metadata.uid + R"("}],"uid":")" +
                                                   child.metadata.uid + "\"}"),
                            PatchLine("owner", R"({"finalizers":null,"resourceVersion":")" +
                                                   version + "\"}")));
  });
}

TEST_F(GarbageCollectorTest, ManyOrphansStay) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    for (int i = 0; i < 50; ++i) Create("child-" + std::to_string(i), {To(owner)});
    Start();
    const Fault lost = faults_.On(Requests::Patches()).Every(7).LoseAnswer();
    Delete("owner", "Orphan");
    Pass(seconds(60));
    EXPECT_EQ(Left().size(), 50u);
    EXPECT_GT(lost.count(), 3);
  });
}

TEST_F(GarbageCollectorTest, OrphansAllOtherDependentsAtOnceWhenOneCannotBePatched) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    for (int i = 0; i < 60; ++i) Create("child-" + std::to_string(i), {To(owner)});
    Start();
    Fault refused = faults_.On(Requests::Patches().Named("child-9")).Refuse(403);
    Delete("owner", "Orphan");
    Pass(milliseconds(1));
    EXPECT_THAT(Owned(), ElementsAre("child-9"));
    EXPECT_THAT(Must(maps_.Get({"default", "owner"})).metadata.finalizers, ElementsAre("orphan"));
    Pass(std::chrono::hours(1));
    EXPECT_THAT(Owned(), ElementsAre("child-9"));
    EXPECT_THAT(Must(maps_.Get({"default", "owner"})).metadata.finalizers, ElementsAre("orphan"));
    EXPECT_GT(refused.count(), 10);

    refused.Lift();
    Pass(std::chrono::hours(1));
    EXPECT_THAT(Owned(), IsEmpty());
    EXPECT_EQ(Left().size(), 60u) << "all dependents, and no owner";
  });
}

TEST_F(GarbageCollectorTest, OrphansDependentsHoweverManyOthersCannotBePatched) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    // More than are patched at once, on either side of those that can be.
    for (const char* const prefix : {"a-refused-", "free-", "z-refused-"}) {
      for (int i = 0; i < 25; ++i) Create(prefix + std::to_string(i), {To(owner)});
    }
    Start();
    Fault refused = faults_
                        .On(Requests::Patches().Where([](const sandbox::Asked& asked) {
                          return asked.target.path.back().contains("refused");
                        }))
                        .Refuse(403);
    Delete("owner", "Orphan");
    Pass(seconds(60));
    EXPECT_THAT(Owned(), SizeIs(50));
    EXPECT_THAT(Owned(), Each(HasSubstr("refused")));
    refused.Lift();
    Pass(std::chrono::hours(1));
    EXPECT_THAT(Owned(), IsEmpty());
    EXPECT_EQ(Left().size(), 75u);
  });
}

TEST_F(GarbageCollectorTest, OrphansAreDoneWithWhereADependentIsGone) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    for (int i = 0; i < 30; ++i) Create("child-" + std::to_string(i), {To(owner)});
    Start();
    faults_.On(Requests::Patches().Named("child-9")).Once().Interrupt([&](const auto&) {
      Delete("child-9");
    });
    Delete("owner", "Orphan");
    Pass(milliseconds(1));
    EXPECT_EQ(Left().size(), 29u);
    EXPECT_THAT(Owned(), IsEmpty());
  });
}

TEST_F(GarbageCollectorTest, OrphansAllOtherDependentsWhenTheKindOfOneIsNotKnown) {
  Play([&] {
    DefineWidgets();
    const ConfigMap owner = Create("owner");
    Must(sandbox_.client().Dynamic(kWidgets).Create(*api::Json::Parse(
        R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"default",
            "name":"widget","ownerReferences":[
            {"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" +
        owner.metadata.uid + R"("}]}})")));
    for (int i = 0; i < 30; ++i) Create("child-" + std::to_string(i), {To(owner)});
    Start();
    // What an aggregated API server serves that does not answer: its version, without resources.
    sent_.Show(R"("freshness":"Current")", R"("freshness":  "Stale")", "/apis");
    sent_.Show("responseKind", "responseNone", "/apis");
    Pass(seconds(61));
    Delete("owner", "Orphan");
    Pass(seconds(60));
    EXPECT_THAT(Owned(), IsEmpty());
    EXPECT_THAT(Must(maps_.Get({"default", "owner"})).metadata.finalizers, ElementsAre("orphan"));
  });
}

TEST_F(GarbageCollectorTest, OneOfTwoOwnersIsEnough) {
  Play([&] {
    const ConfigMap first = Create("first");
    const ConfigMap second = Create("second");
    const ConfigMap child = Create("child", {To(first), To(second)});
    Start();
    Delete("first");
    Pass(seconds(1));
    EXPECT_THAT(Left(), UnorderedElementsAre("child", "second"));
    EXPECT_THAT(maps_.Get({"default", "child"})->metadata.ownerReferences, ElementsAre(To(second)));
    EXPECT_THAT(sent_.Take(),
                ElementsAre(PatchLine("child", R"({"ownerReferences":[{"$patch":"delete","uid":")" +
                                                   first.metadata.uid + R"("}],"uid":")" +
                                                   child.metadata.uid + "\"}")));
    Delete("second");
    Pass(seconds(1));
    EXPECT_THAT(Left(), IsEmpty());
  });
}

TEST_F(GarbageCollectorTest, AnOwnerThatWaitsLosesADependentThatHasAnother) {
  Play([&] {
    const ConfigMap going = Create("going");
    const ConfigMap staying = Create("staying");
    Create("child", {To(going, true), To(staying)});
    Start();
    Delete("going", "Foreground");
    Pass(seconds(1));
    EXPECT_THAT(Left(), UnorderedElementsAre("child", "staying"));
  });
}

TEST_F(GarbageCollectorTest, AnObjectGoesAsItsFinalizersSay) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    const ConfigMap child = Create("child", {To(owner)}, {"orphan"});
    const ConfigMap grandchild = Create("grandchild", {To(child)});
    Start();
    Delete("owner");
    Pass(seconds(1));
    EXPECT_THAT(Left(), ElementsAre("grandchild"));
    EXPECT_EQ(sent_.Take().front(), DeleteLine(child, "Orphan", true));
  });
}

TEST_F(GarbageCollectorTest, ACircleThatWaitsForItselfGoes) {
  Play([&] {
    const ConfigMap one = Create("one");
    const ConfigMap two = Create("two", {To(one, true)});
    const ConfigMap three = Create("three", {To(two, true)});
    SetOwners("one", {To(three, true)});
    Start();
    Delete("one", "Foreground");
    Pass(seconds(60));
    EXPECT_THAT(Left(), IsEmpty());
  });
}

// Races.

TEST_F(GarbageCollectorTest, AnotherOwnerOfTheSameNameIsNotTheOwner) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    Create("child", {To(owner)});
    Start();
    const Fault held = faults_.OnEvents(Requests::Watches().Of("configmaps")).Hold();
    Delete("owner");
    const ConfigMap again = Create("owner");
    Create("new-child", {}, {}, "default");
    Pass(seconds(1));
    Fault(held).Lift();
    Pass(seconds(1));
    EXPECT_THAT(Left(), UnorderedElementsAre("new-child", "owner"));
    EXPECT_EQ(maps_.Get({"default", "owner"})->metadata.uid, again.metadata.uid);
  });
}

TEST_F(GarbageCollectorTest, ADependentThatComesWhenItsOwnerIsGoneGoesToo) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    Start();
    Delete("owner");
    Pass(seconds(1));
    const ConfigMap late = Create("late", {To(owner)});
    const ConfigMap later = Create("later", {To(owner)});
    Pass(seconds(1));
    EXPECT_THAT(Left(), IsEmpty());
    EXPECT_THAT(sent_.Take(), UnorderedElementsAre(DeleteLine(late, "Background", true),
                                                   DeleteLine(later, "Background", true)));
  });
}

TEST_F(GarbageCollectorTest, ADependentIsNotJudgedByWhatItWas) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    const ConfigMap other = Create("other");
    Create("child", {To(owner)});
    Start();
    // It finds another owner just before it would be deleted.
    faults_.On(Requests::Deletes().Named("child")).Once().Interrupt([&](const auto&) {
      SetOwners("child", {To(other)});
    });
    Delete("owner");
    Pass(seconds(60));
    EXPECT_THAT(Left(), UnorderedElementsAre("child", "other"));
  });
}

TEST_F(GarbageCollectorTest, ADependentThatChangesAllTheTimeGoesAllTheSame) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    const ConfigMap child = Create("child", {To(owner)});
    Start();
    faults_.On(Requests::Deletes().Named("child")).Once().Interrupt([&](const auto&) {
      ConfigMap map = Must(maps_.Get({"default", "child"}));
      map.data["busy"] = "yes";
      Must(maps_.Update(map));
    });
    Delete("owner");
    Pass(milliseconds(1));
    EXPECT_THAT(Left(), IsEmpty());
    EXPECT_THAT(sent_.Take(), ElementsAre(DeleteLine(child, "Background", true),
                                          DeleteLine(child, "Background", false)));
  });
}

TEST_F(GarbageCollectorTest, ADependentThatWasReplacedIsNotDeleted) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    Create("child", {To(owner)});
    Start();
    faults_.On(Requests::Deletes().Named("child")).Once().Interrupt([&](const auto&) {
      Delete("child");
      Create("child");
    });
    Delete("owner");
    Pass(seconds(60));
    EXPECT_THAT(Left(), ElementsAre("child"));
  });
}

TEST_F(GarbageCollectorTest, WhatHappenedWhileNobodyWatchedIsMadeUpFor) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    Create("child", {To(owner)});
    const ConfigMap going = Create("going");
    const ConfigMap held = Create("held", {To(going, true)});
    const ConfigMap leaving = Create("leaving");
    Create("left", {To(leaving)});
    Start();
    Stop();
    Delete("owner");
    Delete("going", "Foreground");
    Delete("leaving", "Orphan");
    Start();
    Pass(seconds(1));
    EXPECT_THAT(Left(), ElementsAre("left"));
    EXPECT_THAT(maps_.Get({"default", "left"})->metadata.ownerReferences, IsEmpty());
  });
}

TEST_F(GarbageCollectorTest, WhatHappenedWhileAWatchWasBrokenIsMadeUpFor) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    Create("child", {To(owner)});
    Start();
    const Fault held = faults_.OnEvents(Requests::Watches().Of("configmaps")).Hold();
    Delete("owner");
    faults_.ExpireHistory();
    Fault(held).Lift();
    Pass(seconds(60));
    EXPECT_THAT(Left(), IsEmpty());
  });
}

TEST_F(GarbageCollectorTest, AFailureIsTriedAgain) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    Create("child", {To(owner)});
    Start();
    const Fault refused = faults_.On(Requests::Deletes()).Times(3).Refuse(500);
    Delete("owner");
    Pass(seconds(60));
    EXPECT_THAT(Left(), IsEmpty());
    EXPECT_EQ(refused.count(), 3);
  });
}

// Whatever comes first, and whatever gets lost.

class GarbageCollectorInAnyOrder : public GarbageCollectorTest,
                                   public testing::WithParamInterface<int> {
 protected:
  GarbageCollectorInAnyOrder() : GarbageCollectorTest(static_cast<std::uint64_t>(GetParam())) {}
};
INSTANTIATE_TEST_SUITE_P(Seeds, GarbageCollectorInAnyOrder, testing::Range(1, 26));

TEST_P(GarbageCollectorInAnyOrder, TheSameStaysAndTheSameGoes) {
  Play([&] {
    const ConfigMap background = Create("background");
    const ConfigMap foreground = Create("foreground");
    const ConfigMap orphan = Create("orphan");
    const ConfigMap solid = Create("solid");
    for (const char* const i : {"1", "2", "3"}) {
      const ConfigMap gone =
          Create(std::string("gone-") + i, {To(background), To(foreground, true)});
      Create(std::string("gone-too-") + i, {To(gone, true)});
      Create(std::string("left-") + i, {To(orphan, true)});
      Create(std::string("kept-") + i, {To(background), To(foreground, true), To(solid)});
    }
    Start();
    faults_.On(Requests::Writes()).Every(5).LoseAnswer();
    faults_.On(Requests::Gets()).Every(9).Refuse(503);
    faults_.OnEvents(Requests::Watches()).Every(3).Delay(milliseconds(300));
    faults_.OnEvents(Requests::Watches().Of("configmaps")).Every(11).Break();
    Delete("orphan", "Orphan");
    Delete("foreground", "Foreground");
    Delete("background");
    Pass(seconds(1));
    Stop();
    Start();
    Pass(seconds(600));
    EXPECT_THAT(Left(), UnorderedElementsAre("kept-1", "kept-2", "kept-3", "left-1", "left-2",
                                             "left-3", "solid"));
    for (const char* const i : {"1", "2", "3"}) {
      const std::string kept = std::string("kept-") + i;
      EXPECT_THAT(maps_.Get({"default", kept})->metadata.ownerReferences, ElementsAre(To(solid)));
      const std::string left = std::string("left-") + i;
      EXPECT_THAT(maps_.Get({"default", left})->metadata.ownerReferences, IsEmpty());
    }
  });
}

}  // namespace
}  // namespace flyball::controllers::garbage_collector
