#include "flyball/controllers/deployment/revisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "flyball/controllers/deployment/internal/deployment_fake.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using Annotations = api::Map<std::string>;

const std::string kRevisionKey(kRevision);
const std::string kHistoryKey(kRevisionHistory);
const std::string kDesiredKey(kDesiredReplicas);
const std::string kMaxKey(kMaxReplicas);
const std::string kRollBackKey(kRollBackTo);

SetRef WithAnnotations(const Annotations& annotations) {
  return FakeSet("new", {}, [&](ReplicaSet& set) { set.metadata.annotations = annotations; });
}
SetRef WithRevision(const std::string& revision) {
  return WithAnnotations({{kRevisionKey, revision}});
}

TEST(Revisions, AreReadAsGoReadsNumbers) {
  EXPECT_EQ(RevisionOf(*FakeSet("a", {})), 0);
  for (const auto& [text, number] : std::vector<std::pair<std::string, std::int64_t>>{
           {"7", 7},
           {"+7", 7},
           {"-7", -7},
           {"007", 7},
           {"9223372036854775807", 9223372036854775807}}) {
    EXPECT_EQ(RevisionOf(*WithRevision(text)), number) << text;
  }
  for (const char* const text : {"", "x", "7x", " 7", "+-7", "+", "1_0", "9223372036854775808"}) {
    EXPECT_EQ(RevisionOf(*WithRevision(text)), std::nullopt) << text;
  }
}

TEST(Revisions, TheHighestAndTheOneBeforeIt) {
  const std::vector<SetRef> sets{WithRevision("3"), WithRevision("x"), WithRevision("7"),
                                 WithRevision("5"), FakeSet("a", {})};
  EXPECT_EQ(HighestRevision(sets), 7);
  EXPECT_EQ(SecondHighestRevision(sets), 5);
  EXPECT_EQ(SecondHighestRevision({WithRevision("7"), WithRevision("3")}), 3);
  EXPECT_EQ(SecondHighestRevision({WithRevision("7"), WithRevision("7")}), 7);
  EXPECT_EQ(SecondHighestRevision({WithRevision("7")}), 0);
  EXPECT_EQ(HighestRevision({}), 0);
}

TEST(Revisions, ADeploymentMayAskToGoBackToOne) {
  const auto target = [](const char* text) {
    return RollBackTarget(FakeDeployment(
        1, [text](Deployment& its) { its.metadata.annotations[kRollBackTo] = text; }));
  };
  EXPECT_EQ(RollBackTarget(FakeDeployment(1)), std::nullopt);
  EXPECT_EQ(target(""), std::nullopt);
  EXPECT_EQ(target("last"), std::nullopt);
  EXPECT_EQ(target("0"), 0);
  EXPECT_EQ(target("4"), 4);
}

TEST(Revisions, TheCurrentSetGetsTheAnnotationsOfTheDeploymentAndItsRevision) {
  const Deployment deployment = FakeDeployment(1, [](Deployment& its) {
    its.metadata.annotations = {{"kubectl.kubernetes.io/last-applied-configuration", "{}"},
                                {kRevisionKey, "1"},
                                {kHistoryKey, "9"},
                                {kDesiredKey, "9"},
                                {kMaxKey, "9"},
                                {kRollBackKey, "9"},
                                {"kubernetes.io/change-cause", "because"}};
  });
  EXPECT_THAT(
      AnnotationsOfCurrent(deployment, *WithAnnotations({}), 2),
      Optional(Annotations{{"kubernetes.io/change-cause", "because"}, {kRevisionKey, "2"}}));
  EXPECT_THAT(AnnotationsOfCurrent(deployment,
                                   *WithAnnotations({{"kubernetes.io/change-cause", "no reason"},
                                                     {"its.own/stays", "yes"},
                                                     {kRevisionKey, "2"}}),
                                   2),
              Optional(Annotations{{"kubernetes.io/change-cause", "because"},
                                   {"its.own/stays", "yes"},
                                   {kRevisionKey, "2"}}));
  const Annotations right{{"kubernetes.io/change-cause", "because"}, {kRevisionKey, "2"}};
  EXPECT_EQ(AnnotationsOfCurrent(deployment, *WithAnnotations(right), 2), std::nullopt);
}

TEST(Revisions, ARevisionOnlyGoesUpAndTheOldOneIsRemembered) {
  const Deployment deployment = FakeDeployment(1);
  const auto after = [&](const Annotations& before) {
    return AnnotationsOfCurrent(deployment, *WithAnnotations(before), 5);
  };
  EXPECT_THAT(after({{kRevisionKey, "2"}}),
              Optional(Annotations{{kRevisionKey, "5"}, {kHistoryKey, "2"}}));
  EXPECT_THAT(after({{kRevisionKey, "4"}, {kHistoryKey, "1,2"}}),
              Optional(Annotations{{kRevisionKey, "5"}, {kHistoryKey, "1,2,4"}}));
  EXPECT_THAT(after({{kRevisionKey, "4"}, {kHistoryKey, ",2"}}),
              Optional(Annotations{{kRevisionKey, "5"}, {kHistoryKey, "4"}}));
  EXPECT_EQ(after({{kRevisionKey, "5"}}), std::nullopt);
  EXPECT_EQ(after({{kRevisionKey, "8"}}), std::nullopt);
  EXPECT_EQ(after({{kRevisionKey, "eight"}}), std::nullopt);
}

TEST(Revisions, TheHistoryForgetsTheOldestBeforeItGetsTooLong) {
  const Deployment deployment = FakeDeployment(1);
  const auto history = [&](const std::string& before, const std::string& revision) {
    const auto annotations = AnnotationsOfCurrent(
        deployment, *WithAnnotations({{kRevisionKey, revision}, {kHistoryKey, before}}),
        std::numeric_limits<std::int64_t>::max());
    return *annotations->find(kRevisionHistory);
  };
  const std::string long_one(1990, '1');
  EXPECT_EQ(history(long_one, "123456789"), long_one + ",123456789");  // 2,000 in all
  EXPECT_EQ(history(long_one, "1234567890"), "1234567890");
  EXPECT_EQ(history("12345,678," + long_one, "55"), "678," + long_one + ",55");
  const std::string no_end = "+" + std::string(2100, '0') + "1";
  EXPECT_EQ(history("1,2", no_end), "1,2");
}

TEST(Revisions, AfterARollBackADeploymentHasTheAnnotationsOfTheSet) {
  const Deployment deployment = FakeDeployment(1, [](Deployment& its) {
    its.metadata.annotations = {
        {kRevisionKey, "5"}, {kRollBackKey, "2"}, {"cause", "new"}, {"new", "x"}};
  });
  EXPECT_EQ(AnnotationsAfterRollBack(
                deployment,
                *WithAnnotations({{kRevisionKey, "2"}, {kDesiredKey, "3"}, {"cause", "old"}})),
            (Annotations{{kRevisionKey, "5"}, {kRollBackKey, "2"}, {"cause", "old"}}));
}

TEST(Revisions, ASetIsToldTheSizeThatItsOwnFollowsFrom) {
  Annotations annotations;
  EXPECT_TRUE(NoteSize(FakeDeployment(10), annotations));
  EXPECT_EQ(annotations, (Annotations{{kDesiredKey, "10"}, {kMaxKey, "13"}}));
  EXPECT_FALSE(NoteSize(FakeDeployment(10), annotations));
  annotations[kMaxReplicas] = "12";
  EXPECT_TRUE(NoteSize(FakeDeployment(10), annotations));
  EXPECT_EQ(annotations, (Annotations{{kDesiredKey, "10"}, {kMaxKey, "13"}}));
}

TEST(Revisions, OldSetsBeyondTheLimitExpireTheLowestRevisionsFirst) {
  Deployment deployment = FakeDeployment(1);
  const SetRef third = FakeSet("third", {.age = 300, .revision = 3});
  const SetRef first = FakeSet("first", {.age = 200, .revision = 1});
  const SetRef second = FakeSet("second", {.age = 100, .revision = 2});
  const SetRef odd = FakeSet("odd", {.age = 50},
                             [](ReplicaSet& set) { set.metadata.annotations[kRevision] = "?"; });
  const auto expired = [&](std::optional<std::int32_t> limit, std::vector<SetRef> old) {
    deployment.spec.revisionHistoryLimit = limit;
    return ExpiredRevisions({.deployment = deployment, .old = std::move(old)});
  };
  const std::vector<SetRef> old{third, first, second};
  EXPECT_THAT(expired(3, old), IsEmpty());
  EXPECT_THAT(expired(2, old), ElementsAre(first));
  EXPECT_THAT(expired(0, old), ElementsAre(first, second, third));
  EXPECT_THAT(expired(std::nullopt, old), IsEmpty());
  EXPECT_THAT(expired(std::numeric_limits<std::int32_t>::max(), old), IsEmpty());
  EXPECT_THAT(expired(3, {third, first, second, odd}), ElementsAre(odd));
}

TEST(Revisions, SetsThatMayHavePodsDoNotExpireAndThoseThatGoDoNotCount) {
  const Deployment deployment =
      FakeDeployment(1, [](Deployment& its) { its.spec.revisionHistoryLimit = 0; });
  const auto kept = [&](const std::function<void(ReplicaSet&)>& change) {
    return ExpiredRevisions({.deployment = deployment, .old = {FakeSet("a", {}, change)}}).empty();
  };
  EXPECT_FALSE(kept([](ReplicaSet&) {}));
  EXPECT_TRUE(kept([](ReplicaSet& set) { set.spec.replicas = 1; }));
  EXPECT_TRUE(kept([](ReplicaSet& set) { set.status.replicas = 1; }));
  EXPECT_TRUE(kept([](ReplicaSet& set) { set.metadata.generation = 3; }));
  EXPECT_TRUE(kept([](ReplicaSet& set) { set.metadata.deletionTimestamp = api::Time(kNow); }));
}

}  // namespace
}  // namespace flyball::controllers::deployment
