#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/job/internal/job_fixture.h"

namespace flyball::controllers::job {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class JobCostTest : public JobFixture {
 protected:
  std::size_t CountOf(const std::vector<std::string>& requests, std::string_view method) {
    return static_cast<std::size_t>(std::ranges::count_if(
        requests, [&](const std::string& request) { return request.starts_with(method); }));
  }
};

TEST_F(JobCostTest, APodCostsTwoRequestsAndPodsThatEndTogetherTwoWritesOfTheStatus) {
  PlayIt([&] {
    Create(200, 100, Indexed);
    for (int round = 0; round < 2; ++round) {
      Pass(seconds(5));
      EndAll(0);
    }
    Pass(seconds(5));
    EXPECT_EQ(Counts(), "active 0, succeeded 200, failed 0");
    const auto requests = TakeRequests();
    EXPECT_EQ(CountOf(requests, "POST"), 200);
    EXPECT_EQ(CountOf(requests, "PATCH"), 200);
    EXPECT_EQ(CountOf(requests, "DELETE"), 0);
    EXPECT_LE(CountOf(requests, "PUT"), 4);
  });
}

TEST_F(JobCostTest, PodsThatEndOneAfterTheOtherAreCountedTogether) {
  PlayIt([&] {
    Create(50, 50);
    Pass(seconds(5));
    TakeRequests();
    for (const Pod& pod : Pods()) {
      End(pod, 0);
      Pass(milliseconds(100));
    }
    Pass(seconds(5));
    EXPECT_EQ(Counts(), "active 0, succeeded 50, failed 0");
    // Five seconds of it: twice a second at most.
    EXPECT_LE(CountOf(TakeRequests(), "PUT"), 16);
  });
}

}  // namespace
}  // namespace flyball::controllers::job
