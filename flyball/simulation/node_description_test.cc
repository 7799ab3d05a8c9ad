#include "flyball/simulation/node_description.h"

#include <gtest/gtest.h>

#include "flyball/api/json.h"
#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using namespace std::chrono_literals;

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 15)};

core::v1::Node Described() {
  NodeShape shape;
  shape.labels["zone"] = "a";
  shape.resources["example.com/gpu"] = "2";
  return DescribeNode("node-1", shape, "172.16.0.2", kNow).value();
}

TEST(NodeDescription, SaysWhatAKubeletSays) {
  const core::v1::Node node = Described();
  EXPECT_EQ(node.metadata.labels, (api::Map<std::string>{{"beta.kubernetes.io/arch", "amd64"},
                                                         {"beta.kubernetes.io/os", "linux"},
                                                         {"kubernetes.io/arch", "amd64"},
                                                         {"kubernetes.io/hostname", "node-1"},
                                                         {"kubernetes.io/os", "linux"},
                                                         {"zone", "a"}}));
  EXPECT_EQ(node.status.capacity, node.status.allocatable);
  std::string amounts;
  for (const auto& [name, amount] : node.status.capacity) {
    amounts += name + "=" + amount.ToString() + " ";
  }
  EXPECT_EQ(amounts, "cpu=8 ephemeral-storage=100Gi example.com/gpu=2 memory=32Gi pods=110 ");
  ASSERT_EQ(node.status.addresses.size(), 2U);
  EXPECT_EQ(node.status.addresses[0].address, "172.16.0.2");
  EXPECT_EQ(node.status.addresses[1].address, "node-1");
  EXPECT_EQ(node.status.nodeInfo.kubeletVersion, "v1.37.1");
  EXPECT_EQ(node.status.nodeInfo.machineID.size(), 32U);
}

TEST(NodeDescription, RefusesAmountsThatAreNone) {
  NodeShape shape;
  shape.cpu = "many";
  EXPECT_FALSE(DescribeNode("node-1", shape, "172.16.0.2", kNow));
}

TEST(NodeDescription, ConditionsAreSaidAgainAndKeepTheTimeOfTheirChange) {
  core::v1::Node node = Described();
  EXPECT_TRUE(ShowsConditions(*ViewOf(node), true));
  EXPECT_FALSE(ShowsConditions(*ViewOf(node), false));
  node.status.conditions[3].status = "Unknown";
  EXPECT_FALSE(ShowsConditions(*ViewOf(node), true));
  EXPECT_EQ(
      ConditionsPatch(*ViewOf(node), true, kNow + 1h).text,
      R"({"status":{"conditions":[)"
      R"({"lastHeartbeatTime":"2026-11-15T01:00:00Z","message":"kubelet has sufficient memory )"
      R"(available","reason":"KubeletHasSufficientMemory","status":"False","type":"MemoryPressure"},)"
      R"({"lastHeartbeatTime":"2026-11-15T01:00:00Z","message":"kubelet has no disk pressure",)"
      R"("reason":"KubeletHasNoDiskPressure","status":"False","type":"DiskPressure"},)"
      R"({"lastHeartbeatTime":"2026-11-15T01:00:00Z","message":"kubelet has sufficient PID )"
      R"(available","reason":"KubeletHasSufficientPID","status":"False","type":"PIDPressure"},)"
      R"({"lastHeartbeatTime":"2026-11-15T01:00:00Z","lastTransitionTime":"2026-11-15T01:00:00Z",)"
      R"("message":"kubelet is posting ready status","reason":"KubeletReady","status":"True",)"
      R"("type":"Ready"}]}})");
}

TEST(NodeDescription, TheTaintOfNewNodesIsTakenOffByItsPlace) {
  core::v1::Node node = Described();
  EXPECT_FALSE(NotReadyTaintPatch(*ViewOf(node)));
  node.spec.taints.emplace_back().key = "mine";
  node.spec.taints.emplace_back().key = "node.kubernetes.io/not-ready";
  EXPECT_EQ(NotReadyTaintPatch(*ViewOf(node))->text,
            R"([{"op":"test","path":"/spec/taints/1/key","value":"node.kubernetes.io/not-ready"},)"
            R"({"op":"remove","path":"/spec/taints/1"}])");
}

TEST(NodeDescription, LeasesBelongToTheirNodes) {
  core::v1::Node node = Described();
  node.metadata.uid = "uid";
  EXPECT_EQ(api::ToJson(DescribeLease(*ViewOf(node), kNow))->ToString(),
            R"({"metadata":{"name":"node-1","namespace":"kube-node-lease","ownerReferences":[)"
            R"({"apiVersion":"v1","kind":"Node","name":"node-1","uid":"uid"}]},"spec":{)"
            R"("holderIdentity":"node-1","leaseDurationSeconds":40,)"
            R"("renewTime":"2026-11-15T00:00:00.000000Z"}})");
}

}  // namespace
}  // namespace flyball::simulation
