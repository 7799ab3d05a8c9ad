#include "flyball/client/request_limiter.h"

#include <algorithm>

#include "flyball/base/deterministic_executor.h"
#include "gtest/gtest.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;

TEST(FixedLimiter, LetsABurstPassAndThenSoManyASecond) {
  DeterministicExecutor executor(1);
  FixedLimiter limiter(executor.clock(), 20, 30);
  const SteadyTime start = executor.clock().SteadyNow();
  executor.Start("caller", [&] {
    for (int i = 0; i < 30; ++i) limiter.Acquire();
    EXPECT_EQ(executor.clock().SteadyNow() - start, 0s);
    for (int i = 0; i < 20; ++i) limiter.Acquire();
    EXPECT_EQ(executor.clock().SteadyNow() - start, 1s);
  });
  executor.Drain();
  EXPECT_EQ(limiter.waited(), 1s);
}

TEST(FixedLimiter, ServesManyCallersWithoutAHerd) {
  DeterministicExecutor executor(7);
  FixedLimiter limiter(executor.clock(), 10, 1);
  std::vector<std::chrono::nanoseconds> passed;
  const SteadyTime start = executor.clock().SteadyNow();
  for (int i = 0; i < 5; ++i) {
    executor.Start("caller-" + std::to_string(i), [&] {
      limiter.Acquire();
      passed.push_back(executor.clock().SteadyNow() - start);
    });
  }
  executor.Drain();
  std::ranges::sort(passed);
  EXPECT_EQ(passed, (std::vector<std::chrono::nanoseconds>{0ms, 100ms, 200ms, 300ms, 400ms}));
}

/// Callers who ask all they can of a server that has some capacity.
class AdaptiveLimiterTest : public testing::Test {
 protected:
  /// What the limiter has come to after `span`, with a server that answers in `quick` up to
  /// `capacity` requests a second; beyond that it refuses, or gets slow.
  double RateAfter(std::chrono::seconds span, double capacity, bool refuses) {
    DeterministicExecutor executor(1, {.max_steps = 10'000'000});
    AdaptiveLimiter limiter(executor.clock());
    SteadyTime second = executor.clock().SteadyNow();
    int this_second = 0;
    for (int caller = 0; caller < 4; ++caller) {
      executor.Start("caller-" + std::to_string(caller), [&] {
        for (;;) {
          limiter.Acquire();
          const SteadyTime now = executor.clock().SteadyNow();
          if (now - second >= 1s) {
            second = now;
            this_second = 0;
          }
          const bool over = ++this_second > capacity;
          limiter.Observe(over && refuses ? 429 : 200, over && !refuses ? 500ms : 5ms);
        }
      });
    }
    EXPECT_EQ(executor.RunFor(span).outcome, DeterministicExecutor::Report::Outcome::kTimeIsUp);
    const double rate = limiter.rate();
    executor.Abandon();
    return rate;
  }
};

TEST_F(AdaptiveLimiterTest, RisesWhileTheServerAnswersPromptly) {
  EXPECT_GT(RateAfter(20s, 1e9, false), 500);
}

TEST_F(AdaptiveLimiterTest, SettlesAroundWhatTheServerTakes) {
  for (const bool refuses : {true, false}) {
    const double rate = RateAfter(60s, 300, refuses);
    EXPECT_GT(rate, 150) << refuses;
    EXPECT_LT(rate, 600) << refuses;
  }
}

TEST_F(AdaptiveLimiterTest, NeverStopsAltogether) { EXPECT_EQ(RateAfter(60s, 0, true), 5); }

TEST(AdaptiveLimiter, StaysWhereItIsWhileNobodyFeelsIt) {
  DeterministicExecutor executor(1);
  AdaptiveLimiter limiter(executor.clock());
  executor.Start("caller", [&] {
    for (int i = 0; i < 100; ++i) {
      limiter.Acquire();
      limiter.Observe(200, 1ms);
      executor.clock().SleepFor(100ms);
    }
  });
  executor.Drain();
  EXPECT_EQ(limiter.rate(), 100);
  EXPECT_EQ(limiter.waited(), 0s);
}

}  // namespace
}  // namespace flyball::client
