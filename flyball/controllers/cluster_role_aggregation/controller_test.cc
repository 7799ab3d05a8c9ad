#include "flyball/controllers/cluster_role_aggregation/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/rbac/v1.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/undecodable_fake.h"

namespace flyball::controllers::cluster_role_aggregation {
namespace {

using rbac::v1::ClusterRole;
using rbac::v1::PolicyRule;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class ClusterRoleAggregationTest : public ControllerFixture {
 protected:
  ClusterRole Role(const std::string& name, const std::string& resource) {
    ClusterRole role;
    role.metadata.name = name;
    role.metadata.labels["part"] = "yes";
    PolicyRule& rule = role.rules.emplace_back();
    rule.verbs = {"get"};
    rule.apiGroups = {""};
    rule.resources = {resource};
    return role;
  }
  /// A role that is made of those with this label.
  ClusterRole Whole(const std::string& name, const std::string& label) {
    ClusterRole role;
    role.metadata.name = name;
    role.aggregationRule.emplace();
    role.aggregationRule->clusterRoleSelectors.emplace_back().matchLabels[label] = "yes";
    return role;
  }
  std::vector<std::string> ResourcesOf(const std::string& name) {
    std::vector<std::string> resources;
    const ClusterRole role = *All<ClusterRole>().Get({"", name});
    for (const PolicyRule& rule : role.rules) {
      resources.push_back(rule.resources.front());
    }
    return resources;
  }
};

TEST_F(ClusterRoleAggregationTest, ARoleFollowsThoseItIsMadeOf) {
  EXPECT_TRUE(All<ClusterRole>().Create(Whole("whole", "part")));
  EXPECT_TRUE(All<ClusterRole>().Create(Role("one", "pods")));
  Play(Make(deps()), [&] {
    Pass(seconds(1));
    EXPECT_THAT(ResourcesOf("whole"), ElementsAre("pods"));
    EXPECT_THAT(TakeRequests(),
                ElementsAre("PATCH /apis/rbac.authorization.k8s.io/v1/clusterroles/whole"
                            "?fieldManager=clusterrole-aggregation-controller&force=true"));

    EXPECT_TRUE(All<ClusterRole>().Create(Role("another", "jobs")));
    Pass(seconds(1));
    EXPECT_THAT(ResourcesOf("whole"), ElementsAre("jobs", "pods"));

    ClusterRole one = *All<ClusterRole>().Get({"", "one"});
    one.rules[0].resources = {"nodes"};
    EXPECT_TRUE(All<ClusterRole>().Update(one));
    Pass(seconds(1));
    EXPECT_THAT(ResourcesOf("whole"), ElementsAre("jobs", "nodes"));

    EXPECT_TRUE(All<ClusterRole>().Delete({"", "another"}));
    EXPECT_TRUE(All<ClusterRole>().Delete({"", "one"}));
    Pass(seconds(1));
    EXPECT_THAT(ResourcesOf("whole"), IsEmpty());
  });
}

TEST_F(ClusterRoleAggregationTest, RolesOfRolesFollowToo) {
  ClusterRole middle = Whole("middle", "part");
  middle.metadata.labels["middle"] = "yes";
  EXPECT_TRUE(All<ClusterRole>().Create(Whole("top", "middle")));
  EXPECT_TRUE(All<ClusterRole>().Create(middle));
  Play(Make(deps()), [&] {
    EXPECT_TRUE(All<ClusterRole>().Create(Role("one", "pods")));
    Pass(seconds(1));
    EXPECT_THAT(ResourcesOf("top"), ElementsAre("pods"));
  });
}

TEST_F(ClusterRoleAggregationTest, WhatIsRightIsNotWritten) {
  EXPECT_TRUE(All<ClusterRole>().Create(Whole("whole", "part")));
  Play(Make(deps()), [&] {
    ClusterRole other = Role("other", "pods");
    other.metadata.labels.clear();
    EXPECT_TRUE(All<ClusterRole>().Create(other));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(ClusterRoleAggregationTest, KeepsTheRulesOfARoleThatCannotBeDecoded) {
  sandbox::Fault garbled =
      faults_.OnEvents(sandbox::Requests::Watches().Of("clusterroles")).Rewrite(Garble);
  ClusterRole whole = Whole("whole", "part");
  whole.rules = Role("", "pods").rules;
  EXPECT_TRUE(All<ClusterRole>().Create(whole));
  EXPECT_TRUE(All<ClusterRole>().Create(Whole("other", "another")));
  ClusterRole one = Role("one", "pods");
  one.rules[0].apiGroups = {std::string(kUndecodable)};
  EXPECT_TRUE(All<ClusterRole>().Create(one));
  Play(Make(deps()), [&] {
    Pass(seconds(1));
    EXPECT_THAT(ResourcesOf("whole"), ElementsAre("pods"));
    // Roles that it is no part of go on.
    ClusterRole another = Role("more", "jobs");
    another.metadata.labels = {{"another", "yes"}};
    EXPECT_TRUE(All<ClusterRole>().Create(another));
    Pass(seconds(1));
    EXPECT_THAT(ResourcesOf("other"), ElementsAre("jobs"));
    EXPECT_THAT(ResourcesOf("whole"), ElementsAre("pods"));

    garbled.Lift();
    one = *All<ClusterRole>().Get({"", "one"});
    one.rules[0].resources = {"nodes"};
    EXPECT_TRUE(All<ClusterRole>().Update(one));
    Pass(seconds(100));
    EXPECT_THAT(ResourcesOf("whole"), ElementsAre("nodes"));
  });
}

}  // namespace
}  // namespace flyball::controllers::cluster_role_aggregation
