// ttl-after-finished-controller on a real API server, with the rights of its own service account.
//
// Nobody collects garbage here, so that a job whose deletion in the foreground has begun stays,
// terminating, for a test to look at.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/sandbox/faults.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/cluster_test.h"
#include "tests/cluster/finished_jobs.h"
#include "tests/cluster/small_manager.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using batch::v1::Job;
using sandbox::Fault;
using sandbox::Requests;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// The value, or a failed test and a default one.
template <typename T>
T Must(Result<T> result) {
  if (result) return *std::move(result);
  ADD_FAILURE() << result.error().Describe();
  return T();
}

class TtlAfterFinishedTest : public ClusterTest {
 protected:
  void TearDown() override {
    if (manager_) {
      EXPECT_TRUE(manager_->Stop(clock().DeadlineAfter(120s)));
    }
    EXPECT_THAT(real_plane().ForbiddenRequests(), IsEmpty());
  }

  /// Runs the controllers over a transport of the test's.
  void StartManager(transport::Transport& transport) {
    manager_ = std::make_unique<SmallManager>(
        SmallManager::Deps{.executor = executor(),
                           .transport = transport,
                           .access = access_,
                           .settings = {.garbage_collector = {.enabled = false}}});
    const auto started = manager_->Start();
    ASSERT_TRUE(started) << started.error().Describe();
  }

  bool Eventually(const std::function<bool()>& so) const {
    const SteadyTime deadline = clock().DeadlineAfter(30s);
    while (!so()) {
      if (clock().SteadyNow() > deadline) return false;
      clock().SleepFor(50ms);
    }
    return true;
  }
  bool Terminating(const std::string& name) const {
    return Must(jobs_.Get(name)).metadata.deletionTimestamp.has_value();
  }
  /// When its deletion began, once it has.
  WallTime DeletionOf(const std::string& name) const {
    EXPECT_TRUE(Eventually([&] { return Terminating(name); })) << name;
    return Must(jobs_.Get(name)).metadata.deletionTimestamp.value_or(api::Time()).ToWallTime();
  }
  /// Finishes a job now, to the second.
  WallTime Complete(const Job& job) const {
    const WallTime now = std::chrono::floor<std::chrono::seconds>(clock().WallNow());
    Must(jobs_.Complete(job, now));
    return now;
  }
  /// Another job comes to its end, by the same queue.
  void AwaitSentinel() const {
    Complete(Must(jobs_.Create("sentinel", 0)));
    EXPECT_TRUE(Eventually([this] { return Terminating("sentinel"); }));
  }
  std::vector<std::string> Asked() const {
    return RequestsOf(real_plane().audit_log(),
                      "system:serviceaccount:kube-system:ttl-after-finished-controller", space_);
  }

  const std::string space_ = NewNamespace();
  transport::HttpTransport admin_transport_{
      network(),
      plane().TransportOptions(plane().IssueClientCertificate("people", {"system:masters"}))};
  client::RestClient admin_rest_{{.transport = admin_transport_, .clock = clock()}, {}};
  const FinishedJobs jobs_{client::Client(admin_rest_), space_};

  const client::AccessConfig access_ = Must(client::ToolAccess(
      Must(plane().WriteKubeconfig("manager",
                                   {.token = plane().TokenOf("system:kube-controller-manager")}))
          .string(),
      {}, {}, {}));
  transport::HttpTransport transport_{network(), plane().TransportOptions()};
  sandbox::Faults faults_{transport_, executor()};
  std::unique_ptr<SmallManager> manager_;
};

TEST_F(TtlAfterFinishedTest, JobsGoWhenTheirTimeIsOverAndNotBefore) {
  const Job before = Must(jobs_.Create("before", 0));
  Complete(before);  // before anyone looks
  StartManager(transport_);
  const Job running = Must(jobs_.Create("running", 0));
  const Job at_once = Must(jobs_.Create("at-once", 0));
  const Job failed = Must(jobs_.Create("failed", 0));
  const Job later = Must(jobs_.Create("later", 2));
  Complete(at_once);
  Must(jobs_.Fail(failed, clock().WallNow()));
  const WallTime finished = Complete(later);

  for (const char* const name : {"before", "at-once", "failed"}) {
    EXPECT_TRUE(Eventually([&] { return Terminating(name); })) << name;
    EXPECT_THAT(Must(jobs_.Get(name)).metadata.finalizers, ElementsAre("foregroundDeletion"));
  }
  EXPECT_GE(DeletionOf("later"), finished + 2s);  // lint: allow duration: not before
  EXPECT_FALSE(Terminating("running"));
  // It asks before it deletes, each once, and has no business with what runs.
  std::vector<std::string> requests = Asked();
  std::ranges::sort(requests);
  EXPECT_THAT(requests,
              ElementsAre("delete jobs at-once 200", "delete jobs before 200",
                          "delete jobs failed 200", "delete jobs later 200", "get jobs at-once 200",
                          "get jobs before 200", "get jobs failed 200", "get jobs later 200"));
  EXPECT_THAT(manager_->metrics(),
              HasSubstr("ttl_after_finished_controller_job_deletion_duration_seconds_count 4\n"));
}

TEST_F(TtlAfterFinishedTest, AJobMayBeGivenMoreTimeOrLessWhileItWaits) {
  StartManager(transport_);
  const WallTime more = Complete(Must(jobs_.Create("more", 2)));
  const WallTime less = Complete(Must(jobs_.Create("less", 600)));
  Must(jobs_.Keep("more", 5));
  Must(jobs_.Keep("less", 1));
  EXPECT_GE(DeletionOf("less"), less + 1s);  // lint: allow duration: not before
  EXPECT_GE(DeletionOf("more"), more + 5s);  // lint: allow duration: not before
}

TEST_F(TtlAfterFinishedTest, WhatACacheDoesNotKnowYetCounts) {
  faults_.OnEvents(Requests::Watches()).Delay(4s);
  StartManager(faults_);
  const SteadyTime start = clock().SteadyNow();
  Complete(Must(jobs_.Create("more-time", 7)));
  Complete(Must(jobs_.Create("another", 7)));
  Complete(Must(jobs_.Create("gone", 7)));

  // The cache has them by now, and of what follows it hears when it is too late.
  clock().SleepUntil(start + 5s);  // lint: allow sleep: events are a known time late
  Must(jobs_.Keep("more-time", 600));
  EXPECT_TRUE(jobs_.Delete("another"));
  const Job another = Must(jobs_.Create("another", 0));
  EXPECT_TRUE(jobs_.Delete("gone"));

  const auto asked = [this](const char* request) {
    return [this, request] { return std::ranges::count(Asked(), request) > 0; };
  };
  EXPECT_TRUE(Eventually(asked("get jobs more-time 200")));
  EXPECT_TRUE(Eventually(asked("get jobs another 200")));
  EXPECT_TRUE(Eventually(asked("get jobs gone 404")));
  AwaitSentinel();
  EXPECT_FALSE(Terminating("more-time"));
  EXPECT_FALSE(Terminating("another"));
  EXPECT_THAT(Asked(), Each(AnyOf(Not(StartsWith("delete")), HasSubstr("jobs sentinel"))));
}

TEST_F(TtlAfterFinishedTest, AnotherJobOfTheSameNameIsNotDeletedForTheFirst) {
  const Fault interrupted =
      faults_.On(Requests::Deletes().Of("jobs")).Once().Interrupt([&](const sandbox::Asked&) {
        EXPECT_TRUE(jobs_.Delete("job"));
        Must(jobs_.Create("job", 0));
      });
  StartManager(faults_);
  const Job first = Must(jobs_.Create("job", 0));
  Complete(first);
  EXPECT_TRUE(Eventually([&] { return interrupted.count() == 1 && !Asked().empty(); }));
  AwaitSentinel();  // another try, if there were one, would come before it

  const Job second = Must(jobs_.Get("job"));
  EXPECT_NE(second.metadata.uid, first.metadata.uid);
  EXPECT_FALSE(second.metadata.deletionTimestamp.has_value());
  EXPECT_THAT(Asked(),
              AllOf(Contains("delete jobs job 409"), Not(Contains("delete jobs job 200"))));
}

}  // namespace
}  // namespace flyball::cluster
