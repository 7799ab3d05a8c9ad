#include "flyball/controllers/ttl_after_finished/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/api/time.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/base/metrics.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/sandbox/write_journal.h"

namespace flyball::controllers::ttl_after_finished {
namespace {

using batch::v1::Job;
using sandbox::Fault;
using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TtlAfterFinishedTest : public testing::Test {
 protected:
  TtlAfterFinishedTest() {
    faults_.OnEvents(Requests::Watches()).Delay(milliseconds(100));
    controller_ = Make({.client = client_,
                        .informers = informers_,
                        .executor = executor_,
                        .timers = timers_,
                        .metrics = &metrics_},
                       {});
  }

  /// One that runs, and is to be kept for so long when it has finished.
  Job Create(const std::string& name, std::int32_t ttl) {
    Job job;
    job.metadata.namespace_ = "default";
    job.metadata.name = name;
    job.spec.ttlSecondsAfterFinished = ttl;
    job.spec.template_.spec.restartPolicy = "Never";
    core::v1::Container& container = job.spec.template_.spec.containers.emplace_back();
    container.name = "only";
    container.image = "none";
    return Must(jobs_.Create(job));
  }
  Job Finish(Job job) {
    const api::Time now(executor_.clock().WallNow());
    job.status.startTime = job.status.completionTime = now;
    for (const char* const type : {"SuccessCriteriaMet", "Complete"}) {
      batch::v1::JobCondition& condition = job.status.conditions.emplace_back();
      condition.type = type;
      condition.status = "True";
      condition.lastTransitionTime = condition.lastProbeTime = now;
    }
    return Must(jobs_.UpdateStatus(job));
  }
  static Job Must(Result<Job> job) {
    if (job) return *std::move(job);
    ADD_FAILURE() << job.error().Describe();
    return {};
  }
  std::vector<std::string> Deletions() {
    std::vector<std::string> lines = journal_.lines();
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("delete"); });
    return lines;
  }

  /// Runs the controller with what a test does meanwhile.
  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      informers_.Start();
      EXPECT_TRUE(informers_.WaitForSync({}));
      controller_->Start();
      // Times are kept in whole seconds: from one of them on they are exact.
      Pass(seconds(1) - executor_.clock().WallNow().time_since_epoch() % seconds(1));
      test();
      controller_.reset();
      informers_.Stop();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1));
    EXPECT_TRUE(done) << report.Describe();
  }
  void Pass(std::chrono::nanoseconds span) { executor_.clock().SleepFor(span); }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  MetricRegistry metrics_;
  sandbox::Sandbox sandbox_{{executor_, timers_}, {.seed = 1}};
  sandbox::WriteJournal journal_{sandbox_.transport()};
  sandbox::Faults faults_{journal_, executor_};
  sandbox::Session session_{faults_, executor_.clock()};
  const client::Client& client_ = session_.client();
  client::ResourceClient<Job> jobs_ = client_.Of<Job>();
  cache::InformerFactory informers_{
      {.client = client_, .executor = executor_, .timers = timers_, .random = [] { return 0.5; }}};
  std::unique_ptr<runtime::Controller> controller_;
};

TEST_F(TtlAfterFinishedTest, DeletesAJobWhenItsTimeIsOverAndNotBefore) {
  Play([&] {
    Finish(Create("job", 60));
    Pass(seconds(59));
    EXPECT_THAT(Deletions(), IsEmpty());
    Pass(seconds(2));
    EXPECT_THAT(Deletions(), ElementsAre("delete jobs default/job"));
    // Whoever collects garbage has the rest to do.
    EXPECT_THAT(jobs_.Get({"default", "job"})->metadata.finalizers,
                ElementsAre("foregroundDeletion"));
  });
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("ttl_after_finished_controller_job_deletion_duration_seconds_count 1"));
}

TEST_F(TtlAfterFinishedTest, JobsThatWereThereBeforeItGoToo) {
  Finish(Create("old", 0));
  Play([&] { Pass(seconds(1)); });
  EXPECT_THAT(Deletions(), ElementsAre("delete jobs default/old"));
}

TEST_F(TtlAfterFinishedTest, AJobThatIsGivenMoreTimeStays) {
  Play([&] {
    Job job = Finish(Create("job", 60));
    Pass(milliseconds(59'950));
    // Too late for the cache to know of it when the time is up, but the server does.
    job.spec.ttlSecondsAfterFinished = 600;
    Must(jobs_.Update(job));
    Pass(seconds(500));
    EXPECT_THAT(Deletions(), IsEmpty());
    Pass(seconds(100));
    EXPECT_THAT(Deletions(), ElementsAre("delete jobs default/job"));
  });
}

TEST_F(TtlAfterFinishedTest, AJobThatHasNotFinishedIsNotTouchedUntilItHas) {
  Play([&] {
    const Job job = Create("job", 5);
    Pass(seconds(60));
    EXPECT_THAT(Deletions(), IsEmpty());
    Finish(job);
    Pass(seconds(4));
    EXPECT_THAT(Deletions(), IsEmpty());
    Pass(seconds(2));
    EXPECT_THAT(Deletions(), ElementsAre("delete jobs default/job"));
  });
}

TEST_F(TtlAfterFinishedTest, AJobIsDeletedOnceThoughTheAnswerIsLost) {
  const Fault lost = faults_.On(Requests::Deletes()).Once().LoseAnswer();
  Play([&] {
    Finish(Create("job", 1));
    Pass(seconds(30));
    EXPECT_THAT(Deletions(), ElementsAre("delete jobs default/job"));
  });
  EXPECT_EQ(lost.count(), 1);
}

}  // namespace
}  // namespace flyball::controllers::ttl_after_finished
