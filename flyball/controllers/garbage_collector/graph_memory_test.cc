#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "flyball/base/sanitizers.h"
#include "flyball/controllers/garbage_collector/graph.h"

namespace flyball::controllers::garbage_collector {
namespace {

// Sanitizers have an allocator of their own, which does not tell.
#ifndef FLYBALL_SANITIZED

std::string UidText(std::uint64_t number) {
  std::string uid =
      PackedUid{number * 0x9e3779b97f4a7c15ULL, number * 0xc2b2ae3d27d4eb4fULL >> 2 | 1ULL << 63}
          .ToString();
  uid[14] = '4';
  return uid;
}

std::size_t HeapBytes() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

meta::v1::ObjectMeta Object(std::uint64_t uid, std::string name) {
  meta::v1::ObjectMeta object;
  object.namespace_ = "a-namespace-of-usual-length";
  object.name = std::move(name);
  object.uid = UidText(uid);
  return object;
}

meta::v1::OwnerReference OwnedBy(std::uint64_t uid, const std::string& name) {
  meta::v1::OwnerReference reference;
  reference.apiVersion = "apps/v1";
  reference.kind = "ReplicaSet";
  reference.name = name;
  reference.uid = UidText(uid);
  reference.controller = reference.blockOwnerDeletion = true;
  return reference;
}

// The pods of a large cluster: names as deployments give them, 20 pods a set.
TEST(GraphMemory, AnEdgeTakesAtMost200BytesWithAllThatIsAtItsEnds) {
  constexpr std::uint64_t kEdges = 100'000;
  constexpr std::uint64_t kPodsOfASet = 20;
  const std::size_t before = HeapBytes();
  Graph graph;
  for (std::uint64_t set = 0; set < kEdges / kPodsOfASet; ++set) {
    const std::string set_name = "shop-frontend-" + std::to_string(set) + "-6d4cf56db6";
    graph.Observe("apps/v1", "ReplicaSet", Object(1'000'000 + set, set_name));
    for (std::uint64_t i = 0; i < kPodsOfASet; ++i) {
      meta::v1::ObjectMeta pod = Object(set * kPodsOfASet + i, set_name + "-x8k2" + char('a' + i));
      pod.ownerReferences.push_back(OwnedBy(1'000'000 + set, set_name));
      graph.Observe("v1", "Pod", pod);
    }
  }
  ASSERT_EQ(graph.edges(), kEdges);
  ASSERT_EQ(graph.nodes(), kEdges + kEdges / kPodsOfASet);
  const double bytes = static_cast<double>(HeapBytes() - before) / kEdges;
  std::printf("%.1f bytes an edge\n", bytes);
  EXPECT_LE(bytes, 200);
  EXPECT_GE(bytes, 50) << "that is less than the names alone take: it was not measured";
}

#endif

}  // namespace
}  // namespace flyball::controllers::garbage_collector
