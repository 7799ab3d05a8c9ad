#include "flyball/controllers/ttl_after_finished/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/batch/v1.h"
#include "flyball/api/time.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/base/metrics.h"
#include "flyball/runtime/api_server_fake.h"

namespace flyball::controllers::ttl_after_finished {
namespace {

using batch::v1::Job;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

class TtlAfterFinishedTest : public testing::Test {
 protected:
  TtlAfterFinishedTest() {
    controller_ = Make({.client = client_,
                        .informers = informers_,
                        .executor = executor_,
                        .timers = timers_,
                        .metrics = &metrics_},
                       {});
  }

  Job Finished(const std::string& name, std::int32_t ttl) {
    Job job;
    job.metadata.namespace_ = "ns";
    job.metadata.name = name;
    job.spec.ttlSecondsAfterFinished = ttl;
    batch::v1::JobCondition& condition = job.status.conditions.emplace_back();
    condition.type = "Complete";
    condition.status = "True";
    condition.lastTransitionTime = api::Time(executor_.clock().WallNow());
    return job;
  }

  /// Runs the controller with what a test does meanwhile.
  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      informers_.Start();
      EXPECT_TRUE(informers_.WaitForSync({}));
      controller_->Start();
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
  runtime::FakeApiServer server_{executor_, {.watch_delay = std::chrono::milliseconds(100)}};
  client::RestClient rest_{{.transport = server_, .clock = executor_.clock()}, {}};
  client::Client client_{rest_, client::Encoding::kJson};
  client::ResourceClient<Job> jobs_ = client_.Of<Job>();
  cache::InformerFactory informers_{
      {.client = client_, .executor = executor_, .timers = timers_, .random = [] { return 0.5; }}};
  std::unique_ptr<runtime::Controller> controller_;
};

TEST_F(TtlAfterFinishedTest, DeletesAJobWhenItsTimeIsOverAndNotBefore) {
  Play([&] {
    EXPECT_TRUE(jobs_.Create(Finished("job", 60)));
    Pass(seconds(59));
    EXPECT_THAT(server_.writes(), ElementsAre("create jobs ns/job"));
    Pass(seconds(2));
    EXPECT_THAT(server_.writes(), ElementsAre("create jobs ns/job", "delete jobs ns/job"));
  });
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("ttl_after_finished_controller_job_deletion_duration_seconds_count 1"));
}

TEST_F(TtlAfterFinishedTest, JobsThatWereThereBeforeItGoToo) {
  EXPECT_TRUE(jobs_.Create(Finished("old", 0)));
  Play([&] { Pass(seconds(1)); });
  EXPECT_THAT(server_.writes(), ElementsAre("create jobs ns/old", "delete jobs ns/old"));
}

TEST_F(TtlAfterFinishedTest, AJobThatIsGivenMoreTimeStays) {
  Play([&] {
    auto job = jobs_.Create(Finished("job", 60));
    Pass(std::chrono::milliseconds(59'950));
    // Too late for the cache to know of it when the time is up, but the server does.
    job->spec.ttlSecondsAfterFinished = 600;
    EXPECT_TRUE(jobs_.Update(*job));
    Pass(seconds(500));
    EXPECT_THAT(server_.writes(), ElementsAre("create jobs ns/job", "update jobs ns/job"));
    Pass(seconds(100));
    EXPECT_EQ(server_.writes().back(), "delete jobs ns/job");
  });
}

TEST_F(TtlAfterFinishedTest, AJobThatHasNotFinishedIsNotTouchedUntilItHas) {
  Play([&] {
    Job running = Finished("job", 5);
    const auto conditions = std::exchange(running.status.conditions, {});
    auto job = jobs_.Create(running);
    Pass(seconds(60));
    job->status.conditions = conditions;
    EXPECT_TRUE(jobs_.Update(*job));
    Pass(seconds(1));
    EXPECT_THAT(server_.writes(),
                ElementsAre("create jobs ns/job", "update jobs ns/job", "delete jobs ns/job"));
  });
}

}  // namespace
}  // namespace flyball::controllers::ttl_after_finished
