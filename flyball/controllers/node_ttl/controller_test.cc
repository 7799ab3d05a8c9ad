#include "flyball/controllers/node_ttl/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/common/internal/controller_fixture.h"

namespace flyball::controllers::node_ttl {
namespace {

using core::v1::Node;
using sandbox::Requests;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kAnnotation = "node.alpha.kubernetes.io/ttl";

class NodeTtlTest : public ControllerFixture {
 protected:
  void Create(const std::string& name, const std::string& ttl = {}) {
    Node node;
    node.metadata.name = name;
    if (!ttl.empty()) node.metadata.annotations[kAnnotation] = ttl;
    EXPECT_TRUE(All<Node>().Create(node));
  }
  void CreateMany(int from, int to) {
    for (int i = from; i < to; ++i) Create("node-" + std::to_string(i));
  }
  std::string TtlOf(const std::string& name) {
    const auto node = All<Node>().Get({"", name});
    const std::string* const ttl = node->metadata.annotations.find(kAnnotation);
    return ttl == nullptr ? "none" : *ttl;
  }
  /// As when kubelet says something of it.
  void Touch(const std::string& name) {
    EXPECT_TRUE(All<Node>().Patch(
        {"", name}, {client::PatchType::kMerge, R"({"metadata":{"labels":{"a":"b"}}})"}));
  }
};

TEST_F(NodeTtlTest, ANodeIsToldInOnePatch) {
  Play(Make(deps()), [&] {
    Create("a");
    Create("b", "0");
    Create("c", "nonsense");
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].request, "PATCH /api/v1/nodes/a");
    EXPECT_EQ(sent[0].body, R"({"metadata":{"annotations":{"node.alpha.kubernetes.io/ttl":"0"}}})");
    EXPECT_EQ(sent[1].request, "PATCH /api/v1/nodes/c");
    EXPECT_EQ(TtlOf("c"), "0");
  });
}

TEST_F(NodeTtlTest, NodesAreToldOfALargerClusterAsTheyAreHeardOf) {
  CreateMany(0, 100);
  Play(Make(deps()), [&] {
    Pass(seconds(1));
    EXPECT_EQ(TtlOf("node-0"), "0");
    CreateMany(100, 101);
    Pass(seconds(1));
    EXPECT_EQ(TtlOf("node-100"), "15");
    EXPECT_EQ(TtlOf("node-0"), "0");
    Touch("node-0");
    Pass(seconds(1));
    EXPECT_EQ(TtlOf("node-0"), "15");
    // Not at once for a smaller one.
    for (int i = 90; i < 101; ++i)
      EXPECT_TRUE(All<Node>().Delete({"", "node-" + std::to_string(i)}));
    Pass(seconds(1));
    Touch("node-1");
    Pass(seconds(1));
    EXPECT_EQ(TtlOf("node-1"), "15");
    EXPECT_TRUE(All<Node>().Delete({"", "node-89"}));
    Pass(seconds(1));
    EXPECT_TRUE(All<Node>().Patch(
        {"", "node-1"}, {client::PatchType::kMerge, R"({"metadata":{"labels":{"a":"c"}}})"}));
    Pass(seconds(1));
    EXPECT_EQ(TtlOf("node-1"), "0");
  });
}

TEST_F(NodeTtlTest, WhoStartsInALargeClusterCountsAllBeforeItTellsAnybody) {
  CreateMany(0, 101);
  Play(Make(deps()), [&] {
    Pass(seconds(1));
    for (int i = 0; i < 101; ++i) EXPECT_EQ(TtlOf("node-" + std::to_string(i)), "15") << i;
    EXPECT_EQ(TakeSent().size(), 101U);
  });
}

TEST_F(NodeTtlTest, ItTriesAgainUntilTheNodeKnowsOrIsGone) {
  faults_.On(Requests::Patches()).Times(3).Refuse(500);
  Play(Make(deps()), [&] {
    Create("a");
    Pass(seconds(10));
    EXPECT_EQ(TtlOf("a"), "0");
    TakeSent();
    before_next_request_ = [&] { EXPECT_TRUE(All<Node>().Delete({"", "b"})); };
    Create("b");
    Pass(seconds(10));
    EXPECT_THAT(TakeRequests(), ElementsAre("PATCH /api/v1/nodes/b"));
  });
}

}  // namespace
}  // namespace flyball::controllers::node_ttl
