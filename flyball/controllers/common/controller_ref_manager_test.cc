#include "flyball/controllers/common/controller_ref_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::common {
namespace {

using apps::v1::ReplicaSet;
using core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;

ReplicaSet SetNamed(const std::string& name) {
  ReplicaSet set;
  set.metadata.namespace_ = "ns";
  set.metadata.name = name;
  set.metadata.uid = "uid-of-" + name;
  return set;
}

Pod OwnedBy(const std::optional<ReplicaSet>& owner) {
  Pod pod;
  pod.metadata.namespace_ = "ns";
  pod.metadata.name = "pod";
  if (owner) pod.metadata.ownerReferences.push_back(ControllerRefTo(*owner));
  return pod;
}

TEST(ControllerRef, IsTheOneOwnerThatControls) {
  Pod pod = OwnedBy(std::nullopt);
  EXPECT_EQ(ControllerOf(pod), nullptr);
  EXPECT_EQ(ControllerOf(*ViewOf(pod)), nullptr);
  pod.metadata.ownerReferences.resize(3);
  pod.metadata.ownerReferences[1].controller = false;
  EXPECT_EQ(ControllerOf(pod), nullptr);
  pod.metadata.ownerReferences[2] = ControllerRefTo(SetNamed("web"));
  EXPECT_EQ(ControllerOf(pod), &pod.metadata.ownerReferences[2]);
  const auto view = ViewOf(pod);
  ASSERT_NE(ControllerOf(*view), nullptr);
  EXPECT_EQ(ControllerOf(*view)->name, "web");
}

TEST(ClaimDecision, DependsOnOwnerAndSelector) {
  const ReplicaSet web = SetNamed("web");
  const Pod mine = OwnedBy(web);
  const Pod theirs = OwnedBy(SetNamed("other"));
  const Pod orphan = OwnedBy(std::nullopt);
  EXPECT_EQ(DecideClaim(mine, web, true), ClaimDecision::kOwned);
  EXPECT_EQ(DecideClaim(mine, web, false), ClaimDecision::kRelease);
  EXPECT_EQ(DecideClaim(theirs, web, true), ClaimDecision::kNone);
  EXPECT_EQ(DecideClaim(theirs, web, false), ClaimDecision::kNone);
  EXPECT_EQ(DecideClaim(orphan, web, true), ClaimDecision::kAdopt);
  EXPECT_EQ(DecideClaim(orphan, web, false), ClaimDecision::kNone);
  EXPECT_EQ(DecideClaim(*ViewOf(orphan), web, true), ClaimDecision::kAdopt);
}

TEST(ClaimDecision, DeletedOwnerKeepsItsObjectsAndAdoptsNone) {
  ReplicaSet web = SetNamed("web");
  const Pod mine = OwnedBy(web);
  web.metadata.deletionTimestamp = api::Time::FromUnix(1);
  EXPECT_EQ(DecideClaim(mine, web, true), ClaimDecision::kOwned);
  EXPECT_EQ(DecideClaim(mine, web, false), ClaimDecision::kNone);
  EXPECT_EQ(DecideClaim(OwnedBy(std::nullopt), web, true), ClaimDecision::kNone);
}

TEST(ClaimDecision, DeletedObjectsAndThoseOfOtherNamespacesAreNotAdopted) {
  const ReplicaSet web = SetNamed("web");
  Pod pod = OwnedBy(std::nullopt);
  pod.metadata.deletionTimestamp = api::Time::FromUnix(1);
  EXPECT_EQ(DecideClaim(pod, web, true), ClaimDecision::kNone);
  pod = OwnedBy(web);
  pod.metadata.deletionTimestamp = api::Time::FromUnix(1);
  EXPECT_EQ(DecideClaim(pod, web, true), ClaimDecision::kOwned);
  EXPECT_EQ(DecideClaim(pod, web, false), ClaimDecision::kRelease);
  pod = OwnedBy(std::nullopt);
  pod.metadata.namespace_ = "elsewhere";
  EXPECT_EQ(DecideClaim(pod, web, true), ClaimDecision::kNone);
}

TEST(ClaimPatch, NamesTheObjectByUidAndTouchesOneOwner) {
  EXPECT_EQ(AdoptionPatch(ControllerRefTo(SetNamed("web")), "uid-of-pod"),
            R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet",)"
            R"("name":"web","uid":"uid-of-web","controller":true,"blockOwnerDeletion":true}],)"
            R"("uid":"uid-of-pod"}})");
  EXPECT_EQ(ReleasePatch("uid-of-web", "uid-of-pod"),
            R"({"metadata":{"uid":"uid-of-pod",)"
            R"("ownerReferences":[{"$patch":"delete","uid":"uid-of-web"}]}})");
}

TEST(ClaimPatch, AFinalizerComesAndGoesWithTheOwner) {
  EXPECT_EQ(AdoptionPatch(ControllerRefTo(SetNamed("web")), "uid-of-pod", "example.com/counted"),
            R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet",)"
            R"("name":"web","uid":"uid-of-web","controller":true,"blockOwnerDeletion":true}],)"
            R"("uid":"uid-of-pod","finalizers":["example.com/counted"]}})");
  EXPECT_EQ(ReleasePatch("uid-of-web", "uid-of-pod", "example.com/counted"),
            R"({"metadata":{"uid":"uid-of-pod",)"
            R"("ownerReferences":[{"$patch":"delete","uid":"uid-of-web"}],)"
            R"("$deleteFromPrimitiveList/finalizers":["example.com/counted"]}})");
}

/// Claims pods of a real server.
class ClaimTest : public ControllerFixture {
 protected:
  ClaimTest() { CreateServiceAccount("default"); }

  Pod CreatePod(const std::string& name, const std::string& app,
                const std::optional<ReplicaSet>& owner = {}) {
    Pod pod = OwnedBy(owner);
    pod.metadata.namespace_ = "default";
    pod.metadata.name = name;
    pod.metadata.labels["app"] = app;
    pod.spec.containers.emplace_back().name = "main";
    pod.spec.containers[0].image = "none";
    return All<Pod>().Create(pod).value();
  }
  ReplicaSet CreateSet(const std::string& name) {
    ReplicaSet set;
    set.metadata.namespace_ = "default";
    set.metadata.name = name;
    set.spec.replicas = 0;
    set.spec.selector.emplace().matchLabels["app"] = name;
    set.spec.template_.metadata.labels["app"] = name;
    set.spec.template_.spec = CreatePod("template-of-" + name, "template").spec;
    return All<ReplicaSet>().Create(set).value();
  }

  /// The names of those of the pods that are claimed, or the error.
  std::vector<std::string> ClaimThem(const ReplicaSet& set, const std::vector<Pod>& pods) {
    std::vector<std::string> names;
    Play(std::make_unique<runtime::Controller>("claims", deps()), [&] {
      const auto all = deps();
      runtime::Context context({.client = all.client, .events = events_, .now = {}});
      std::vector<cache::Ref<views::Pod>> views;
      for (const Pod& pod : pods) views.push_back(ViewOf(pod));
      const auto claimed =
          ClaimObjects(context, set, *api::Selector::FromMessage(set.spec.selector), views);
      if (!claimed) names.push_back(claimed.error().message());
      if (!claimed) return;
      for (const auto& pod : *claimed) names.emplace_back(pod->metadata.name);
    });
    return names;
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(ClaimTest, AdoptsAndReleases) {
  const ReplicaSet web = CreateSet("web");
  const ReplicaSet other = CreateSet("other");
  const std::vector<Pod> pods = {CreatePod("mine", "web", web), CreatePod("lost", "x", web),
                                 CreatePod("theirs", "web", other), CreatePod("free", "web"),
                                 CreatePod("stray", "x")};
  EXPECT_THAT(ClaimThem(web, pods), ElementsAre("mine", "free"));
  const auto sent = TakeSent();
  ASSERT_EQ(sent.size(), 2);
  EXPECT_EQ(sent[0].request, "PATCH /api/v1/namespaces/default/pods/lost");
  EXPECT_EQ(sent[0].body, ReleasePatch(web.metadata.uid, pods[1].metadata.uid));
  EXPECT_EQ(sent[1].request, "PATCH /api/v1/namespaces/default/pods/free");
  EXPECT_EQ(sent[1].body, AdoptionPatch(ControllerRefTo(web), pods[3].metadata.uid));
  EXPECT_THAT(All<Pod>().Get({"default", "lost"})->metadata.ownerReferences, IsEmpty());
  EXPECT_THAT(All<Pod>().Get({"default", "free"})->metadata.ownerReferences,
              ElementsAre(ControllerRefTo(web)));
}

TEST_F(ClaimTest, AnOwnerThatTheServerHasLostAdoptsNothingAndAsksOnce) {
  const ReplicaSet web = CreateSet("web");
  const Pod first = CreatePod("first", "web");
  const Pod second = CreatePod("second", "web");
  ASSERT_TRUE(All<ReplicaSet>().Delete({"default", "web"}));
  int reads = 0;
  answer_instead_ = [&](const transport::Request& request) -> std::optional<transport::Response> {
    if (request.method == "GET") ++reads;
    return std::nullopt;
  };
  EXPECT_THAT(
      ClaimThem(web, {first, second}),
      ElementsAre("can't adopt Pod default/first (" + first.metadata.uid +
                  "): can't recheck DeletionTimestamp: replicasets.apps \"web\" not found"));
  EXPECT_EQ(reads, 1);
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(ClaimTest, AnotherOfTheSameNameIsNotTheOwner) {
  const ReplicaSet web = CreateSet("web");
  const Pod pod = CreatePod("free", "web");
  ASSERT_TRUE(All<ReplicaSet>().Delete({"default", "web"}));
  ASSERT_TRUE(All<Pod>().Delete({"default", "template-of-web"}));
  const ReplicaSet next = CreateSet("web");
  EXPECT_THAT(ClaimThem(web, {pod}),
              ElementsAre("can't adopt Pod default/free (" + pod.metadata.uid +
                          "): can't recheck DeletionTimestamp: original ReplicaSet default/web is "
                          "gone: got uid " +
                          next.metadata.uid + ", wanted " + web.metadata.uid));
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(ClaimTest, AnOwnerThatWasJustDeletedAdoptsNothing) {
  ReplicaSet web = CreateSet("web");
  const Pod pod = CreatePod("free", "web");
  meta::v1::DeleteOptions foreground;
  foreground.propagationPolicy = "Foreground";
  ASSERT_TRUE(All<ReplicaSet>().Delete({"default", "web"}, foreground));
  const auto live = All<ReplicaSet>().Get({"default", "web"});
  ASSERT_TRUE(live);
  EXPECT_THAT(ClaimThem(web, {pod}),
              ElementsAre("can't adopt Pod default/free (" + pod.metadata.uid +
                          "): default/web has just been deleted at " +
                          live->metadata.deletionTimestamp->ToString()));
  EXPECT_THAT(TakeSent(), IsEmpty());
}

TEST_F(ClaimTest, WhatHasGoneOrWasReplacedIsNobodysConcern) {
  const ReplicaSet web = CreateSet("web");
  Pod gone = CreatePod("gone", "web");
  Pod released = CreatePod("released", "x", web);
  Pod replaced = CreatePod("replaced", "x", web);
  for (const char* const name : {"gone", "released", "replaced"}) {
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    ASSERT_TRUE(All<Pod>().Delete({"default", name}, now));
  }
  CreatePod("replaced", "x");
  EXPECT_THAT(ClaimThem(web, {gone, released, replaced}), IsEmpty());
  EXPECT_THAT(TakeRequests(), ElementsAre("PATCH /api/v1/namespaces/default/pods/gone",
                                          "PATCH /api/v1/namespaces/default/pods/released",
                                          "PATCH /api/v1/namespaces/default/pods/replaced"));
}

TEST_F(ClaimTest, ALostRaceForAnOrphanIsAnErrorAndTheOthersAreStillTried) {
  const ReplicaSet web = CreateSet("web");
  const Pod taken = CreatePod("taken", "web");
  const Pod free = CreatePod("free", "web");
  ASSERT_TRUE(
      All<Pod>().Patch({"default", "taken"},
                       {client::PatchType::kStrategic,
                        AdoptionPatch(ControllerRefTo(CreateSet("other")), taken.metadata.uid)}));
  const auto claimed = ClaimThem(web, {taken, free});
  ASSERT_EQ(claimed.size(), 1);
  EXPECT_THAT(claimed[0], testing::HasSubstr("Only one reference can have Controller set to true"));
  EXPECT_THAT(TakeRequests(), ElementsAre("PATCH /api/v1/namespaces/default/pods/taken",
                                          "PATCH /api/v1/namespaces/default/pods/free"));
}

TEST_F(ClaimTest, TheIndexFindsWhatAnOwnerControlsAndWhatNobodyDoes) {
  const ReplicaSet web = CreateSet("web");
  ReplicaSet misspelt = web;
  misspelt.metadata.name = "wep";
  CreatePod("mine", "x", web);
  CreatePod("misspelt", "web", misspelt);
  CreatePod("free", "web");
  auto controller = std::make_unique<runtime::Controller>("claims", deps());
  const auto pods = controller->Reads<views::Pod>();
  IndexByController(pods);
  const auto names = [](const std::vector<cache::Ref<views::Pod>>& found) {
    std::vector<std::string> all;
    for (const auto& pod : found) all.emplace_back(pod->metadata.name);
    return all;
  };
  Play(std::move(controller), [&] {
    EXPECT_THAT(names(ControlledBy(web, pods.lister())), ElementsAre("mine", "misspelt"));
    EXPECT_THAT(names(OrphansIn("default", pods.lister())),
                testing::UnorderedElementsAre("template-of-web", "free"));
    EXPECT_THAT(names(OrphansIn("elsewhere", pods.lister())), IsEmpty());
  });
}

}  // namespace
}  // namespace flyball::controllers::common
