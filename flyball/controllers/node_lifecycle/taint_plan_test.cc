#include "flyball/controllers/node_lifecycle/taint_plan.h"

#include <gtest/gtest.h>

#include "flyball/api/time.h"
#include "flyball/controllers/common/internal/node_fake.h"

namespace flyball::controllers::node_lifecycle {
namespace {

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};

constexpr const char* kNotReady = "node.kubernetes.io/not-ready";
constexpr const char* kUnreachable = "node.kubernetes.io/unreachable";

std::string WhatFor(const core::v1::Node& node, bool spare_pods = false) {
  const auto change = PlanTaints(*ViewOf(node), spare_pods, kNow);
  return change ? change->what : "";
}

core::v1::Node Tainted(const std::string& ready, const std::vector<core::v1::Taint>& taints) {
  core::v1::Node node = MakeNode("a", ready);
  node.spec.taints = taints;
  return node;
}

TEST(NodeTaints, AHealthyNodeIsLeftAlone) {
  EXPECT_EQ(WhatFor(MakeNode("a")), "");
  EXPECT_EQ(WhatFor(MakeNode("a", "")), "");
}

TEST(NodeTaints, ConditionsKeepNewPodsOff) {
  const auto with = [](const char* type, const char* status) {
    core::v1::Node node = MakeNode("a");
    node.status.conditions.push_back(MakeNodeCondition(type, status));
    return WhatFor(node);
  };
  EXPECT_EQ(with("MemoryPressure", "True"), "+node.kubernetes.io/memory-pressure:NoSchedule");
  EXPECT_EQ(with("DiskPressure", "True"), "+node.kubernetes.io/disk-pressure:NoSchedule");
  EXPECT_EQ(with("PIDPressure", "True"), "+node.kubernetes.io/pid-pressure:NoSchedule");
  EXPECT_EQ(with("NetworkUnavailable", "True"),
            "+node.kubernetes.io/network-unavailable:NoSchedule");
  EXPECT_EQ(with("MemoryPressure", "Unknown"), "");
  EXPECT_EQ(with("SomethingElse", "True"), "");
  EXPECT_EQ(WhatFor(MakeNode("a", "False")), "+node.kubernetes.io/not-ready:NoSchedule");
  EXPECT_EQ(WhatFor(MakeNode("a", "Unknown")), "+node.kubernetes.io/unreachable:NoSchedule");
}

TEST(NodeTaints, ANodeThatIsCordonedKeepsNewPodsOff) {
  core::v1::Node node = MakeNode("a");
  node.spec.unschedulable = true;
  EXPECT_EQ(WhatFor(node), "+node.kubernetes.io/unschedulable:NoSchedule");
}

TEST(NodeTaints, WhatNoConditionAsksForGoes) {
  EXPECT_EQ(WhatFor(Tainted("True", {MakeTaint(kNotReady, "NoSchedule"),
                                     MakeTaint("node.kubernetes.io/unschedulable", "NoSchedule"),
                                     MakeTaint("node.kubernetes.io/disk-pressure", "NoSchedule")})),
            "-node.kubernetes.io/not-ready:NoSchedule, "
            "-node.kubernetes.io/unschedulable:NoSchedule, "
            "-node.kubernetes.io/disk-pressure:NoSchedule");
}

TEST(NodeTaints, WhatIsSomebodyElsesStays) {
  EXPECT_EQ(
      WhatFor(Tainted("True", {MakeTaint("mine", "NoSchedule"), MakeTaint("mine", "NoExecute"),
                               MakeTaint(kNotReady, "PreferNoSchedule"),
                               MakeTaint("node.kubernetes.io/disk-pressure", "NoExecute")})),
      "");
}

TEST(NodeTaints, TheWholeListIsWrittenInItsOrder) {
  core::v1::Node node =
      Tainted("Unknown", {MakeTaint("mine", "NoExecute"), MakeTaint(kNotReady, "NoSchedule"),
                          MakeTaint("other", "PreferNoSchedule")});
  node.spec.taints[0].value = "yes";
  node.spec.taints[2].timeAdded = api::Time(kNow - std::chrono::hours(1));
  const auto change = PlanTaints(*ViewOf(node), false, kNow);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->patch,
            *api::Json::Parse(
                R"({"metadata":{"resourceVersion":"7"},"spec":{"taints":[)"
                R"({"key":"mine","value":"yes","effect":"NoExecute"},)"
                R"({"key":"other","effect":"PreferNoSchedule","timeAdded":"2026-11-14T23:00:00Z"},)"
                R"({"key":"node.kubernetes.io/unreachable","effect":"NoSchedule",)"
                R"("timeAdded":"2026-11-15T00:00:00Z"}]}})"));
}

TEST(NodeTaints, PodsAreNoLongerDrivenOutOfANodeThatIsReadyAgain) {
  EXPECT_EQ(WhatFor(Tainted(
                "True", {MakeTaint(kNotReady, "NoExecute"), MakeTaint(kUnreachable, "NoExecute")})),
            "-node.kubernetes.io/unreachable:NoExecute, -node.kubernetes.io/not-ready:NoExecute");
}

TEST(NodeTaints, OneReasonToDrivePodsOutIsExchangedForTheOtherAtOnce) {
  EXPECT_EQ(WhatFor(Tainted("False", {MakeTaint(kNotReady, "NoSchedule"),
                                      MakeTaint(kUnreachable, "NoExecute")})),
            "+node.kubernetes.io/not-ready:NoExecute, -node.kubernetes.io/unreachable:NoExecute");
  EXPECT_EQ(WhatFor(Tainted("Unknown", {MakeTaint(kUnreachable, "NoSchedule"),
                                        MakeTaint(kNotReady, "NoExecute")})),
            "+node.kubernetes.io/unreachable:NoExecute, -node.kubernetes.io/not-ready:NoExecute");
  // Both, as somebody may have added one.
  EXPECT_EQ(WhatFor(Tainted("Unknown", {MakeTaint(kUnreachable, "NoSchedule"),
                                        MakeTaint(kNotReady, "NoExecute"),
                                        MakeTaint(kUnreachable, "NoExecute")})),
            "-node.kubernetes.io/not-ready:NoExecute");
}

TEST(NodeTaints, WhatDrivesPodsOutStaysWhileItIsSoOrNobodySays) {
  EXPECT_EQ(WhatFor(Tainted(
                "False", {MakeTaint(kNotReady, "NoSchedule"), MakeTaint(kNotReady, "NoExecute")})),
            "");
  EXPECT_EQ(WhatFor(Tainted("", {MakeTaint(kNotReady, "NoExecute")})), "");
}

TEST(NodeTaints, NoPodsAreDrivenOutWhereNothingIsLeft) {
  const auto node = Tainted(
      "Unknown", {MakeTaint(kUnreachable, "NoSchedule"), MakeTaint(kUnreachable, "NoExecute")});
  EXPECT_EQ(WhatFor(node, /*spare_pods=*/true), "-node.kubernetes.io/unreachable:NoExecute");
}

TEST(NodeTaints, ANewReasonToDrivePodsOutWaitsForItsTurn) {
  const auto lacks = [](const core::v1::Node& node) { return LacksEvictingTaint(*ViewOf(node)); };
  EXPECT_TRUE(lacks(MakeNode("a", "False")));
  EXPECT_TRUE(lacks(MakeNode("a", "Unknown")));
  EXPECT_FALSE(lacks(MakeNode("a", "True")));
  EXPECT_FALSE(lacks(MakeNode("a", "")));
  EXPECT_FALSE(lacks(Tainted("Unknown", {MakeTaint(kNotReady, "NoExecute")})));
  EXPECT_TRUE(lacks(Tainted("Unknown", {MakeTaint(kUnreachable, "NoSchedule")})));

  const auto unknown =
      AddEvictingTaint(*ViewOf(Tainted("Unknown", {MakeTaint(kUnreachable, "NoSchedule")})), kNow);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->what, "+node.kubernetes.io/unreachable:NoExecute");
  EXPECT_EQ(unknown->patch,
            *api::Json::Parse(R"({"metadata":{"resourceVersion":"7"},"spec":{"taints":[)"
                              R"({"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"},)"
                              R"({"key":"node.kubernetes.io/unreachable","effect":"NoExecute",)"
                              R"("timeAdded":"2026-11-15T00:00:00Z"}]}})"));
  EXPECT_FALSE(
      LacksConditionTaints(*ViewOf(Tainted("Unknown", {MakeTaint(kUnreachable, "NoSchedule")}))));
  EXPECT_TRUE(LacksConditionTaints(*ViewOf(MakeNode("a", "False"))));
  EXPECT_FALSE(LacksConditionTaints(*ViewOf(MakeNode("a", "True"))));
  EXPECT_FALSE(AddEvictingTaint(*ViewOf(MakeNode("a", "True")), kNow));
}

TEST(NodeLabels, ThoseOfOldSayTheSameAsThoseThatTookTheirPlaces) {
  core::v1::Node node = MakeNode("a");
  node.metadata.labels = {{"kubernetes.io/os", "linux"},
                          {"kubernetes.io/arch", "arm64"},
                          {"beta.kubernetes.io/arch", "amd64"}};
  const auto change = PlanTaints(*ViewOf(node), false, kNow);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->what, "beta.kubernetes.io/arch=arm64, beta.kubernetes.io/os=linux");
  EXPECT_EQ(change->patch,
            *api::Json::Parse(
                R"({"metadata":{"resourceVersion":"7","labels":{"beta.kubernetes.io/os":"linux",)"
                R"("beta.kubernetes.io/arch":"arm64"}}})"));
}

TEST(NodeLabels, NothingIsSaidOfWhatANodeDoesNotSay) {
  core::v1::Node node = MakeNode("a");
  node.metadata.labels = {{"beta.kubernetes.io/os", "linux"},
                          {"kubernetes.io/arch", "arm64"},
                          {"beta.kubernetes.io/arch", "arm64"}};
  EXPECT_EQ(WhatFor(node), "");
}

TEST(NodeLabels, GoWithTaintsInOneChange) {
  core::v1::Node node = MakeNode("a", "False");
  node.metadata.labels = {{"kubernetes.io/os", "linux"}};
  EXPECT_EQ(WhatFor(node), "+node.kubernetes.io/not-ready:NoSchedule, beta.kubernetes.io/os=linux");
}

}  // namespace
}  // namespace flyball::controllers::node_lifecycle
