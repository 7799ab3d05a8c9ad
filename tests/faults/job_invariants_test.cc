#include "tests/faults/job_invariants.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::faults {
namespace {

using batch::v1::Job;
using core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;

class JobInvariantsTest : public testing::Test {
 protected:
  JobInvariantsTest() {
    job_.metadata.name = "work";
    job_.spec.parallelism = 2;
    job_.status.uncountedTerminatedPods.emplace();
  }

  void SeeJob() { invariants_.TellOfJob("job", job_); }
  void See(const std::string& name, const std::string& phase, bool tracked = true,
           bool ends = false, const std::string& index = "") {
    Pod pod;
    pod.metadata.name = name;
    auto& owner = pod.metadata.ownerReferences.emplace_back();
    owner.kind = "Job";
    owner.uid = "job";
    owner.controller = true;
    if (!index.empty()) {
      pod.metadata.annotations["batch.kubernetes.io/job-completion-index"] = index;
    }
    if (tracked) pod.metadata.finalizers = {"batch.kubernetes.io/job-tracking"};
    if (ends) pod.metadata.deletionTimestamp = api::Time::FromUnix(1);
    pod.status.phase = phase;
    invariants_.TellOfPod(name, pod);
  }
  void End(const std::string& type) {
    auto& condition = job_.status.conditions.emplace_back();
    condition.type = type;
    condition.status = "True";
  }

  std::vector<std::string> violations_;
  JobInvariants invariants_{violations_};
  Job job_;
};

TEST_F(JobInvariantsTest, HoldOfAJobThatIsRunAsItShould) {
  SeeJob();
  See("a", "Running");
  See("b", "Running");
  See("a", "Succeeded");
  job_.status.uncountedTerminatedPods->succeeded = {"a"};
  SeeJob();
  See("a", "Succeeded", /*tracked=*/false);
  See("b", "Running", true, /*ends=*/true);
  job_.status.uncountedTerminatedPods->succeeded = {};
  job_.status.uncountedTerminatedPods->failed = {"b"};
  job_.status.succeeded = 1;
  SeeJob();
  See("b", "Running", false, true);
  invariants_.TellOfPod("b", std::nullopt);
  job_.status.uncountedTerminatedPods->failed = {};
  job_.status.failed = 1;
  End("Failed");
  SeeJob();
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(JobInvariantsTest, APodTooManyIsSeen) {
  SeeJob();
  See("a", "Running");
  See("b", "Running");
  See("c", "Pending");
  EXPECT_THAT(violations_, ElementsAre("pod c is made: its job has 3 at work now, and asks for 2"));
}

TEST_F(JobInvariantsTest, TwoForOneIndexAndOneForAnIndexThatHasSucceededAreSeen) {
  job_.spec.completionMode = "Indexed";
  SeeJob();
  See("a", "Running", true, false, "1");
  See("b", "Running", true, false, "1");
  See("a", "Succeeded", true, false, "1");
  See("b", "Failed", true, false, "1");
  See("c", "Running", true, false, "1");
  EXPECT_THAT(violations_, ElementsAre("pod b is made: another is at work on its index",
                                       "pod c is made: its index has succeeded"));
}

TEST_F(JobInvariantsTest, WhatIsCountedTwiceIsSeen) {
  SeeJob();
  See("a", "Succeeded");
  See("b", "Failed");
  job_.status.succeeded = 1;
  job_.status.uncountedTerminatedPods->succeeded = {"a"};
  job_.status.failed = 2;
  SeeJob();
  EXPECT_THAT(violations_,
              ElementsAre("job work counted 0 failures and counts 2 now, and has struck out 0",
                          "job work counted 0 successes and counts 1 now, and has struck out 0",
                          "job work counts 2 successes of 1", "job work counts 2 failures of 1"));
}

TEST_F(JobInvariantsTest, WhatIsStruckOutAndNotCountedIsSeen) {
  SeeJob();
  See("a", "Failed");
  See("b", "Failed");
  job_.status.uncountedTerminatedPods->failed = {"a", "b"};
  SeeJob();
  job_.status.uncountedTerminatedPods->failed = {};
  job_.status.failed = 1;
  SeeJob();
  EXPECT_THAT(violations_, ElementsAre("job work counted 0 failures and counts 1 now, and has "
                                       "struck out 2"));
}

TEST_F(JobInvariantsTest, WhatIsWrittenDownAgainIsSeen) {
  SeeJob();
  See("a", "Failed");
  See("b", "Failed");
  job_.status.uncountedTerminatedPods->failed = {"a"};
  SeeJob();
  job_.status.uncountedTerminatedPods->failed = {};
  job_.status.failed = 1;
  SeeJob();
  job_.status.uncountedTerminatedPods->failed = {"a"};
  SeeJob();
  EXPECT_THAT(violations_, ElementsAre("job work has written down a twice"));
}

TEST_F(JobInvariantsTest, WhatSucceedsAfterItWasToldToEndCountsAsTheOneOrAsTheOther) {
  SeeJob();
  See("a", "Running", true, /*ends=*/true);
  See("a", "Succeeded", true, true);
  See("b", "Running", true, true);
  See("b", "Succeeded", true, true);
  job_.status.uncountedTerminatedPods->failed = {"a"};
  job_.status.uncountedTerminatedPods->succeeded = {"b"};
  SeeJob();
  See("a", "Succeeded", false, true);
  See("b", "Succeeded", false, true);
  job_.status.uncountedTerminatedPods.emplace();
  job_.status.succeeded = job_.status.failed = 1;
  End("Complete");
  SeeJob();
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(JobInvariantsTest, AnIndexThatNobodyCompletedIsSeen) {
  job_.spec.completionMode = "Indexed";
  SeeJob();
  See("a", "Succeeded", true, false, "0");
  job_.status.completedIndexes = "0-1";
  job_.status.succeeded = 1;
  SeeJob();
  EXPECT_THAT(violations_, ElementsAre("job work takes index 1 for completed"));
}

TEST_F(JobInvariantsTest, AnIndexThatIsCompletedTwiceIsSeen) {
  job_.spec.completionMode = "Indexed";
  SeeJob();
  See("a", "Succeeded", true, false, "0");
  job_.status.completedIndexes = "0,0";
  job_.status.succeeded = 1;
  SeeJob();
  EXPECT_THAT(violations_, ElementsAre("job work has completed index 0 twice"));
}

TEST_F(JobInvariantsTest, WhatIsNotCountedInTheEndIsSeen) {
  SeeJob();
  See("a", "Succeeded", true);
  See("a", "Succeeded", false);
  See("b", "Failed", true);
  End("Complete");
  SeeJob();
  EXPECT_THAT(violations_, ElementsAre("job work has ended, and 1 pods are not counted",
                                       "job work has ended with 0 successes of 1",
                                       "job work has ended with 0 failures of 1"));
}

}  // namespace
}  // namespace flyball::faults
