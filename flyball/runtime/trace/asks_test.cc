#include "flyball/runtime/trace/asks.h"

#include <gtest/gtest.h>

namespace flyball::runtime {
namespace {

const Cause kPod{.resource = "pods", .namespace_ = "shop", .name = "web-x2", .what = "updated"};
const Cause kNode{.resource = "nodes", .namespace_ = "", .name = "node-1", .what = "deleted"};

TEST(PendingAsks, KnowWhatAskedForATurn) {
  PendingAsks<std::string> pending;
  {
    const CauseScope pod(kPod);
    pending.Asked("shop/web");
    const CauseScope node(kNode);
    pending.Asked("shop/web");
    pending.Asked("shop/other");
  }
  pending.Asked("shop/third");
  EXPECT_EQ(CauseScope::Current(), nullptr);
  EXPECT_EQ(pending.Take("shop/web"), (Asks{"pods shop/web-x2 updated", 2}));
  EXPECT_EQ(pending.Take("shop/other"), (Asks{"nodes node-1 deleted", 1}));
  EXPECT_EQ(pending.Take("shop/third"), (Asks{"", 1}));
  // All that has been taken.
  EXPECT_EQ(pending.Take("shop/web"), Asks());
  EXPECT_EQ(pending.Take("nobody"), Asks());
}

TEST(PendingAsks, NoneIsForgottenHoweverManyWait) {
  PendingAsks<int> pending;
  const CauseScope pod(kPod);
  for (int i = 0; i < 10'000; ++i) pending.Asked(i);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(pending.Take(i), (Asks{"pods shop/web-x2 updated", 1}));
  }
}

}  // namespace
}  // namespace flyball::runtime
