#include "flyball/simulation/scheduling_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/simulation/view_fake.h"

namespace flyball::simulation {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class SchedulingQueueTest : public testing::Test {
 protected:
  static SchedulingQueue::Pod Pod(const std::string& name, std::int32_t priority = 0,
                                  std::int64_t generation = 1) {
    core::v1::Pod pod = PodNamed(name);
    pod.spec.priority = priority;
    pod.metadata.generation = generation;
    return ViewOf(pod);
  }
  std::vector<std::string> PopAll(SteadyTime now) {
    std::vector<std::string> names;
    while (const auto pod = queue_.Pop(now)) names.emplace_back(pod->metadata.name.view());
    return names;
  }

  static constexpr SteadyTime kNow{100s};
  SchedulingQueue queue_;
};

TEST_F(SchedulingQueueTest, TheMoreImportantGoFirstThenWhoCameFirst) {
  for (const auto& pod : {Pod("a"), Pod("b", 10), Pod("c"), Pod("d", -5), Pod("e", 10)}) {
    queue_.Put(pod);
  }
  EXPECT_THAT(PopAll(kNow), ElementsAre("b", "e", "a", "c", "d"));
  EXPECT_EQ(queue_.NextDue(), std::nullopt);
}

TEST_F(SchedulingQueueTest, WhoFoundNothingWaitsForAChangeAndLongerEachTime) {
  SteadyTime now = kNow;
  for (const auto wait : {1s, 2s, 4s, 8s, 10s, 10s}) {
    queue_.PutAside(Pod("a"), now);
    queue_.LookAgain(now);
    EXPECT_EQ(queue_.NextDue(), now + wait);
    EXPECT_THAT(PopAll(now + wait - 1ns), IsEmpty());
    now += wait;
    EXPECT_THAT(PopAll(now), ElementsAre("a"));
  }
}

TEST_F(SchedulingQueueTest, WithoutAChangeItIsLookedAtAfterMinutes) {
  queue_.PutAside(Pod("a"), kNow);
  EXPECT_EQ(queue_.NextDue(), kNow + 5min);
  EXPECT_THAT(PopAll(kNow + 299s), IsEmpty());
  EXPECT_THAT(PopAll(kNow + 300s), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, AChangeThatComesLateHelpsAtOnce) {
  queue_.PutAside(Pod("a"), kNow);
  queue_.LookAgain(kNow + 1min);
  EXPECT_THAT(PopAll(kNow + 1min), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, APodWithAnotherSpecNeedNotWait) {
  queue_.PutAside(Pod("a"), kNow);
  queue_.Put(Pod("a"));  // only its status is new
  EXPECT_THAT(PopAll(kNow), IsEmpty());
  queue_.Put(Pod("a", 0, 2));
  EXPECT_THAT(PopAll(kNow), ElementsAre("a"));
}

TEST_F(SchedulingQueueTest, WhatIsRemovedIsGoneWhereverItWaits) {
  queue_.Put(Pod("ready"));
  queue_.PutAside(Pod("aside"), kNow);
  queue_.PutAside(Pod("later"), kNow);
  queue_.LookAgain(kNow);
  queue_.PutAside(Pod("last"), kNow);
  for (const std::string name : {"ready", "aside", "later", "last", "unknown"}) {
    queue_.Remove({"ns", name});
  }
  EXPECT_EQ(queue_.size(), 0U);
  queue_.LookAgain(kNow + 1h);
  EXPECT_THAT(PopAll(kNow + 1h), IsEmpty());
}

}  // namespace
}  // namespace flyball::simulation
