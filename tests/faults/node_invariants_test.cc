#include "tests/faults/node_invariants.h"

#include "gmock/gmock.h"

namespace flyball::faults {
namespace {

using core::v1::Node;
using core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;

class NodeInvariantsTest : public testing::Test {
 protected:
  static Node NodeThat(const std::string& ready, bool silent, bool tainted) {
    Node node;
    node.metadata.name = "parity-node-1";
    if (silent) node.metadata.annotations["simulation.flyball.dev/silent"] = "true";
    auto& condition = node.status.conditions.emplace_back();
    condition.type = "Ready";
    condition.status = ready;
    if (tainted) node.spec.taints.emplace_back().effect = "NoExecute";
    return node;
  }
  void Tell(const Node& node) { invariants_.TellOfNode(node.metadata.name, node); }
  void DriveOut(const std::string& name) {
    Pod pod;
    pod.metadata.name = name;
    pod.spec.nodeName = "parity-node-1";
    invariants_.TellOfPod(name, pod);
    auto& condition = pod.status.conditions.emplace_back();
    condition.type = "DisruptionTarget";
    condition.reason = "DeletionByTaintManager";
    invariants_.TellOfPod(name, pod);
    invariants_.TellOfPod(name, std::nullopt);
  }

  std::vector<std::string> violations_;
  NodeInvariants invariants_{violations_};
};

TEST_F(NodeInvariantsTest, ASilentNodeMayBeLost) {
  Tell(NodeThat("True", false, false));
  Tell(NodeThat("True", true, false));
  Tell(NodeThat("Unknown", true, false));
  // And is so still when it is heard of again, until it says otherwise.
  Tell(NodeThat("Unknown", false, false));
  Tell(NodeThat("True", false, false));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(NodeInvariantsTest, OneThatIsHeardOfMayNot) {
  Tell(NodeThat("True", false, false));
  Tell(NodeThat("Unknown", false, false));
  EXPECT_THAT(violations_, ElementsAre("parity-node-1 is said to be lost, and is heard of"));
}

TEST_F(NodeInvariantsTest, PodsAreDrivenOutOfNodesThatAskForIt) {
  Tell(NodeThat("True", false, true));
  DriveOut("a");
  Tell(NodeThat("True", false, false));
  DriveOut("late");
  EXPECT_THAT(violations_, IsEmpty());
  invariants_.Checkpoint();
  DriveOut("b");
  EXPECT_THAT(violations_,
              ElementsAre("b is driven out of parity-node-1, which does not ask for that"));
}

}  // namespace
}  // namespace flyball::faults
