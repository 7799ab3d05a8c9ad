#include "flyball/controllers/node_ttl/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/view_decode.h"

namespace flyball::controllers::node_ttl {
namespace {

/// A size, and the time that nodes are given at it.
struct Seen {
  int nodes;
  int ttl;
  friend bool operator==(const Seen&, const Seen&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Seen& seen) {
    return out << seen.nodes << ": " << seen.ttl << " s";
  }
};

TEST(NodeTtlPlan, TheTimeGrowsWithTheClusterAndShrinksLater) {
  ClusterSize size;
  std::vector<Seen> changes = {{0, size.ttl_seconds()}};
  const auto look = [&](int nodes) {
    if (size.ttl_seconds() != changes.back().ttl) changes.push_back({nodes, size.ttl_seconds()});
  };
  for (int nodes = 1; nodes <= 5000; ++nodes) {
    size.Grow();
    look(nodes);
  }
  for (int nodes = 4999; nodes >= 0; --nodes) {
    size.Shrink();
    look(nodes);
  }
  EXPECT_THAT(changes, testing::ElementsAre(Seen{0, 0}, Seen{101, 15}, Seen{501, 30},
                                            Seen{1001, 60}, Seen{2001, 300}, Seen{1799, 60},
                                            Seen{899, 30}, Seen{449, 15}, Seen{89, 0}));
}

TEST(NodeTtlPlan, OneNodeThatComesAndGoesChangesNothing) {
  ClusterSize size;
  for (int i = 0; i < 101; ++i) size.Grow();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(size.ttl_seconds(), 15);
    size.Shrink();
    EXPECT_EQ(size.ttl_seconds(), 15);
    size.Grow();
  }
}

std::string PatchFor(const std::optional<std::string>& annotation, int ttl) {
  core::v1::Node node;
  node.metadata.name = "node";
  if (annotation) node.metadata.annotations["node.alpha.kubernetes.io/ttl"] = *annotation;
  api::ViewDecoder decoder;
  const auto view = decoder.Decode<views::Node>(api::EncodeProtobuf(node).value()).value();
  const auto patch = PlanFor(*view, ttl);
  return patch ? patch->text : "none";
}

TEST(NodeTtlPlan, NodesThatKnowAreNotWrittenTo) {
  const std::string zero = R"({"metadata":{"annotations":{"node.alpha.kubernetes.io/ttl":"0"}}})";
  EXPECT_EQ(PatchFor(std::nullopt, 0), zero);
  EXPECT_EQ(PatchFor("0", 0), "none");
  EXPECT_EQ(PatchFor("+00", 0), "none");
  EXPECT_EQ(PatchFor("-0", 0), "none");
  EXPECT_EQ(PatchFor("", 0), zero);
  EXPECT_EQ(PatchFor("none", 0), zero);
  EXPECT_EQ(PatchFor("0s", 0), zero);
  EXPECT_EQ(PatchFor("15", 0), zero);
  EXPECT_EQ(PatchFor("0", 300),
            R"({"metadata":{"annotations":{"node.alpha.kubernetes.io/ttl":"300"}}})");
}

}  // namespace
}  // namespace flyball::controllers::node_ttl
