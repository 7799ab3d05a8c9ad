#include "tests/scenario/scenario_file.h"

#include "gmock/gmock.h"
#include "tests/scripted/test_folder.h"

namespace flyball::scenario {
namespace {

using testing::ElementsAre;

std::vector<std::string> StepsOf(const ScenarioFile& scenario) {
  std::vector<std::string> steps;
  for (const ScenarioFile::Step& step : scenario.steps) steps.push_back(step.tree.ToString());
  return steps;
}

TEST(ScenarioFile, PlaysPartsWithTheValuesThatTheyAreGiven) {
  const scripted::TestFolder folder;
  folder.Write("parts/life.yaml", "group: inner\nsteps:\n- {make: $(name), at: $(ns)}\n");
  const std::string file =
      folder.Write("web.yaml", "alone: true\nsteps:\n- {play: life, with: {name: a}}\n- end: 1\n");
  const auto scenario = ScenarioFile::Load(file);
  ASSERT_TRUE(scenario) << scenario.error().Describe();
  EXPECT_EQ(scenario->name, "web");
  EXPECT_EQ(scenario->settings, (api::Json::Object{{"alone", true}}));
  EXPECT_THAT(StepsOf(*scenario),
              ElementsAre(R"json({"at":"$(ns)","make":"a"})json", R"({"end":1})"));
  EXPECT_EQ(scenario->steps[0].settings, (api::Json::Object{{"alone", true}, {"group", "inner"}}));
}

TEST(ScenarioFile, RepeatsStepsWithinEachOther) {
  const scripted::TestFolder folder;
  const std::string file = folder.Write(
      "many.yaml",
      "steps:\n- repeat: 2\n  steps: [{repeat: 2, as: j, steps: [{make: a-$(i)-$(j)}]}]\n");
  const auto scenario = ScenarioFile::Load(file);
  ASSERT_TRUE(scenario) << scenario.error().Describe();
  EXPECT_THAT(StepsOf(*scenario), ElementsAre(R"({"make":"a-0-0"})", R"({"make":"a-0-1"})",
                                              R"({"make":"a-1-0"})", R"({"make":"a-1-1"})"));
}

TEST(ScenarioFile, SaysWhichStepIsNone) {
  const scripted::TestFolder folder;
  const auto scenario = ScenarioFile::Load(folder.Write("odd.yaml", "steps: [3]\n"));
  ASSERT_FALSE(scenario);
  EXPECT_THAT(scenario.error().Describe(), testing::HasSubstr("odd.yaml: 3: it is no step"));
}

TEST(FindPath, GoesThroughListsAndMembers) {
  const api::Json tree = *api::Json::Parse(R"({"items":[{"a":{"b":7}}]})");
  EXPECT_EQ(*FindPath(tree, "items[0].a.b"), api::Json(7));
  EXPECT_EQ(FindPath(tree, "items[1].a"), nullptr);
}

}  // namespace
}  // namespace flyball::scenario
