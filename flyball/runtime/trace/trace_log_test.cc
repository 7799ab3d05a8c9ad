#include "flyball/runtime/trace/trace_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "flyball/base/sanitizers.h"

namespace flyball::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(TraceLog, TellsOfTheKeysThatAreAskedFor) {
  TraceLog log;
  log.Ended("a", {.decided = {"one"}});
  log.Ended("b", {.decided = {"two"}});
  log.Ended("b", {.decided = {"three"}});
  const std::vector<std::string> keys = {"b", "c"};
  const auto some = log.Of(keys);
  ASSERT_THAT(some, SizeIs(1));
  EXPECT_EQ(some[0].key, "b");
  ASSERT_THAT(some[0].records, SizeIs(2));
  EXPECT_THAT(some[0].records[1].decided, ElementsAre("three"));
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

#ifndef FLYBALL_SANITIZED
TEST(TraceLog, AKeyCostsTwoKilobytesAtMost) {
  const auto in_use = [] { return ::mallinfo2().uordblks; };
  TraceLog log;
  const std::size_t before = in_use();
  for (std::size_t i = 0; i < TraceLog::kMostKeys; ++i) {
    const std::string key = "a-namespace/a-deployment-with-a-name-" + std::to_string(i);
    for (int second = 0; second < 30; ++second) {
      log.Ended(key, {.time = WallTime(std::chrono::seconds(1'800'000'000 + second)),
                      .cause = "replicasets.apps " + key + " updated",
                      .causes = 3,
                      .reads = {"1234567", "1234568", "1234569"},
                      .decided = {"resize a-deployment-with-a-name to 4; write the status"},
                      .writes = {{.resource = "replicasets.apps", .name = key}}});
    }
  }
  const std::size_t each = (in_use() - before) / TraceLog::kMostKeys;
  EXPECT_LE(each, 2'048);
  EXPECT_GE(each, 512) << "it was not measured";
}
#endif

}  // namespace
}  // namespace flyball::runtime
