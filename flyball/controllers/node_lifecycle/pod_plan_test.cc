#include "flyball/controllers/node_lifecycle/pod_plan.h"

#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/pod_fake.h"

namespace flyball::controllers::node_lifecycle {
namespace {

const WallTime kNotReadyTime{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};

core::v1::Pod PodThatSays(const std::string& ready) {
  core::v1::Pod pod;
  pod.metadata.uid = "uid";
  pod.metadata.resourceVersion = "7";
  core::v1::PodCondition& scheduled = pod.status.conditions.emplace_back();
  scheduled.type = "PodScheduled";
  scheduled.status = "True";
  if (!ready.empty()) {
    pod.status.conditions.push_back(ReadyCondition(api::Time::FromUnix(0), ready));
  }
  return pod;
}

TEST(PodOfALostNode, IsNotReady) {
  for (const char* const ready : {"True", "Unknown"}) {
    const auto patch = NotReadyPatch(*ViewOf(PodThatSays(ready)), kNotReadyTime);
    ASSERT_TRUE(patch);
    EXPECT_EQ(*patch,
              *api::Json::Parse(R"({"metadata":{"uid":"uid","resourceVersion":"7"},"status":{)"
                                R"("conditions":[{"type":"Ready","status":"False",)"
                                R"("lastTransitionTime":"2026-11-15T00:00:00Z"}]}})"));
  }
}

TEST(PodOfALostNode, SaysNothingThatItSaysAlreadyOrNeverDid) {
  EXPECT_FALSE(NotReadyPatch(*ViewOf(PodThatSays("False")), kNotReadyTime));
  EXPECT_FALSE(NotReadyPatch(*ViewOf(PodThatSays("")), kNotReadyTime));
}

}  // namespace
}  // namespace flyball::controllers::node_lifecycle
