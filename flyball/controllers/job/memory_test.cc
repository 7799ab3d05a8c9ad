#include "flyball/controllers/job/memory.h"

#include <gtest/gtest.h>

#include "flyball/controllers/job/internal/job_fake.h"

namespace flyball::controllers::job {
namespace {

const api::ObjectKey kJob{"ns", "work"};

TEST(JobMemory, KeepsTheFailuresOfAJobAndNotOfAnotherOfItsName) {
  Memory memory;
  EXPECT_EQ(memory.FailuresOf(kJob, "one"), std::nullopt);
  const Failures failures{.count = 3, .last = api::Time(kNow)};
  memory.Remember(kJob, "one", failures);
  EXPECT_EQ(memory.FailuresOf(kJob, "one"), failures);
  EXPECT_EQ(memory.FailuresOf(kJob, "two"), std::nullopt);
  memory.Remember(kJob, "two", {});
  EXPECT_EQ(memory.FailuresOf(kJob, "one"), std::nullopt);
  memory.ForgetFailures(kJob);
  EXPECT_EQ(memory.FailuresOf(kJob, "two"), std::nullopt);
}

TEST(JobMemory, AFinalizerThatWasTakenAwayIsNotThereThoughACacheShowsIt) {
  Memory memory;
  std::vector<JobPod> pods = {FakePod("a", "Succeeded"), FakePod("b", "Succeeded")};
  memory.Correct(kJob, "work-uid", pods);
  EXPECT_TRUE(pods[0].tracked);
  memory.Released(kJob, "work-uid", "a-uid");
  for (int i = 0; i < 2; ++i) {  // however often it is looked at
    pods = {FakePod("a", "Succeeded"), FakePod("b", "Succeeded")};
    memory.Correct(kJob, "work-uid", pods);
    EXPECT_FALSE(pods[0].tracked);
    EXPECT_TRUE(pods[1].tracked);
  }
  memory.Correct(kJob, "other-uid", pods);
  EXPECT_TRUE(pods[1].tracked);
}

TEST(JobMemory, WhatACacheHasSeenIsForgotten) {
  Memory memory;
  memory.Released(kJob, "work-uid", "a-uid");
  std::vector<JobPod> pods = {FakePod("a", "Succeeded", Untrack)};
  memory.Correct(kJob, "work-uid", pods);
  // One that was given back to the job, say.
  pods = {FakePod("a", "Succeeded")};
  memory.Correct(kJob, "work-uid", pods);
  EXPECT_TRUE(pods[0].tracked);
}

TEST(JobMemory, NothingIsKeptOfAJobThatIsGone) {
  Memory memory;
  memory.Remember(kJob, "work-uid", {.count = 3, .last = api::Time(kNow)});
  memory.Released(kJob, "work-uid", "a-uid");
  memory.Gone(kJob);
  EXPECT_EQ(memory.FailuresOf(kJob, "work-uid"), std::nullopt);
  std::vector<JobPod> pods = {FakePod("a", "Succeeded")};
  memory.Correct(kJob, "work-uid", pods);
  EXPECT_TRUE(pods[0].tracked);
}

}  // namespace
}  // namespace flyball::controllers::job
