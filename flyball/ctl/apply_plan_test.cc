#include "flyball/ctl/apply_plan.h"

#include "flyball/api/apps/v1.h"
#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

using api::Json;

Json Parse(std::string_view text) { return *Json::Parse(text); }

TEST(ApplyPlan, TheAnnotationHoldsTheObjectWithoutIt) {
  const Json once =
      WithLastApplied(Parse(R"({"kind":"A","metadata":{"name":"x"},"spec":{"n":1}})"));
  const std::string kText =
      R"({"kind":"A","metadata":{"annotations":{},"name":"x"},"spec":{"n":1}})"
      "\n";
  EXPECT_EQ(*once.Find("metadata")->Find("annotations"),
            Json(Json::Object{{std::string(kLastApplied), kText}}));
  EXPECT_TRUE(HasLastApplied(once));
  EXPECT_EQ(WithLastApplied(once), once);
}

TEST(ApplyPlan, NullsAreNotCreated) {
  EXPECT_EQ(WithoutNulls(Parse(R"({"a":null,"b":{"c":null},"d":[{"e":null,"f":1},null]})")),
            Parse(R"({"b":{},"d":[{"f":1},null]})"));
}

TEST(ApplyPlan, WhatIsNoLongerAskedForGoesAndWhatOthersSetStays) {
  const auto patch = CreateThreeWayMergePatch(
      {.original = Parse(R"({"spec":{"size":1,"colour":"red","deep":{"old":1}}})"),
       .modified = Parse(R"({"spec":{"size":2,"list":[1],"empty":{}}})"),
       .current =
           Parse(R"({"spec":{"size":1,"colour":"red","deep":{"old":1,"theirs":2},"x":1}})")});
  ASSERT_TRUE(patch);
  EXPECT_EQ(*patch,
            Parse(R"({"spec":{"colour":null,"deep":null,"empty":{},"list":[1],"size":2}})"));
}

TEST(ApplyPlan, ANullRemovesWhatSomebodySet) {
  const auto patch = CreateThreeWayMergePatch({.original = Json(),
                                               .modified = Parse(R"({"spec":{"size":null}})"),
                                               .current = Parse(R"({"spec":{"size":1}})")});
  ASSERT_TRUE(patch);
  EXPECT_EQ(*patch, Parse(R"({"spec":{"size":null}})"));
}

TEST(ApplyPlan, NothingToDoIsAnEmptyPatch) {
  const Json wanted = Parse(R"({"kind":"Widget","metadata":{"name":"x"},"spec":{"size":1}})");
  Json current = WithLastApplied(wanted);
  const auto patch = PlanApply(wanted, current, nullptr, api::OnConflict::kOverwrite);
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->type, client::PatchType::kMerge);
  EXPECT_EQ(patch->text, "{}");
}

TEST(ApplyPlan, AKindStays) {
  const auto patch = CreateThreeWayMergePatch({.original = Json(),
                                               .modified = Parse(R"({"kind":"A"})"),
                                               .current = Parse(R"({"kind":"B"})")});
  ASSERT_FALSE(patch);
  EXPECT_EQ(patch.error().message(), "At least one of apiVersion, kind and name was changed");
}

TEST(ApplyPlan, ListsOfBuiltInKindsAreMergedByKey) {
  const auto deployment = [](std::string_view containers) {
    return Parse(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{)"
                 R"("template":{"spec":{"containers":)" +
                 std::string(containers) + "}}}}");
  };
  const Json current = WithLastApplied(deployment(R"([{"name":"a","image":"a:1"}])"));
  const auto patch = PlanApply(deployment(R"([{"name":"a","image":"a:2"}])"), current,
                               &apps::v1::Deployment::kType, api::OnConflict::kOverwrite);
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->type, client::PatchType::kStrategic);
  const Json text = Parse(patch->text);
  EXPECT_EQ(*text.Find("spec"),
            Parse(R"({"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],)"
                  R"("containers":[{"image":"a:2","name":"a"}]}}})"));
}

TEST(ApplyPlan, AnAnnotationThatDoesNotParseIsAnError) {
  const Json current = Json::Object{
      {"metadata", Json::Object{{"annotations", Json::Object{{std::string(kLastApplied), "{"}}}}}};
  EXPECT_FALSE(PlanApply(Json::Object(), current, nullptr, api::OnConflict::kOverwrite));
}

}  // namespace
}  // namespace flyball::ctl
