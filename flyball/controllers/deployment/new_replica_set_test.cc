#include "flyball/controllers/deployment/new_replica_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "flyball/api/template_hash.h"
#include "flyball/controllers/deployment/conditions.h"
#include "flyball/controllers/deployment/internal/deployment_fake.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;

TEST(NewReplicaSet, IsMadeOfTheDeploymentAndTheHashOfItsTemplate) {
  const Deployment deployment = FakeDeployment(10, [](Deployment& its) {
    its.metadata.annotations["kubernetes.io/change-cause"] = "because";
    its.metadata.labels["of"] = "the deployment";
    its.spec.minReadySeconds = 5;
    auto& expression = its.spec.selector->matchExpressions.emplace_back();
    expression.key = "app";
    expression.operator_ = "Exists";
  });
  const std::string hash = api::PodTemplateHash(deployment.spec.template_);
  ReplicaSet expected;
  expected.metadata.namespace_ = "ns";
  expected.metadata.name = "web-" + hash;
  expected.metadata.labels = {{"app", "web"}, {"pod-template-hash", hash}};
  expected.metadata.annotations = {{"deployment.kubernetes.io/desired-replicas", "10"},
                                   {"deployment.kubernetes.io/max-replicas", "13"},
                                   {"deployment.kubernetes.io/revision", "4"},
                                   {"kubernetes.io/change-cause", "because"}};
  auto& owner = expected.metadata.ownerReferences.emplace_back();
  owner.apiVersion = "apps/v1";
  owner.kind = "Deployment";
  owner.name = "web";
  owner.uid = "web-uid";
  owner.controller = owner.blockOwnerDeletion = true;
  expected.spec.replicas = 3;
  expected.spec.minReadySeconds = 5;
  expected.spec.selector = deployment.spec.selector;
  expected.spec.selector->matchLabels["pod-template-hash"] = hash;
  expected.spec.template_ = deployment.spec.template_;
  expected.spec.template_.metadata.labels["pod-template-hash"] = hash;
  EXPECT_EQ(MakeReplicaSet({.deployment = deployment, .old = {FakeSet("a", {.size = 10})}}, 4),
            expected);
}

TEST(NewReplicaSet, HasAllPodsWhereThereIsRoomAndNoneWhereThereIsNot) {
  const Deployment deployment = FakeDeployment(10);
  EXPECT_EQ(MakeReplicaSet({.deployment = deployment}, 1).spec.replicas, 10);
  EXPECT_EQ(MakeReplicaSet({.deployment = deployment, .old = {FakeSet("a", {.size = 13})}}, 1)
                .spec.replicas,
            0);
}

TEST(NewReplicaSet, HasNoRevisionAnnotationWhereTheHighestRevisionWrapped) {
  const Deployment deployment = FakeDeployment(10);
  const auto set = MakeReplicaSet({.deployment = deployment, .old = {FakeSet("a", {.size = 10})}},
                                  std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(set.metadata.annotations,
            (api::Map<std::string>{{"deployment.kubernetes.io/desired-replicas", "10"},
                                   {"deployment.kubernetes.io/max-replicas", "13"}}));
}

TEST(NewReplicaSet, HasAnotherNameAfterACollision) {
  Deployment deployment = FakeDeployment(10);
  const std::string name = MakeReplicaSet({.deployment = deployment}, 1).metadata.name;
  deployment.status.collisionCount = 1;
  const ReplicaSet set = MakeReplicaSet({.deployment = deployment}, 1);
  EXPECT_NE(set.metadata.name, name);
  EXPECT_EQ(set.metadata.name, "web-" + api::PodTemplateHash(deployment.spec.template_, 1));
}

TEST(NewReplicaSet, ItsNameIsCutWhereTheDeploymentHasTheLongestThatThereIs) {
  const Deployment deployment =
      FakeDeployment(1, [](Deployment& its) { its.metadata.name = std::string(253, 'x'); });
  EXPECT_EQ(MakeReplicaSet({.deployment = deployment}, 1).metadata.name.size(), 253U);
}

TEST(NewReplicaSet, WhyItCouldNotBeCreatedIsSaidInAConditionAndAnEvent) {
  const Error error(ErrorCode::kForbidden, "exceeded quota");
  const ReplicaSet set = *FakeSet("web-1", {});
  const std::string message = R"(Failed to create new replica set "web-1": exceeded quota)";
  FailedCreation expected{
      .status = FakeDeployment(10),
      .event = {runtime::EventType::kWarning, "ReplicaSetCreateError", message}};
  expected.status->status.conditions = {
      MakeCondition(kProgressing, "False", "ReplicaSetCreateError", message, kNow)};
  EXPECT_EQ(OnCreationFailed(FakeDeployment(10), set, error, kNow), expected);

  const Deployment told = *expected.status;
  expected.status.reset();
  EXPECT_EQ(OnCreationFailed(told, set, error, kNow + std::chrono::seconds(5)), expected)
      << "it has been said";
  const Deployment without_deadline =
      FakeDeployment(10, [](Deployment& its) { its.spec.progressDeadlineSeconds.reset(); });
  EXPECT_EQ(OnCreationFailed(without_deadline, set, error, kNow), expected);
}

TEST(NewReplicaSet, OneThatHasTheNameIsACollisionUnlessItIsTheOneThatIsWanted) {
  const Deployment deployment = FakeDeployment(1);
  EXPECT_FALSE(IsCollision(deployment, *FakeSet("new", {})));
  EXPECT_TRUE(IsCollision(deployment, *FakeSet("other", {})));
  EXPECT_TRUE(IsCollision(deployment, *FakeSet("new", {}, [](ReplicaSet& set) {
                            set.metadata.ownerReferences.clear();
                          })));
  EXPECT_TRUE(IsCollision(deployment, *FakeSet("new", {}, [](ReplicaSet& set) {
                            set.metadata.ownerReferences[0].uid = "other";
                          })));
}

TEST(NewReplicaSet, CollisionsAreCounted) {
  const Deployment deployment = FakeDeployment(1);
  Deployment expected = deployment;
  expected.status.collisionCount = 1;
  EXPECT_EQ(OnCollision(deployment, kNow), expected);
  Deployment again = expected;
  expected.status.collisionCount = 2;
  EXPECT_EQ(OnCollision(again, kNow), expected);
  again.status.collisionCount = std::numeric_limits<std::int32_t>::max();
  expected.status.collisionCount = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(OnCollision(again, kNow), expected);
}

}  // namespace
}  // namespace flyball::controllers::deployment
