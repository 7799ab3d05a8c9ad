#include "flyball/controllers/namespace_deletion/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace flyball::controllers::namespace_deletion {
namespace {

using client::Resource;
using client::Served;
using client::ServedResource;
using core::v1::Namespace;
using core::v1::Pod;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};

ServedResource Of(const std::string& group, const std::string& version, const std::string& plural,
                  bool preferred = true) {
  ServedResource served;
  served.resource = {group, version, plural, "Kind", /*namespaced=*/true};
  served.verbs = {"delete", "deletecollection", "get", "list"};
  served.preferred = preferred;
  return served;
}

std::vector<std::string> Names(const std::vector<ServedResource>& resources) {
  std::vector<std::string> names;
  for (const ServedResource& served : resources) {
    names.push_back(served.resource.ApiVersion() + " " + served.resource.plural);
  }
  return names;
}

TEST(NamespaceDeletionPlan, DeletesWhatIsInNamespacesAndCanBeDeleted) {
  Served served;
  served.resources = {Of("", "v1", "pods"), Of("", "v1", "nodes"), Of("", "v1", "bindings")};
  served.resources[1].resource.namespaced = false;
  served.resources[2].verbs = {"create"};
  EXPECT_THAT(Names(Deletable(served)), ElementsAre("v1 pods"));
}

TEST(NamespaceDeletionPlan, TakesEachResourceOnceInThePreferredVersionIfItIsThere) {
  Served served;
  served.resources = {Of("a", "v2beta1", "old", false), Of("a", "v2beta1", "both", false),
                      Of("a", "v1", "both"), Of("a", "v1", "new"), Of("b", "v1", "both")};
  EXPECT_THAT(Names(Deletable(served)),
              ElementsAre("a/v2beta1 old", "a/v1 both", "a/v1 new", "b/v1 both"));
}

TEST(NamespaceDeletionPlan, AsksNothingOfAServerThatDoesNotAnswer) {
  Served served;
  served.resources = {Of("a", "v2", "things"), Of("a", "v1", "things", false)};
  served.unknown = {{"a", "v2", "it is down"}};
  EXPECT_THAT(Names(Deletable(served)), ElementsAre("a/v1 things"));
}

Pod Ending(std::optional<std::int64_t> grace, const std::string& phase = "Running") {
  Pod pod;
  pod.spec.terminationGracePeriodSeconds = grace;
  pod.status.phase = phase;
  return pod;
}

TEST(NamespaceDeletionPlan, WaitsForTheGraceOfPodsThatRun) {
  EXPECT_EQ(GraceOf(Ending(60), kNow, kNow), seconds(60));
  EXPECT_EQ(GraceOf(Ending(60), kNow - seconds(59), kNow), seconds(60));
  EXPECT_EQ(GraceOf(Ending(60), kNow - seconds(60), kNow), seconds(0));
  EXPECT_EQ(GraceOf(Ending(std::nullopt), kNow, kNow), seconds(0));
  EXPECT_EQ(GraceOf(Ending(500, "Succeeded"), kNow, kNow), seconds(0));
  EXPECT_EQ(GraceOf(Ending(600, "Failed"), kNow, kNow), seconds(0));
}

TEST(NamespaceDeletionPlan, WaitsForAGraceThatNanosecondsDoNotHold) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(GraceOf(Ending(kMost), kNow - seconds(60), kNow), seconds(kMost));
  EXPECT_EQ(GraceOf(Ending(kMost), WallTime::min(), kNow), seconds(0));
  EXPECT_EQ(GraceOf(Ending(std::numeric_limits<std::int64_t>::min()), kNow, kNow), seconds(0));
}

meta::v1::PartialObjectMetadata With(const std::vector<std::string>& finalizers) {
  meta::v1::PartialObjectMetadata object;
  object.metadata.finalizers = finalizers;
  return object;
}

TEST(NamespaceDeletionPlan, CountsWhatIsLeftByFinalizer) {
  EXPECT_EQ(RemainsOf({}, seconds(30)), Remains());
  EXPECT_EQ(RemainsOf(std::vector{With({"a", "b"}), With({"a"}), With({})}, seconds(0)),
            (Remains{3, {{"a", 2}, {"b", 1}}, seconds(15)}));
  EXPECT_EQ(RemainsOf(std::vector{With({"a"})}, seconds(30)),
            (Remains{1, {{"a", 1}}, seconds(30)}));
  EXPECT_EQ(RemainsOf(std::vector{With({})}, seconds(0)), (Remains{1, {}, seconds(0)}));
}

TEST(NamespaceDeletionPlan, AddsUpWhatIsLeft) {
  Findings findings;
  findings.Add({"", "v1", "configmaps", "ConfigMap", true}, {2, {{"a", 2}}, seconds(15)});
  findings.Add({"batch", "v1", "jobs", "Job", true}, {1, {{"a", 1}, {"b", 1}}, seconds(5)});
  findings.Add({"batch", "v1", "cronjobs", "CronJob", true}, {});
  EXPECT_EQ(findings, (Findings{.remaining = {{"configmaps.", 2}, {"jobs.batch", 1}},
                                .finalizers = {{"a", 3}, {"b", 1}},
                                .estimate = seconds(15)}));
  EXPECT_EQ(findings.failure(), std::nullopt);
}

/// "type status reason: message".
std::vector<std::string> Texts(const core::v1::NamespaceStatus& status) {
  std::vector<std::string> texts;
  for (const auto& condition : status.conditions) {
    texts.push_back(condition.type + " " + condition.status + " " + condition.reason + ": " +
                    condition.message);
  }
  return texts;
}

TEST(NamespaceDeletionPlan, ConditionsSayThatAllIsWell) {
  core::v1::NamespaceStatus status;
  EXPECT_TRUE(UpdateConditions({}, kNow, status));
  EXPECT_THAT(
      Texts(status),
      ElementsAre(
          "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: "
          "All resources successfully discovered",
          "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: "
          "All legacy kube types successfully parsed",
          "NamespaceDeletionContentFailure False ContentDeleted: "
          "All content successfully deleted, may be waiting on finalization",
          "NamespaceContentRemaining False ContentRemoved: All content successfully removed",
          "NamespaceFinalizersRemaining False ContentHasNoFinalizers: "
          "All content-preserving finalizers finished"));
  EXPECT_FALSE(UpdateConditions({}, kNow + seconds(60), status));
}

TEST(NamespaceDeletionPlan, ConditionsSayWhatIsWrong) {
  Findings findings{.failures = {{ErrorCode::kInternal, "z broke"}, {ErrorCode::kIo, "a broke"}},
                    .remaining = {{"pods.", 2}, {"jobs.batch", 1}},
                    .finalizers = {{"x/y", 3}, {"a", 1}}};
  findings.AddUnknown(std::vector<client::UnknownGroup>{{"b", "v1", "stale"}, {"a", "v1", "down"}});
  core::v1::NamespaceStatus status;
  EXPECT_TRUE(UpdateConditions(findings, kNow, status));
  EXPECT_THAT(
      Texts(status),
      ElementsAre(
          "NamespaceDeletionDiscoveryFailure True DiscoveryFailed: Discovery failed for some "
          "groups, 2 failing: unable to retrieve the complete list of server APIs: "
          "a/v1: down, b/v1: stale",
          "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: "
          "All legacy kube types successfully parsed",
          "NamespaceDeletionContentFailure True ContentDeletionFailed: "
          "Failed to delete all resource types, 2 remaining: a broke, z broke",
          "NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: "
          "jobs.batch has 1 resource instances, pods. has 2 resource instances",
          "NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace "
          "has finalizers remaining: a in 1 resource instances, x/y in 3 resource instances"));
}

TEST(NamespaceDeletionPlan, ATransitionIsAChangeOfStatusAndNotOfWords) {
  const auto content = [](const core::v1::NamespaceStatus& status) { return status.conditions[3]; };
  core::v1::NamespaceStatus status;
  UpdateConditions({.remaining = {{"pods.", 2}}}, kNow, status);
  EXPECT_EQ(content(status).lastTransitionTime, api::Time(kNow));
  EXPECT_TRUE(UpdateConditions({.remaining = {{"pods.", 1}}}, kNow + seconds(1), status));
  EXPECT_EQ(content(status).lastTransitionTime, api::Time(kNow));
  EXPECT_TRUE(UpdateConditions({}, kNow + seconds(2), status));
  EXPECT_EQ(content(status).lastTransitionTime, api::Time(kNow + seconds(2)));
}

TEST(NamespaceDeletionPlan, OthersConditionsStayWhereTheyAre) {
  core::v1::NamespaceStatus status;
  status.conditions.emplace_back().type = "Theirs";
  UpdateConditions({}, kNow, status);
  EXPECT_EQ(status.conditions.size(), 6);
  EXPECT_EQ(status.conditions[0].type, "Theirs");
}

TEST(NamespaceDeletionPlan, UnknownGroupsAreAFailureOfDiscovery) {
  Findings findings;
  findings.AddUnknown({});
  EXPECT_EQ(findings.failure(), std::nullopt);
  findings.AddUnknown(std::vector<client::UnknownGroup>{{"a", "v1", "down"}});
  EXPECT_EQ(findings.failure()->code(), ErrorCode::kUnavailable);
}

TEST(NamespaceDeletionPlan, FinalizingTakesOffItsOwnFinalizerAlone) {
  Namespace space;
  space.metadata.name = "team";
  space.metadata.resourceVersion = "7";
  space.spec.finalizers = {"z/theirs", "kubernetes", "a/theirs"};
  space.status.phase = "Terminating";
  Namespace finalized;
  finalized.metadata = space.metadata;
  finalized.spec.finalizers = {"a/theirs", "z/theirs"};
  EXPECT_EQ(Finalized(space), finalized);

  space.spec.finalizers = {"kubernetes"};
  EXPECT_THAT(Finalized(space).spec.finalizers, IsEmpty());
}

TEST(NamespaceDeletionPlan, WhatIsLeftForNoReasonIsToldInUpstreamsWords) {
  EXPECT_EQ(Unexpected("team", {"batch", "v1", "jobs", "Job", true}).message(),
            "unexpected items still remain in namespace: team for gvr: batch/v1, Resource=jobs");
  EXPECT_EQ(Unexpected("team", Resource::Of<Pod>()).message(),
            "unexpected items still remain in namespace: team for gvr: /v1, Resource=pods");
}

}  // namespace
}  // namespace flyball::controllers::namespace_deletion
