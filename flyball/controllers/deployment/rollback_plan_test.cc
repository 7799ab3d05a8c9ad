#include "flyball/controllers/deployment/rollback_plan.h"

#include <gtest/gtest.h>

#include <string>

#include "flyball/controllers/deployment/internal/deployment_fake.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using runtime::EventType;

class RollBackPlanTest : public testing::Test {
 protected:
  Deployment asked_ = FakeDeployment(3, [](Deployment& its) {
    its.metadata.annotations = {
        {std::string(kRevision), "5"}, {std::string(kRollBackTo), "0"}, {"cause", "new"}};
  });
  SetRef second_ = FakeSet("second", {.revision = 2},
                           [](ReplicaSet& set) { set.metadata.annotations["cause"] = "old"; });
  Rollout rollout_{.deployment = asked_,
                   .current = FakeSet("new", {.revision = 5}),
                   .old = {FakeSet("first", {.revision = 1}), second_}};

  /// The deployment as it was, but for what was asked.
  Deployment Unchanged() const {
    Deployment deployment = asked_;
    deployment.metadata.annotations.erase(kRollBackTo);
    return deployment;
  }
};

TEST_F(RollBackPlanTest, TheDeploymentGetsTheTemplateAndTheAnnotationsOfTheRevision) {
  RollBack expected{.deployment = Unchanged(),
                    .event = {.reason = "DeploymentRollback",
                              .message = R"(Rolled back deployment "web" to revision 2)"}};
  expected.deployment.spec.template_ = FakeTemplate("web:second");
  expected.deployment.metadata.annotations["cause"] = "old";
  EXPECT_EQ(PlanRollBack(rollout_, 2), expected);
  EXPECT_EQ(PlanRollBack(rollout_, 0), expected) << "the one before the current";
}

TEST_F(RollBackPlanTest, TheRevisionMayNotBeThere) {
  EXPECT_EQ(PlanRollBack(rollout_, 3),
            (RollBack{Unchanged(),
                      {EventType::kWarning, "DeploymentRollbackRevisionNotFound",
                       "Unable to find the revision to rollback to."}}));
  rollout_.old.clear();
  EXPECT_EQ(PlanRollBack(rollout_, 0),
            (RollBack{Unchanged(),
                      {EventType::kWarning, "DeploymentRollbackRevisionNotFound",
                       "Unable to find last revision."}}));
}

TEST_F(RollBackPlanTest, TheRevisionMayBeTheCurrentOne) {
  EXPECT_EQ(
      PlanRollBack(rollout_, 5),
      (RollBack{
          Unchanged(),
          {EventType::kWarning, "DeploymentRollbackTemplateUnchanged",
           R"(The rollback revision contains the same template as current deployment "web")"}}));
}

}  // namespace
}  // namespace flyball::controllers::deployment
