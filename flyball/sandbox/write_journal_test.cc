#include "flyball/sandbox/write_journal.h"

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/sandbox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;

TEST(WriteJournal, HasALineOfEveryWriteThatWasGranted) {
  for (const auto encoding : {client::Encoding::kJson, client::Encoding::kProtobuf}) {
    Sandbox sandbox;
    WriteJournal journal(sandbox.transport());
    Session session(journal, sandbox.clock());
    const client::Client client(session.rest(), encoding);
    const auto maps = client.Of<core::v1::ConfigMap>();
    core::v1::ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.generateName = "map-";
    const auto created = maps.Create(map);
    ASSERT_TRUE(created) << created.error().Describe();
    EXPECT_FALSE(maps.Create(*created));
    EXPECT_TRUE(maps.Update(*created));
    EXPECT_TRUE(maps.Get({"default", created->metadata.name}));
    EXPECT_TRUE(maps.Delete({"default", created->metadata.name}));
    core::v1::Node node;
    node.metadata.name = "node";
    const auto nodes = client.Of<core::v1::Node>();
    EXPECT_TRUE(nodes.Create(node));
    EXPECT_TRUE(nodes.UpdateStatus(*nodes.Get({"", "node"})));
    EXPECT_THAT(journal.lines(),
                ElementsAre(MatchesRegex("create configmaps default/map-[a-z0-9]+"),
                            MatchesRegex("update configmaps default/map-[a-z0-9]+"),
                            MatchesRegex("delete configmaps default/map-[a-z0-9]+"),
                            "create nodes node", "update nodes/status node"));
  }
}

}  // namespace
}  // namespace flyball::sandbox
