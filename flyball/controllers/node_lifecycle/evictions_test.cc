#include "flyball/controllers/node_lifecycle/evictions.h"

#include <gtest/gtest.h>

#include <set>

namespace flyball::controllers::node_lifecycle {
namespace {

using std::chrono::seconds;
using Nodes = std::vector<std::string>;

constexpr SteadyTime kStart{seconds(1000)};

TEST(Evictions, OneNodeAtATimeAsFastAsItsZoneMay) {
  Evictions evictions;
  evictions.Update("z", {"a", "b", "c"}, 0.1F, kStart);
  EXPECT_TRUE(evictions.Waits("z"));
  EXPECT_EQ(evictions.Next("z", kStart), "a");
  evictions.Done("z", "a");
  EXPECT_EQ(evictions.Next("z", kStart), std::nullopt);
  EXPECT_EQ(evictions.Next("z", kStart + seconds(9)), std::nullopt);
  EXPECT_EQ(evictions.Next("z", kStart + seconds(10)), "b");
  evictions.Done("z", "b");
  EXPECT_EQ(evictions.Next("z", kStart + seconds(20)), "c");
  evictions.Done("z", "c");
  EXPECT_FALSE(evictions.Waits("z"));
  EXPECT_EQ(evictions.Next("z", kStart + seconds(60)), std::nullopt);
}

TEST(Evictions, ATurnThatCameToNothingIsHadAgain) {
  Evictions evictions;
  evictions.Update("z", {"a", "b"}, 0.1F, kStart);
  EXPECT_EQ(evictions.Next("z", kStart), "a");
  EXPECT_EQ(evictions.Next("z", kStart + seconds(1)), "a");
  evictions.Done("z", "a");
  EXPECT_EQ(evictions.Next("z", kStart + seconds(1)), std::nullopt);
  EXPECT_EQ(evictions.Next("z", kStart + seconds(10)), "b");
  // But not by another, when who had it waits no more.
  evictions.Update("z", {"c"}, 0.1F, kStart + seconds(10));
  EXPECT_EQ(evictions.Next("z", kStart + seconds(11)), std::nullopt);
}

TEST(Evictions, WhoWaitsKeepsItsPlace) {
  Evictions evictions;
  evictions.Update("z", {"b"}, 1, kStart);
  evictions.Update("z", {"a", "b", "c"}, 1, kStart);
  EXPECT_EQ(evictions.Next("z", kStart), "b");
  evictions.Update("z", {"a", "c"}, 1, kStart);
  EXPECT_EQ(evictions.Next("z", kStart + seconds(1)), "a");
}

TEST(Evictions, ZonesDoNotWaitForEachOther) {
  Evictions evictions;
  evictions.Update("y", {"a"}, 0.1F, kStart);
  evictions.Update("z", {"b"}, 0.1F, kStart);
  EXPECT_EQ(evictions.Next("y", kStart), "a");
  EXPECT_EQ(evictions.Next("z", kStart), "b");
  EXPECT_EQ(evictions.Next("x", kStart), std::nullopt);
  EXPECT_FALSE(evictions.Waits("x"));
  evictions.Done("x", "a");
}

TEST(Evictions, AZoneThatIsLeftAloneHasNoTurns) {
  Evictions evictions;
  evictions.Update("z", {"a"}, 0, kStart);
  EXPECT_FALSE(evictions.Waits("z"));
  EXPECT_EQ(evictions.Next("z", kStart + seconds(1000)), std::nullopt);
  // And none was saved up meanwhile.
  evictions.Update("z", {"a"}, 0.1F, kStart + seconds(1000));
  EXPECT_TRUE(evictions.Waits("z"));
  EXPECT_EQ(evictions.Next("z", kStart + seconds(1000)), std::nullopt);
  EXPECT_EQ(evictions.Next("z", kStart + seconds(1010)), "a");
}

TEST(Evictions, AnotherRateGivesNoTurnForNothing) {
  Evictions evictions;
  evictions.Update("z", {"a", "b"}, 0.1F, kStart);
  EXPECT_EQ(evictions.Next("z", kStart), "a");
  evictions.Done("z", "a");
  evictions.Update("z", {"b"}, 1, kStart);
  EXPECT_EQ(evictions.Next("z", kStart), std::nullopt);
  EXPECT_EQ(evictions.Next("z", kStart + seconds(1)), "b");
  // One that was to be had stays so.
  evictions.Done("z", "b");
  evictions.Update("z", {"c"}, 0.1F, kStart + seconds(100));
  EXPECT_EQ(evictions.Next("z", kStart + seconds(100)), "c");
}

TEST(Evictions, ZonesThatAreGoneAreForgotten) {
  Evictions evictions;
  evictions.Update("y", {"a"}, 1, kStart);
  evictions.Update("z", {"b"}, 1, kStart);
  evictions.KeepOnly(std::set<std::string>{"z"});
  EXPECT_FALSE(evictions.Waits("y"));
  EXPECT_TRUE(evictions.Waits("z"));
}

}  // namespace
}  // namespace flyball::controllers::node_lifecycle
