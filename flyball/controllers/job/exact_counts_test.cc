// Every pod is counted once, whatever goes wrong between the controller, its caches and the server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/job/internal/job_fixture.h"

namespace flyball::controllers::job {
namespace {

using sandbox::Requests;
using std::chrono::minutes;
using std::chrono::seconds;

class JobExactCountsTest : public JobFixture {
 protected:
  /// Runs a job of five indexes, each of which fails once, to its end.
  void RunToTheEnd() {
    std::vector<std::string> failed;
    for (int round = 0; round < 40 && ConditionsOf(Get()).empty(); ++round) {
      for (const Pod& pod : ActivePods()) {
        const bool again = std::ranges::find(failed, pod.spec.hostname) != failed.end();
        if (!again) failed.push_back(pod.spec.hostname);
        End(pod, again ? 0 : 1);
      }
      Pass(seconds(30));
    }
    Pass(minutes(3));
    const Job job = Get();
    EXPECT_EQ(ConditionsOf(job),
              "SuccessCriteriaMet CompletionsReached, Complete CompletionsReached");
    EXPECT_EQ(job.status.completedIndexes, "0-4");
    EXPECT_EQ(Counts(), "active 0, succeeded 5, failed 5");
    EXPECT_EQ(*job.status.uncountedTerminatedPods, batch::v1::UncountedTerminatedPods());
    EXPECT_EQ(TrackedPods(), 0);
    EXPECT_EQ(Pods().size(), 10);
  }

  void Play5() {
    PlayIt([&] {
      Create(5, 2, [](Job& job) {
        Indexed(job);
        job.spec.backoffLimit = 100;
      });
      Pass(seconds(5));
      RunToTheEnd();
    });
  }
};

TEST_F(JobExactCountsTest, WhenNothingGoesWrong) { Play5(); }

TEST_F(JobExactCountsTest, WhenAnswersToStatusWritesAreLost) {
  const auto lost = faults_.On(Requests::Updates().Of("jobs")).Every(3).LoseAnswer();
  Play5();
  EXPECT_GE(lost.count(), 3);
}

TEST_F(JobExactCountsTest, WhenAnswersToPatchesAreLost) {
  const auto lost = faults_.On(Requests::Patches().Of("pods")).Every(2).LoseAnswer();
  Play5();
  EXPECT_GE(lost.count(), 3);
}

TEST_F(JobExactCountsTest, WhenAnswersToCreationsAreLost) {
  const auto lost = faults_.On(Requests::Creates().Of("pods")).Every(2).LoseAnswer();
  Play5();
  EXPECT_GE(lost.count(), 3);
}

TEST_F(JobExactCountsTest, WhenPatchesAreRefused) {
  const auto refused = faults_.On(Requests::Patches().Of("pods")).Every(2).Refuse(500);
  Play5();
  EXPECT_GE(refused.count(), 3);
}

TEST_F(JobExactCountsTest, WhenWatchesAreLate) {
  faults_.OnEvents(Requests::Watches().Of("pods")).Delay(seconds(7));
  Play5();
}

TEST_F(JobExactCountsTest, WhenWatchesBreak) {
  const auto broken = faults_.OnEvents(Requests::Watches()).Every(5).Break();
  Play5();
  EXPECT_GE(broken.count(), 3);
}

/// Nobody waits for a cache for ever; but what it does not show then is remembered.
TEST_F(JobExactCountsTest, WhenTheCacheOfPodsStandsStill) {
  PlayIt([&] {
    Create(1, 1);
    Pass(seconds(5));
    End(Pods()[0], 1);
    Pass(std::chrono::milliseconds(500));
    auto held = faults_.OnEvents(Requests::Watches().Of("pods")).Hold();
    Pass(minutes(5));
    EXPECT_EQ(Get().status.failed, 1);
    held.Lift();
    Pass(minutes(5));
    EXPECT_EQ(Get().status.failed, 1);
    EndAll(0);
    Pass(minutes(1));
    EXPECT_EQ(Counts(), "active 0, succeeded 1, failed 1");
    EXPECT_EQ(TrackedPods(), 0);
  });
}

TEST_F(JobExactCountsTest, WhenControllersComeAndGo) {
  Create(6, 3);
  std::vector<std::function<void()>> lives;
  for (int life = 0; life < 30; ++life) {
    lives.emplace_back([this, life] {
      Pass(std::chrono::milliseconds(400 + 300 * (life % 5)));
      if (const auto pods = ActivePods(); !pods.empty()) End(pods.front(), 0);
    });
  }
  lives.emplace_back([this] {
    Pass(minutes(1));
    EXPECT_EQ(Counts(), "active 0, succeeded 6, failed 0");
    EXPECT_EQ(ConditionsOf(Get()),
              "SuccessCriteriaMet CompletionsReached, Complete CompletionsReached");
    EXPECT_EQ(Pods().size(), 6);
    EXPECT_EQ(TrackedPods(), 0);
  });
  PlayLives(lives);
}

}  // namespace
}  // namespace flyball::controllers::job
