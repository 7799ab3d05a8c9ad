#include "flyball/controllers/attach_detach/holders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/node_fake.h"

namespace flyball::controllers::attach_detach {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Held = Holders::Held;

constexpr const char* kIscsi = "kubernetes.io/iscsi/t:i:0";
constexpr const char* kFibreChannel = "kubernetes.io/fc/[w]";

auto NodeWith(const std::string& uid, const std::vector<std::string>& attached,
              const std::vector<std::string>& in_use = {}) {
  core::v1::Node node = MakeNode("n");
  node.metadata.uid = uid;
  for (const std::string& name : attached) node.status.volumesAttached.emplace_back().name = name;
  node.status.volumesInUse = in_use;
  return ViewOf(node);
}

TEST(Holders, LearnsVolumesWithoutDriverFromNodeStatus) {
  Holders holders;
  holders.Saw(*NodeWith(
      "1", {kIscsi, kFibreChannel, "kubernetes.io/csi/d.example.com^h", "example.com/other"}));
  EXPECT_THAT(holders.Of("n"), ElementsAre(Held{kFibreChannel}, Held{kIscsi}));
  EXPECT_THAT(holders.NodesOf(kIscsi), ElementsAre("n"));
  EXPECT_THAT(holders.NodesOf("kubernetes.io/csi/d.example.com^h"), IsEmpty());
}

TEST(Holders, KeepsVolumeThatNodeStatusNoLongerListsUntilItIsReleased) {
  Holders holders;
  const auto node = NodeWith("1", {kIscsi});
  holders.Saw(*node);
  holders.Hold("m", kIscsi);
  holders.Saw(*node, *NodeWith("1", {}));
  holders.SawDeleted(*NodeWith("1", {}));
  EXPECT_THAT(holders.NodesOf(kIscsi), ElementsAre("m", "n"));
  holders.Release("n", kIscsi);
  holders.Release("n", kIscsi);
  EXPECT_THAT(holders.Of("n"), IsEmpty());
  EXPECT_THAT(holders.NodesOf(kIscsi), ElementsAre("m"));
}

TEST(Holders, RemembersUseByDeletedNodeUntilNewNodeTellsThatItHasEnded) {
  Holders holders;
  holders.Saw(*NodeWith("1", {kIscsi}, {kIscsi}));
  EXPECT_THAT(holders.Of("n"), ElementsAre(Held{kIscsi, false}));
  holders.SawDeleted(*NodeWith("1", {kIscsi}, {kIscsi}));
  const auto registered = NodeWith("2", {});
  holders.Saw(*registered);
  EXPECT_THAT(holders.Of("n"), ElementsAre(Held{kIscsi, true}));
  const auto synced = NodeWith("2", {}, {kIscsi});
  holders.Saw(*registered, *synced);
  EXPECT_THAT(holders.Of("n"), ElementsAre(Held{kIscsi, true}));
  holders.Saw(*synced, *NodeWith("2", {}));
  EXPECT_THAT(holders.Of("n"), ElementsAre(Held{kIscsi, false}));
}

TEST(Holders, TakesChangeOfUidForDeletion) {
  Holders holders;
  const auto before = NodeWith("1", {kIscsi}, {kIscsi});
  holders.Saw(*before);
  holders.Saw(*before, *NodeWith("2", {}));
  EXPECT_THAT(holders.Of("n"), ElementsAre(Held{kIscsi, true}));
}

TEST(Holders, RemembersUseByNodeThatIsDeletedTwice) {
  Holders holders;
  holders.Saw(*NodeWith("1", {kIscsi}, {kIscsi}));
  holders.SawDeleted(*NodeWith("1", {kIscsi}, {kIscsi}));
  holders.Saw(*NodeWith("2", {}));
  holders.SawDeleted(*NodeWith("2", {}));
  EXPECT_THAT(holders.Of("n"), ElementsAre(Held{kIscsi, true}));
}

}  // namespace
}  // namespace flyball::controllers::attach_detach
