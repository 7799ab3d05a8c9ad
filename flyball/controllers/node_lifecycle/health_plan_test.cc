#include "flyball/controllers/node_lifecycle/health_plan.h"

#include <gtest/gtest.h>

#include <memory>

#include "flyball/api/coordination/v1.h"
#include "flyball/api/time.h"
#include "flyball/controllers/common/internal/node_fake.h"

namespace flyball::controllers::node_lifecycle {
namespace {

using std::chrono::seconds;

const WallTime kWall{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};
const SteadyTime kSteadyStart{std::chrono::hours(1)};
const GracePeriods kGrace{.startup = seconds(60), .running = seconds(50)};
constexpr SteadyTime kNeverDeaf = SteadyTime::min();

Moment After(std::chrono::nanoseconds time) { return {kWall + time, kSteadyStart + time}; }

core::v1::Node Reporting(seconds reported, const std::string& ready = "True") {
  core::v1::Node node = MakeNode("a", ready);
  node.metadata.creationTimestamp = api::Time(kWall - seconds(1000));
  node.status.conditions.front().lastHeartbeatTime = api::Time(kWall + reported);
  return node;
}

core::v1::Node Silent(seconds age) {
  core::v1::Node node = MakeNode("a", "");
  node.metadata.creationTimestamp = api::Time(kWall - age);
  return node;
}

std::shared_ptr<const views::NodeLease> LeaseOf(seconds renewed) {
  coordination::v1::Lease lease;
  lease.metadata.name = "a";
  lease.spec.renewTime = api::MicroTime(kWall + renewed);
  api::ViewDecoder decoder;
  return decoder.Decode<views::NodeLease>(api::EncodeProtobuf(lease).value()).value();
}

/// Looks at one node again and again.
class Watcher {
 public:
  bool IsOverdue(const core::v1::Node& node, std::chrono::nanoseconds time,
                 const std::shared_ptr<const views::NodeLease>& lease = nullptr,
                 SteadyTime deaf_until = kNeverDeaf) {
    const Judgement judgement = Judge(memory_ ? &*memory_ : nullptr, *ViewOf(node), lease.get(),
                                      After(time), deaf_until, kGrace);
    memory_ = judgement.memory;
    return judgement.overdue;
  }
  const NodeMemory& memory() const { return *memory_; }

 private:
  std::optional<NodeMemory> memory_;
};

TEST(NodeHealth, ANodeIsOverdueWhenItHasSaidNothingForLongerThanAllowed) {
  Watcher watcher;
  const auto node = Reporting(seconds(-500));
  // How long ago it says that it was does not matter at first sight: its clock may be wrong.
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(0)));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(50)));
  EXPECT_TRUE(watcher.IsOverdue(node, seconds(50) + std::chrono::nanoseconds(1)));
  EXPECT_EQ(watcher.memory(),
            (NodeMemory{.uid = "uid-of-a",
                        .heard = kSteadyStart,
                        .reported = api::ViewTime::FromUnix(api::Time(kWall).unix_seconds() - 500),
                        .renewed = "",
                        .readiness = Readiness::kReady}));
}

TEST(NodeHealth, AReportIsHeard) {
  Watcher watcher;
  EXPECT_FALSE(watcher.IsOverdue(Reporting(seconds(0)), seconds(0)));
  EXPECT_FALSE(watcher.IsOverdue(Reporting(seconds(40)), seconds(40)));
  EXPECT_FALSE(watcher.IsOverdue(Reporting(seconds(40)), seconds(90)));
  EXPECT_TRUE(watcher.IsOverdue(Reporting(seconds(40)), seconds(91)));
}

TEST(NodeHealth, ARenewedLeaseIsHeard) {
  Watcher watcher;
  const auto node = Reporting(seconds(0));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(0), LeaseOf(seconds(0))));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(40), LeaseOf(seconds(35))));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(90), LeaseOf(seconds(35))));
  EXPECT_TRUE(watcher.IsOverdue(node, seconds(91), LeaseOf(seconds(35))));
}

TEST(NodeHealth, ALeaseThatAppearsIsHeardAndOneThatGoesIsNot) {
  Watcher watcher;
  const auto node = Reporting(seconds(0));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(0)));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(40), LeaseOf(seconds(-100))));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(90)));
  EXPECT_TRUE(watcher.IsOverdue(node, seconds(91)));
}

TEST(NodeHealth, ANodeWhoseClockWasSetBackIsHeard) {
  Watcher watcher;
  const auto node = Reporting(seconds(0));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(0), LeaseOf(seconds(0))));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(60), LeaseOf(seconds(-3600))));
}

TEST(NodeHealth, ANodeThatHasNeverReportedCountsFromItsCreation) {
  Watcher watcher;
  EXPECT_FALSE(watcher.IsOverdue(Silent(seconds(60)), seconds(0)));
  EXPECT_TRUE(watcher.IsOverdue(Silent(seconds(60)), seconds(1)));
  EXPECT_EQ(watcher.memory().readiness, Readiness::kUnsaid);
}

TEST(NodeHealth, ANodeFromTheFutureCountsFromNow) {
  Watcher watcher;
  EXPECT_FALSE(watcher.IsOverdue(Silent(seconds(-3600)), seconds(0)));
  EXPECT_FALSE(watcher.IsOverdue(Silent(seconds(-3600)), seconds(60)));
  EXPECT_TRUE(watcher.IsOverdue(Silent(seconds(-3600)), seconds(61)));
}

TEST(NodeHealth, ANodeWithoutACreationTimestampIsOverdue) {
  core::v1::Node node = Silent(seconds(0));
  node.metadata.creationTimestamp = {};
  Watcher watcher;
  EXPECT_TRUE(watcher.IsOverdue(node, seconds(0)));
  EXPECT_TRUE(watcher.IsOverdue(node, std::chrono::hours(24)));
}

TEST(NodeHealth, ANodeThatRenewsItsLeaseButNeverReportsIsLeftAlone) {
  Watcher watcher;
  EXPECT_FALSE(watcher.IsOverdue(Silent(seconds(600)), seconds(0), LeaseOf(seconds(0))));
  EXPECT_FALSE(watcher.IsOverdue(Silent(seconds(600)), seconds(60), LeaseOf(seconds(50))));
  EXPECT_TRUE(watcher.IsOverdue(Silent(seconds(600)), seconds(121), LeaseOf(seconds(50))));
}

TEST(NodeHealth, AConditionThatComesOrGoesIsHeard) {
  Watcher watcher;
  EXPECT_FALSE(watcher.IsOverdue(Silent(seconds(10)), seconds(0)));
  EXPECT_FALSE(watcher.IsOverdue(Reporting(seconds(0)), seconds(45)));
  EXPECT_FALSE(watcher.IsOverdue(Reporting(seconds(0)), seconds(95)));
  EXPECT_FALSE(watcher.IsOverdue(Silent(seconds(10)), seconds(140)));
  EXPECT_FALSE(watcher.IsOverdue(Silent(seconds(10)), seconds(200)));
  EXPECT_TRUE(watcher.IsOverdue(Silent(seconds(10)), seconds(201)));
}

TEST(NodeHealth, AnotherNodeOfTheSameNameIsNew) {
  Watcher watcher;
  EXPECT_FALSE(watcher.IsOverdue(Reporting(seconds(0)), seconds(0)));
  auto another = Reporting(seconds(0));
  another.metadata.uid = "another";
  EXPECT_FALSE(watcher.IsOverdue(another, seconds(60)));
  EXPECT_EQ(watcher.memory().uid, "another");
}

TEST(NodeHealth, WhatDroveItsPodsOutBeforeItWasSeenIsInDoubtUntilItIsGone) {
  Watcher watcher;
  auto node = Reporting(seconds(0), "Unknown");
  node.spec.taints.push_back(MakeTaint("node.kubernetes.io/unreachable", "NoExecute"));
  watcher.IsOverdue(node, seconds(0));
  EXPECT_TRUE(watcher.memory().doubted);
  watcher.IsOverdue(node, seconds(5));
  EXPECT_TRUE(watcher.memory().doubted);
  watcher.IsOverdue(Reporting(seconds(0), "Unknown"), seconds(10));
  EXPECT_FALSE(watcher.memory().doubted);
  // What comes later is not.
  watcher.IsOverdue(node, seconds(15));
  EXPECT_FALSE(watcher.memory().doubted);
}

TEST(NodeHealth, SilenceDoesNotCountWhileNothingCouldBeHeard) {
  Watcher watcher;
  const auto node = Reporting(seconds(0));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(0)));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(300), nullptr, kSteadyStart + seconds(300)));
  EXPECT_FALSE(watcher.IsOverdue(node, seconds(350), nullptr, kSteadyStart + seconds(300)));
  EXPECT_TRUE(watcher.IsOverdue(node, seconds(351), nullptr, kSteadyStart + seconds(300)));
}

TEST(NodeHealth, ReadsWhatANodeSaysOfItself) {
  EXPECT_EQ(ReadinessOf(*ViewOf(MakeNode("a", "True"))), Readiness::kReady);
  EXPECT_EQ(ReadinessOf(*ViewOf(MakeNode("a", "False"))), Readiness::kNotReady);
  EXPECT_EQ(ReadinessOf(*ViewOf(MakeNode("a", "Unknown"))), Readiness::kUnknown);
  EXPECT_EQ(ReadinessOf(*ViewOf(MakeNode("a", ""))), Readiness::kUnsaid);
}

TEST(NodeHealth, ASilentNodeIsSaidToBeOfUnknownState) {
  core::v1::Node node = MakeNode("a", "True");
  node.metadata.creationTimestamp = api::Time(kWall - seconds(100));
  node.status.conditions.push_back(MakeNodeCondition("DiskPressure", "Unknown"));
  node.status.conditions.push_back(MakeNodeCondition("MemoryPressure", "False"));
  node.status.conditions.push_back(MakeNodeCondition("NetworkUnavailable", "False"));
  const auto patch = UnknownPatch(*ViewOf(node), kWall);
  ASSERT_TRUE(patch);
  EXPECT_EQ(*patch,
            *api::Json::Parse(
                R"({"metadata":{"resourceVersion":"7"},"status":{"$setElementOrder/conditions":[)"
                R"({"type":"Ready"},{"type":"DiskPressure"},)"
                R"({"type":"MemoryPressure"},{"type":"NetworkUnavailable"},)"
                R"({"type":"PIDPressure"}],"conditions":[)"
                R"({"type":"Ready","status":"Unknown","lastTransitionTime":"2026-11-15T00:00:00Z",)"
                R"("reason":"NodeStatusUnknown","message":"Kubelet stopped posting node status."},)"
                R"({"type":"MemoryPressure","status":"Unknown",)"
                R"("lastTransitionTime":"2026-11-15T00:00:00Z","reason":"NodeStatusUnknown",)"
                R"("message":"Kubelet stopped posting node status."},)"
                R"({"type":"PIDPressure","status":"Unknown",)"
                R"("lastTransitionTime":"2026-11-15T00:00:00Z","reason":"NodeStatusNeverUpdated",)"
                R"("message":"Kubelet never posted node status.",)"
                R"("lastHeartbeatTime":"2026-11-14T23:58:20Z"}]}})"));
}

TEST(NodeHealth, WhatIsSaidStandsInTheOrderThatThereIs) {
  core::v1::Node node = MakeNode("a", "");
  for (const char* const type : {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}) {
    node.status.conditions.push_back(MakeNodeCondition(type, "False"));
  }
  const auto patch = UnknownPatch(*ViewOf(node), kWall);
  ASSERT_TRUE(patch);
  const auto* const conditions = patch->Find("status")->Find("conditions")->If<api::Json::Array>();
  std::vector<std::string> types;
  for (const api::Json& each : *conditions) types.push_back(*each.Find("type")->If<std::string>());
  EXPECT_EQ(types,
            (std::vector<std::string>{"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}));
}

TEST(NodeHealth, NothingIsSaidTwice) {
  core::v1::Node node = MakeNode("a", "Unknown");
  node.status.conditions.push_back(MakeNodeCondition("MemoryPressure", "False"));
  EXPECT_FALSE(UnknownPatch(*ViewOf(node), kWall));
}

}  // namespace
}  // namespace flyball::controllers::node_lifecycle
