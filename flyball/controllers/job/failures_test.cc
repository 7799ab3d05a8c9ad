#include "flyball/controllers/job/failures.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "flyball/controllers/job/internal/job_fake.h"

namespace flyball::controllers::job {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

PodRef Ended(int ago) { return FakePod("p", "Failed", EndedAgo(seconds(ago))).ref; }
api::Time TimeAgo(int ago) { return api::Time(kNow - seconds(ago)); }

TEST(Failures, AddUpUntilAPodSucceeds) {
  EXPECT_EQ(With({}, {}, {}), Failures());
  EXPECT_EQ(With({}, {}, {Ended(5), Ended(9)}), (Failures{2, TimeAgo(5)}));
  EXPECT_EQ(With({.count = 3, .last = TimeAgo(60)}, {}, {Ended(5)}), (Failures{4, TimeAgo(5)}));
  EXPECT_EQ(With({.count = 3, .last = TimeAgo(60)}, {}, {}), (Failures{3, TimeAgo(60)}));
  EXPECT_EQ(With({.count = 3, .last = TimeAgo(60)}, {Ended(5)}, {}), Failures());
}

TEST(Failures, OnlyThoseAfterTheLastSuccessCount) {
  EXPECT_EQ(With({.count = 3, .last = TimeAgo(60)}, {Ended(8), Ended(20)},
                 {Ended(30), Ended(10), Ended(8), Ended(7), Ended(2)}),
            (Failures{2, TimeAgo(2)}));
}

TEST(Failures, TheWaitDoublesWithEachUpToTenMinutes) {
  const auto left = [](int count, int ago) {
    return BackOffLeft(Failures{.count = count, .last = TimeAgo(ago)}, kNow);
  };
  EXPECT_EQ(BackOffLeft(Failures(), kNow), seconds(0));
  EXPECT_EQ(left(1, 0), seconds(10));
  EXPECT_EQ(left(1, 4), seconds(6));
  EXPECT_EQ(left(1, 10), seconds(0));
  EXPECT_EQ(left(1, 100), seconds(0));
  EXPECT_EQ(left(2, 0), seconds(20));
  EXPECT_EQ(left(4, 0), seconds(80));
  EXPECT_EQ(left(6, 0), seconds(320));
  EXPECT_EQ(left(7, 0), minutes(10));
  EXPECT_EQ(left(2'000'000'000, 0), minutes(10));
}

TEST(Failures, AFailureThatIsLaterThanNowDelaysNextPodByItsBackOffOnly) {
  const auto left = [](int count, int ago) {
    return BackOffLeft(Failures{.count = count, .last = TimeAgo(ago)}, kNow);
  };
  EXPECT_EQ(left(1, -5), seconds(10));
  EXPECT_EQ(left(2, -3600), seconds(20));
  const Failures year_9999{.count = 1, .last = api::Time::FromUnix(253'402'300'799)};
  EXPECT_EQ(BackOffLeft(year_9999, kNow), seconds(10));
}

TEST(Failures, AnIndexWaitsByAllItsFailures) {
  const auto left = [](int failures, int ignored) {
    return BackOffLeft(
        FakePod("p", "Failed", Both(EndedAgo(seconds(3)), After(failures, ignored))).pod(), kNow);
  };
  EXPECT_EQ(left(0, 0), seconds(7));
  EXPECT_EQ(left(1, 0), seconds(17));
  EXPECT_EQ(left(1, 1), seconds(37));
}

TEST(Failures, CountsOfAnIndexNearTheLargestNumberDoNotWrap) {
  constexpr int kMost = std::numeric_limits<std::int32_t>::max();
  const auto left = [](int failures, int ignored) {
    return BackOffLeft(
        FakePod("p", "Failed", Both(EndedAgo(seconds(0)), After(failures, ignored))).pod(), kNow);
  };
  EXPECT_EQ(left(kMost, 0), minutes(10));
  EXPECT_EQ(left(kMost, kMost), minutes(10));
}

}  // namespace
}  // namespace flyball::controllers::job
