#include "flyball/runtime/trace/trace_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/runtime/trace/cause.h"

namespace flyball::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const Cause kPod{.resource = "pods", .namespace_ = "shop", .name = "web-x2", .what = "updated"};
const Cause kNode{.resource = "nodes", .namespace_ = "", .name = "node-1", .what = "deleted"};

TEST(TraceLog, KnowsWhatAskedForATurn) {
  TraceLog log;
  {
    const CauseScope pod(kPod);
    log.Asked("shop/web");
    const CauseScope node(kNode);
    log.Asked("shop/web");
    log.Asked("shop/other");
  }
  log.Asked("shop/third");
  const auto web = log.TakeAsks("shop/web");
  EXPECT_EQ(web.first, "pods shop/web-x2 updated");
  EXPECT_EQ(web.count, 2);
  EXPECT_EQ(log.TakeAsks("shop/other").first, "nodes node-1 deleted");
  const auto third = log.TakeAsks("shop/third");
  EXPECT_EQ(third.first, "");
  EXPECT_EQ(third.count, 1);
  // All that has been taken.
  EXPECT_EQ(log.TakeAsks("shop/web").count, 0);
  EXPECT_EQ(log.TakeAsks("nobody").count, 0);
  EXPECT_EQ(CauseScope::Current(), nullptr);
}

TEST(TraceLog, TellsOfTheKeysThatAreAskedFor) {
  TraceLog log;
  log.Ended("a", {.decided = {"one"}});
  log.Ended("b", {.decided = {"two"}});
  log.Ended("b", {.decided = {"three"}});
  const std::vector<std::string> keys = {"b", "c"};
  const auto some = log.Of(keys);
  ASSERT_THAT(some, SizeIs(1));
  EXPECT_EQ(some[0].key, "b");
  ASSERT_THAT(some[0].turns, SizeIs(2));
  EXPECT_THAT(some[0].turns[1].decided, ElementsAre("three"));
  EXPECT_THAT(log.Of({}), SizeIs(2));
}

TEST(TraceLog, ForgetsTheKeysThatNothingHasHappenedToForLongest) {
  TraceLog log;
  for (std::size_t i = 0; i < TraceLog::kMostKeys; ++i) log.Ended(std::to_string(i), {});
  log.Ended("0", {});
  log.Ended("more", {});
  EXPECT_THAT(log.Of({}), SizeIs(TraceLog::kMostKeys));
  EXPECT_THAT(log.Of(std::vector<std::string>{"0", "more"}), SizeIs(2));
  EXPECT_THAT(log.Of(std::vector<std::string>{"1"}), IsEmpty());
}

}  // namespace
}  // namespace flyball::runtime
