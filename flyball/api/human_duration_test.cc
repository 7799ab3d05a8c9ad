#include "flyball/api/human_duration.h"

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

using namespace std::chrono_literals;

TEST(HumanDuration, GetsCoarserAsItGetsLonger) {
  EXPECT_EQ(HumanDuration(-2s), "<invalid>");
  EXPECT_EQ(HumanDuration(-1s), "0s");
  EXPECT_EQ(HumanDuration(119s), "119s");
  EXPECT_EQ(HumanDuration(120s), "2m");
  EXPECT_EQ(HumanDuration(599s), "9m59s");
  EXPECT_EQ(HumanDuration(179min + 59s), "179m");
  EXPECT_EQ(HumanDuration(3h), "3h");
  EXPECT_EQ(HumanDuration(7h + 59min), "7h59m");
  EXPECT_EQ(HumanDuration(47h), "47h");
  EXPECT_EQ(HumanDuration(48h), "2d");
  EXPECT_EQ(HumanDuration(7 * 24h + 23h), "7d23h");
  EXPECT_EQ(HumanDuration(729 * 24h), "729d");
  EXPECT_EQ(HumanDuration(731 * 24h), "2y1d");
  EXPECT_EQ(HumanDuration(9 * 365 * 24h), "9y");
}

}  // namespace
}  // namespace flyball::api
