#include "flyball/runtime/trace/triggers.h"

#include <gtest/gtest.h>

namespace flyball::runtime {
namespace {

const Cause kPod{.resource = "pods", .namespace_ = "shop", .name = "web-x2", .what = "updated"};
const Cause kNode{.resource = "nodes", .namespace_ = "", .name = "node-1", .what = "deleted"};

TEST(PendingTriggers, KnowWhatTriggeredAReconcile) {
  PendingTriggers<std::string> pending;
  {
    const CauseScope pod(kPod);
    pending.Add("shop/web");
    const CauseScope node(kNode);
    pending.Add("shop/web");
    pending.Add("shop/other");
  }
  pending.Add("shop/third");
  EXPECT_EQ(CauseScope::Current(), nullptr);
  EXPECT_EQ(pending.Take("shop/web"), (Triggers{"pods shop/web-x2 updated", 2}));
  EXPECT_EQ(pending.Take("shop/other"), (Triggers{"nodes node-1 deleted", 1}));
  EXPECT_EQ(pending.Take("shop/third"), (Triggers{"", 1}));
  // All that has been taken.
  EXPECT_EQ(pending.Take("shop/web"), Triggers());
  EXPECT_EQ(pending.Take("nobody"), Triggers());
}

TEST(PendingTriggers, NoneIsLostHoweverManyKeysWait) {
  PendingTriggers<int> pending;
  const CauseScope pod(kPod);
  for (int i = 0; i < 10'000; ++i) pending.Add(i);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(pending.Take(i), (Triggers{"pods shop/web-x2 updated", 1}));
  }
}

}  // namespace
}  // namespace flyball::runtime
