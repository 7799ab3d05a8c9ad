#include "flyball/simulation/storage/step_log.h"

#include <gtest/gtest.h>

namespace flyball::simulation {
namespace {

using namespace std::chrono_literals;
using State = StepLog::State;

const WallTime kStart = WallTime() + 1h;

TEST(StepLog, AStepTakesItsTime) {
  StepLog log;
  const StepScript script{.delay = 2s};
  EXPECT_EQ(log.Advance("a", script, kStart),
            (StepLog::Progress{State::kUnderWay, true, kStart + 2s}));
  EXPECT_EQ(log.Advance("a", script, kStart + 1s),
            (StepLog::Progress{State::kUnderWay, false, kStart + 2s}));
  EXPECT_EQ(log.Advance("b", script, kStart + 1s),
            (StepLog::Progress{State::kUnderWay, true, kStart + 3s}));
  EXPECT_EQ(log.Advance("a", script, kStart + 2s), (StepLog::Progress{State::kDone, false}));
  // What comes after that is another.
  EXPECT_EQ(log.Advance("a", script, kStart + 9s),
            (StepLog::Progress{State::kUnderWay, true, kStart + 11s}));
}

TEST(StepLog, WithoutADelayItIsDoneAtOnce) {
  StepLog log;
  EXPECT_EQ(log.Advance("a", {}, kStart), (StepLog::Progress{State::kDone, true}));
}

TEST(StepLog, WhatFailsIsTriedAgainLaterAndLater) {
  StepLog log;
  const StepScript script{.delay = 1s, .error = "no"};
  WallTime now = kStart;
  std::vector<std::chrono::nanoseconds> waits;
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(log.Advance("a", script, now), (StepLog::Progress{State::kUnderWay, true, now + 1s}));
    now += 1s;
    const auto failed = log.Advance("a", script, now);
    EXPECT_EQ(failed.state, State::kFailed);
    EXPECT_EQ(log.Advance("a", script, now),
              (StepLog::Progress{State::kWaits, false, failed.until}));
    waits.push_back(failed.until - now);
    now = failed.until;
  }
  EXPECT_EQ(waits, (std::vector<std::chrono::nanoseconds>{1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s,
                                                          300s, 300s, 300s}));
}

TEST(StepLog, AnotherScriptIsTriedAtOnce) {
  StepLog log;
  EXPECT_EQ(log.Advance("a", {.error = "no"}, kStart).state, State::kFailed);
  EXPECT_EQ(log.Advance("a", {.error = "no"}, kStart).state, State::kWaits);
  EXPECT_EQ(log.Advance("a", {}, kStart), (StepLog::Progress{State::kDone, true}));
}

TEST(StepLog, WhatIsForgottenBeginsAnew) {
  StepLog log;
  const StepScript script{.delay = 2s};
  log.Advance("a", script, kStart);
  log.Forget("a");
  EXPECT_EQ(log.Advance("a", script, kStart + 1s),
            (StepLog::Progress{State::kUnderWay, true, kStart + 3s}));
}

}  // namespace
}  // namespace flyball::simulation
