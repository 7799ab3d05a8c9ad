#include "flyball/api/node_selector.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flyball::api {
namespace {

using Labels = std::map<std::string, std::string>;

core::v1::NodeSelectorRequirement Requirement(const std::string& key, const std::string& op,
                                              std::vector<std::string> values = {}) {
  core::v1::NodeSelectorRequirement requirement;
  requirement.key = key;
  requirement.operator_ = op;
  requirement.values = std::move(values);
  return requirement;
}

core::v1::NodeSelectorTerm ByLabel(const core::v1::NodeSelectorRequirement& requirement) {
  core::v1::NodeSelectorTerm term;
  term.matchExpressions = {requirement};
  return term;
}

core::v1::NodeSelectorTerm ByField(const core::v1::NodeSelectorRequirement& requirement) {
  core::v1::NodeSelectorTerm term;
  term.matchFields = {requirement};
  return term;
}

bool Matches(const core::v1::NodeSelectorTerm& term) {
  return NodeSelectorTerm(term).Matches("node-1", Labels{{"zone", "a"}, {"cores", "8"}});
}

TEST(NodeSelectorTerm, KnowsAllOperators) {
  EXPECT_TRUE(Matches(ByLabel(Requirement("zone", "In", {"a", "b"}))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("zone", "In", {"b"}))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("zone", "NotIn", {"a"}))));
  EXPECT_TRUE(Matches(ByLabel(Requirement("rack", "NotIn", {"a"}))));
  EXPECT_TRUE(Matches(ByLabel(Requirement("zone", "Exists"))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("rack", "Exists"))));
  EXPECT_TRUE(Matches(ByLabel(Requirement("rack", "DoesNotExist"))));
  EXPECT_TRUE(Matches(ByLabel(Requirement("cores", "Gt", {"7"}))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("cores", "Gt", {"8"}))));
  EXPECT_TRUE(Matches(ByLabel(Requirement("cores", "Lt", {"9"}))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("zone", "Gt", {"1"}))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("rack", "Lt", {"1"}))));
}

TEST(NodeSelectorTerm, NamesANodeOrAllOthers) {
  EXPECT_TRUE(Matches(ByField(Requirement("metadata.name", "In", {"node-1"}))));
  EXPECT_FALSE(Matches(ByField(Requirement("metadata.name", "In", {"node-2"}))));
  EXPECT_TRUE(Matches(ByField(Requirement("metadata.name", "NotIn", {"node-2"}))));
  EXPECT_FALSE(Matches(ByField(Requirement("metadata.name", "NotIn", {"node-1"}))));
  EXPECT_FALSE(Matches(ByField(Requirement("metadata.uid", "In", {"node-1"}))));
}

TEST(NodeSelectorTerm, OneThatSaysNothingOrMakesNoSenseMeansNoNode) {
  EXPECT_FALSE(Matches({}));
  EXPECT_FALSE(Matches(ByLabel(Requirement("zone", "Like", {"a"}))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("zone", "In"))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("rack", "NotIn"))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("zone", "Exists", {"a"}))));
  EXPECT_FALSE(Matches(ByLabel(Requirement("cores", "Gt", {"few"}))));
  EXPECT_FALSE(Matches(ByField(Requirement("metadata.name", "In", {"node-1", "node-2"}))));
  EXPECT_FALSE(Matches(ByField(Requirement("metadata.name", "Exists"))));
}

TEST(NodeSelectorTerm, AllThatItSaysMustHold) {
  core::v1::NodeSelectorTerm term = ByLabel(Requirement("zone", "In", {"a"}));
  term.matchFields = {Requirement("metadata.name", "In", {"node-1"})};
  EXPECT_TRUE(Matches(term));
  term.matchExpressions.push_back(Requirement("rack", "Exists"));
  EXPECT_FALSE(Matches(term));
}

TEST(RequiredNodes, AreThoseOfTheSelectorAndOfAnyTerm) {
  const Labels labels = {{"zone", "a"}};
  EXPECT_TRUE(RequiredNodes().Match("node-1", labels));
  EXPECT_TRUE(RequiredNodes(labels, nullptr).Match("node-1", labels));
  EXPECT_FALSE(RequiredNodes(Labels{{"zone", "b"}}, nullptr).Match("node-1", labels));

  core::v1::NodeAffinity affinity;
  EXPECT_TRUE(RequiredNodes(Labels(), &affinity).Match("node-1", labels));
  auto& required = affinity.requiredDuringSchedulingIgnoredDuringExecution.emplace();
  EXPECT_FALSE(RequiredNodes(Labels(), &affinity).Match("node-1", labels));
  required.nodeSelectorTerms = {ByLabel(Requirement("zone", "Like", {"a"})),
                                ByField(Requirement("metadata.name", "In", {"node-1"}))};
  EXPECT_TRUE(RequiredNodes(Labels(), &affinity).Match("node-1", labels));
  EXPECT_FALSE(RequiredNodes(Labels(), &affinity).Match("node-2", labels));
  EXPECT_FALSE(RequiredNodes(Labels{{"zone", "b"}}, &affinity).Match("node-1", labels));
}

}  // namespace
}  // namespace flyball::api
