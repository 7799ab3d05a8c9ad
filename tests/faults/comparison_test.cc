#include "tests/faults/comparison.h"

#include "gtest/gtest.h"

namespace flyball::faults {
namespace {

using api::Json;

TEST(Comparison, LeavesOutEventsAndHowManyStepsItTook) {
  const Json portrait = *Json::Parse(R"({
      "events": {"Killing of Pod/a": {}},
      "pods/a": {"metadata": {"name": "a", "generation": 3},
                 "status": {"observedGeneration": 3,
                            "conditions": [{"type": "Ready", "observedGeneration": 2}]}},
      "secrets/b": {"metadata": {"name": "b"}}})");
  const Json expected = *Json::Parse(R"({
      "pods/a": {"metadata": {"name": "a"},
                 "status": {"observedGeneration": "<the newest>",
                            "conditions": [{"type": "Ready",
                                            "observedGeneration": "<an old one>"}]}},
      "secrets/b": {"metadata": {"name": "b"}}})");
  EXPECT_EQ(WithoutTheWay(portrait), expected);
}

TEST(Comparison, LeavesOutHowOldEndpointsAre) {
  const Json portrait = *Json::Parse(R"({
      "endpoints/web": {"since": "made", "subsets": []}, "services/web": {"since": "made again"}})");
  const Json expected = *Json::Parse(R"({
      "endpoints/web": {"subsets": []}, "services/web": {"since": "made again"}})");
  EXPECT_EQ(WithoutTheWay(portrait), expected);
  const Json aged = *Json::Parse(R"({
      "endpoints/web": {"subsets": []}, "services/web": {}})");
  EXPECT_EQ(WithoutTheWay(portrait, /*aged=*/true), aged);
}

}  // namespace
}  // namespace flyball::faults
