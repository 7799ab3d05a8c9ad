#include "flyball/ctl/rollout_history.h"

#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

using api::Json;

Json ParseJson(std::string_view text) { return *Json::Parse(text); }

Json ReplicaSet(const std::string& name, int revision, const std::string& image) {
  return ParseJson(
      R"({"metadata":{"name":")" + name +
      R"(","annotations":{"deployment.kubernetes.io/revision":")" + std::to_string(revision) +
      R"(","note":"of )" + name +
      R"("}},"spec":{"template":{"metadata":{"labels":{"app":"web","pod-template-hash":")" + name +
      R"("}},"spec":{"image":")" + image + R"("}}}})");
}

Json Deployment(const std::string& image) {
  return ParseJson(R"({"metadata":{"name":"web","uid":"1","annotations":{"mine":"x",
                  "deployment.kubernetes.io/revision":"3"}},
                  "spec":{"template":{"metadata":{"creationTimestamp":null,"labels":{"app":"web"}},
                  "spec":{"image":")" +
                   image + R"("}}}})");
}

const std::vector<Json> kSets = {ReplicaSet("c", 3, "i:3"), ReplicaSet("a", 1, "i:1"),
                                 ReplicaSet("b", 2, "i:2")};

TEST(RolloutHistory, ListsRevisionsInOrder) {
  auto sets = kSets;
  sets.push_back(ParseJson(R"({"metadata":{"annotations":{"deployment.kubernetes.io/revision":"4",
                       "kubernetes.io/change-cause":"new image"}}})"));
  sets.push_back(
      ParseJson(R"({"metadata":{"annotations":{"deployment.kubernetes.io/revision":"?"}}})"));
  EXPECT_EQ(HistoryText(sets),
            "REVISION  CHANGE-CAUSE\n"
            "1         <none>\n"
            "2         <none>\n"
            "3         <none>\n"
            "4         new image\n");
  EXPECT_EQ(HistoryText({}), "No rollout history found.");
}

TEST(RolloutHistory, GoesBackByOneUnlessTold) {
  const Json deployment = Deployment("i:3");
  EXPECT_EQ(*ReplicaSetAt(deployment, kSets, 0), kSets[2]);
  EXPECT_EQ(*ReplicaSetAt(deployment, kSets, 1), kSets[1]);
  EXPECT_EQ(ReplicaSetAt(deployment, kSets, 7).error().message(),
            "unable to find specified revision 7 in history");
  EXPECT_EQ(ReplicaSetAt(deployment, {kSets[0]}, 0).error().message(),
            "no rollout history found for deployment \"web\"");
}

TEST(RolloutHistory, TemplatesAreComparedWithoutTheirHash) {
  EXPECT_TRUE(SameTemplate(Deployment("i:2"), kSets[2]));
  EXPECT_FALSE(SameTemplate(Deployment("i:3"), kSets[2]));
}

TEST(RolloutHistory, UndoTakesTheTemplateAndTheNotesButNotTheBookkeeping) {
  const client::Patch patch = UndoPatch(Deployment("i:3"), kSets[2]);
  EXPECT_EQ(patch.type, client::PatchType::kJson);
  EXPECT_EQ(ParseJson(patch.text), ParseJson(R"([
      {"op":"replace","path":"/spec/template",
       "value":{"metadata":{"labels":{"app":"web"}},"spec":{"image":"i:2"}}},
      {"op":"replace","path":"/metadata/annotations",
       "value":{"deployment.kubernetes.io/revision":"3","note":"of b"}}])"));
}

TEST(RolloutHistory, OnlyWhatADeploymentControlsIsItsHistory) {
  const auto owned = [](std::string_view reference) {
    return ParseJson(R"({"metadata":{"ownerReferences":[)" + std::string(reference) + "]}}");
  };
  const Json mine = owned(R"({"uid":"1","controller":true})");
  EXPECT_EQ(ControlledBy(Deployment("i"), {mine, owned(R"({"uid":"1"})"), owned(""),
                                           owned(R"({"uid":"2","controller":true})")}),
            std::vector<Json>{mine});
}

}  // namespace
}  // namespace flyball::ctl
