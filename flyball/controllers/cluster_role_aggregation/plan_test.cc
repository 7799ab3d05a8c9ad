#include "flyball/controllers/cluster_role_aggregation/plan.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace flyball::controllers::cluster_role_aggregation {
namespace {

using rbac::v1::ClusterRole;
using rbac::v1::PolicyRule;

PolicyRule MayGet(const std::string& resource) {
  PolicyRule rule;
  rule.verbs = {"get"};
  rule.apiGroups = {""};
  rule.resources = {resource};
  return rule;
}

ClusterRole Role(const std::string& name, const std::string& label, Rules rules) {
  ClusterRole role;
  role.metadata.name = name;
  if (!label.empty()) role.metadata.labels[label] = "true";
  role.rules = std::move(rules);
  return role;
}

/// A role that takes over what those with one of these labels have.
ClusterRole Aggregate(const std::string& name, const std::vector<std::string>& labels) {
  ClusterRole role = Role(name, "", {});
  role.aggregationRule.emplace();
  for (const std::string& label : labels) {
    role.aggregationRule->clusterRoleSelectors.emplace_back().matchLabels[label] = "true";
  }
  return role;
}

Result<std::optional<Rules>> Plan(const ClusterRole& role, const std::vector<ClusterRole>& others) {
  std::vector<std::shared_ptr<const ClusterRole>> all = {std::make_shared<ClusterRole>(role)};
  for (const ClusterRole& other : others) all.push_back(std::make_shared<ClusterRole>(other));
  return PlanFor(role, all);
}

TEST(ClusterRoleAggregationPlan, TakesRulesBySelectorThenByNameEachOnce) {
  const std::vector<ClusterRole> others = {
      Role("c", "to-a", {MayGet("pods")}), Role("b", "to-b", {MayGet("nodes"), MayGet("jobs")}),
      Role("a", "to-b", {MayGet("events"), MayGet("pods")}), Role("d", "", {MayGet("secrets")})};
  EXPECT_EQ(Plan(Aggregate("all", {"to-a", "to-b"}), others),
            (Rules{MayGet("pods"), MayGet("events"), MayGet("nodes"), MayGet("jobs")}));
  EXPECT_EQ(Plan(Aggregate("all", {"to-b"}), others),
            (Rules{MayGet("events"), MayGet("pods"), MayGet("nodes"), MayGet("jobs")}));
}

TEST(ClusterRoleAggregationPlan, LeavesWhatIsRightAndWhatIsNotMadeOfOthers) {
  ClusterRole role = Aggregate("all", {"to-a"});
  role.rules = {MayGet("pods")};
  EXPECT_EQ(Plan(role, {Role("c", "to-a", {MayGet("pods")})}), std::nullopt);
  EXPECT_EQ(Plan(Role("own", "", {MayGet("jobs")}), {Role("c", "to-a", {MayGet("pods")})}),
            std::nullopt);
  EXPECT_EQ(Plan(Aggregate("all", {"to-a"}), {}), std::nullopt);
}

TEST(ClusterRoleAggregationPlan, TakesAwayWhatNobodyHasAnyMoreAndMindsTheOrder) {
  ClusterRole role = Aggregate("all", {"to-a"});
  role.rules = {MayGet("jobs"), MayGet("pods")};
  EXPECT_EQ(Plan(role, {}), Rules());
  EXPECT_EQ(Plan(role, {Role("c", "to-a", {MayGet("pods"), MayGet("jobs")})}),
            (Rules{MayGet("pods"), MayGet("jobs")}));
}

TEST(ClusterRoleAggregationPlan, ARoleIsNoPartOfItself) {
  ClusterRole role = Aggregate("all", {"to-a"});
  role.metadata.labels["to-a"] = "true";
  role.rules = {MayGet("jobs")};
  EXPECT_EQ(Plan(role, {Role("c", "to-a", {MayGet("pods")})}), Rules{MayGet("pods")});
}

TEST(ClusterRoleAggregationPlan, AnEmptySelectorTakesAll) {
  ClusterRole role = Aggregate("all", {});
  role.aggregationRule->clusterRoleSelectors.emplace_back();
  EXPECT_EQ(Plan(role, {Role("c", "", {MayGet("pods")})}), Rules{MayGet("pods")});
}

TEST(ClusterRoleAggregationPlan, ASelectorThatMakesNoSenseIsAnError) {
  ClusterRole role = Aggregate("all", {"to-a"});
  role.aggregationRule->clusterRoleSelectors[0].matchLabels["a b"] = "true";
  EXPECT_EQ(Plan(role, {}).error().code(), ErrorCode::kInvalid);
}

TEST(ClusterRoleAggregationPlan, AppliesNothingButTheRules) {
  PolicyRule url;
  url.verbs = {"get"};
  url.nonResourceURLs = {"/metrics"};
  EXPECT_EQ(ApplyConfiguration("all", {MayGet("pods"), url}).ToString(),
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
            R"("metadata":{"name":"all"},"rules":[)"
            R"({"apiGroups":[""],"resources":["pods"],"verbs":["get"]},)"
            R"({"nonResourceURLs":["/metrics"],"verbs":["get"]}]})");
  EXPECT_EQ(ApplyConfiguration("all", {}).ToString(),
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
            R"("metadata":{"name":"all"}})");
}

}  // namespace
}  // namespace flyball::controllers::cluster_role_aggregation
