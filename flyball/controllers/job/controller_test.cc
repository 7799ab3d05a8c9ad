#include "flyball/controllers/job/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/json_decode.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/job/internal/job_fixture.h"
#include "flyball/controllers/job/new_pods.h"

namespace flyball::controllers::job {
namespace {

using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kStatus = "PUT /apis/batch/v1/namespaces/default/jobs/work/status";
const std::string kReleased =
    R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["batch.kubernetes.io/job-tracking"],)";

class JobTest : public JobFixture {};

TEST_F(JobTest, MakesPodsAndSaysHowManyThereAre) {
  PlayIt([&] {
    const Job job = Create(3, 2);
    Pass(milliseconds(500));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 3);
    Pod expected = NewPod(job);
    expected.kind = "Pod";
    expected.apiVersion = "v1";
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(sent[i].request, std::string("POST ") + kPods);
      EXPECT_EQ(Must(api::DecodeJson<Pod>(sent[i].body)), expected);
    }
    EXPECT_EQ(sent[2].request, kStatus);
    batch::v1::JobStatus status;
    status.startTime = job.metadata.creationTimestamp;
    status.active = 2;
    status.ready = 0;
    status.terminating = 0;
    status.uncountedTerminatedPods.emplace();
    EXPECT_EQ(Get().status, status);
    EXPECT_THAT(events_.lines(), ElementsAre(StartsWith("Normal SuccessfulCreate: Created pod: "),
                                             StartsWith("Normal SuccessfulCreate: Created pod: ")));
    // There is nothing more to do.
    Pass(minutes(10));
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
}

TEST_F(JobTest, CountsPodsInTheOrderThatLosesNone) {
  PlayIt([&] {
    Create(2, 2);
    Pass(seconds(5));
    TakeSent();
    EndAll(0);
    Pass(seconds(2));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 4);
    // Written down, released, counted.
    EXPECT_EQ(sent[0].request, kStatus);
    const auto first = Must(api::DecodeJson<Job>(sent[0].body)).status;
    EXPECT_THAT(first.uncountedTerminatedPods->succeeded, SizeIs(2));
    EXPECT_EQ(first.succeeded, 0);
    EXPECT_EQ(first.active, 0);
    for (int i = 1; i < 3; ++i) {
      EXPECT_THAT(sent[i].request, StartsWith(std::string("PATCH ") + kPods + "/work-"));
      EXPECT_THAT(sent[i].body, StartsWith(kReleased));
    }
    EXPECT_EQ(sent[3].request, kStatus);

    const Job job = Get();
    EXPECT_EQ(job.status.succeeded, 2);
    EXPECT_EQ(*job.status.uncountedTerminatedPods, batch::v1::UncountedTerminatedPods());
    EXPECT_EQ(ConditionsOf(job),
              "SuccessCriteriaMet CompletionsReached, Complete CompletionsReached");
    EXPECT_EQ(job.status.conditions[1].message, "Reached expected number of succeeded pods");
    EXPECT_EQ(job.status.completionTime, job.status.conditions[1].lastTransitionTime);
    EXPECT_EQ(TrackedPods(), 0);
    EXPECT_EQ(events_.lines().back(), "Normal Completed: Job completed");
    Pass(minutes(10));
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("job_controller_jobs_finished_total{completion_mode=\"NonIndexed\","
                        "reason=\"CompletionsReached\",result=\"succeeded\"} 1\n"));
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("job_controller_job_pods_finished_total{completion_mode=\"NonIndexed\","
                        "result=\"succeeded\"} 2\n"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("job_controller_job_pods_creation_total{reason=\"new\","
                                         "status=\"succeeded\"} 2\n"));
  EXPECT_THAT(
      metrics_.Text(),
      HasSubstr("job_controller_terminated_pods_tracking_finalizer_total{event=\"add\"} 2\n"));
  EXPECT_THAT(
      metrics_.Text(),
      HasSubstr("job_controller_terminated_pods_tracking_finalizer_total{event=\"delete\"} 2\n"));
}

TEST_F(JobTest, RunsEveryIndexOnce) {
  PlayIt([&] {
    Create(5, 2, Indexed);
    for (int round = 0; round < 3; ++round) {
      Pass(seconds(3));
      EndAll(0);
    }
    Pass(seconds(3));
    const Job job = Get();
    EXPECT_EQ(job.status.completedIndexes, "0-4");
    EXPECT_EQ(job.status.succeeded, 5);
    EXPECT_EQ(ConditionsOf(job),
              "SuccessCriteriaMet CompletionsReached, Complete CompletionsReached");
    std::vector<std::string> names;
    for (const Pod& pod : Pods()) names.push_back(pod.spec.hostname);
    EXPECT_THAT(names,
                testing::UnorderedElementsAre("work-0", "work-1", "work-2", "work-3", "work-4"));
    EXPECT_EQ(TrackedPods(), 0);
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("job_controller_job_finished_indexes_total{"
                                         "backoffLimit=\"global\",status=\"succeeded\"} 5\n"));
}

TEST_F(JobTest, WaitsLongerAfterEachFailureAndGivesUpAtTheLimit) {
  PlayIt([&] {
    Create(1, 1, [](Job& job) { job.spec.backoffLimit = 2; });
    for (const int wait : {10, 20}) {
      Pass(seconds(3));
      ASSERT_THAT(ActivePods(), SizeIs(1));
      EndAll(1);
      Pass(seconds(wait) - milliseconds(1500));
      EXPECT_THAT(ActivePods(), IsEmpty());
      EXPECT_EQ(Get().status.active, 0);
      Pass(seconds(2));
      EXPECT_THAT(ActivePods(), SizeIs(1));
    }
    EndAll(1);
    Pass(seconds(5));
    EXPECT_EQ(ConditionsOf(Get()),
              "FailureTarget BackoffLimitExceeded, Failed BackoffLimitExceeded");
    EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 3");
    EXPECT_EQ(Get().status.completionTime, std::nullopt);
    EXPECT_EQ(events_.lines().back(),
              "Warning BackoffLimitExceeded: Job has reached the specified backoff limit");
    Pass(minutes(20));
    EXPECT_THAT(ActivePods(), IsEmpty());
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("job_controller_job_pods_creation_total{reason=\"recreate_"
                                         "terminating_or_failed\",status=\"succeeded\"} 2\n"));
}

TEST_F(JobTest, AFailureIsWaitedForThoughItsPodIsGone) {
  PlayIt([&] {
    Create(1, 1);
    for (const int wait : {10, 20}) {
      Pass(seconds(3));
      ASSERT_THAT(Pods(), SizeIs(1));
      EXPECT_TRUE(All<Pod>().Delete(api::ObjectKey::Of(Pods()[0])));
      Pass(seconds(wait) - milliseconds(1500));
      EXPECT_THAT(Pods(), IsEmpty());
      Pass(seconds(2));
      EXPECT_THAT(ActivePods(), SizeIs(1));
    }
    EXPECT_EQ(Counts(), "active 1, succeeded 0, failed 2");
  });
}

TEST_F(JobTest, ANewControllerWaitsByWhatThePodsTell) {
  Create(1, 1);
  PlayLives({[&] {
               Pass(seconds(3));
               EndAll(1);
               Pass(seconds(5));
               EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 1");
             },
             [&] {
               Pass(seconds(3));
               EXPECT_THAT(ActivePods(), IsEmpty());
               Pass(seconds(5));
               EXPECT_THAT(ActivePods(), SizeIs(1));
             }});
}

TEST_F(JobTest, FailsAtItsDeadline) {
  PlayIt([&] {
    Create(1, 1, [](Job& job) { job.spec.activeDeadlineSeconds = 60; });
    Pass(seconds(59));
    EXPECT_EQ(ConditionsOf(Get()), "");
    Pass(seconds(4));
    EXPECT_EQ(ConditionsOf(Get()), "FailureTarget DeadlineExceeded, Failed DeadlineExceeded");
    EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 1");
    EXPECT_THAT(Pods(), IsEmpty());
    EXPECT_THAT(events_.lines(), Contains(StartsWith("Normal SuccessfulDelete: Deleted pod: ")));
    EXPECT_EQ(events_.lines().back(),
              "Warning DeadlineExceeded: Job was active longer than specified deadline");
  });
}

TEST_F(JobTest, ADeadlineThatComesNearerHoldsAtOnce) {
  PlayIt([&] {
    Create(1, 1, [](Job& job) { job.spec.activeDeadlineSeconds = 1000; });
    Pass(seconds(30));
    Change([](Job& job) { job.spec.activeDeadlineSeconds = 20; });
    Pass(seconds(3));
    EXPECT_EQ(ConditionsOf(Get()), "FailureTarget DeadlineExceeded, Failed DeadlineExceeded");
  });
}

TEST_F(JobTest, IsSuspendedAndResumed) {
  PlayIt([&] {
    Create(3, 2);
    Pass(seconds(3));
    TakeSent();
    Change([](Job& job) { job.spec.suspend = true; });
    Pass(seconds(3));
    Job job = Get();
    EXPECT_EQ(ConditionsOf(job), "Suspended JobSuspended");
    EXPECT_EQ(job.status.startTime, std::nullopt);
    EXPECT_EQ(job.status.terminating, 0);
    // What was told to end so is no failure.
    EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 0");
    EXPECT_THAT(Pods(), IsEmpty());
    const auto requests = TakeRequests();
    ASSERT_GE(requests.size(), 5);
    EXPECT_THAT(requests[0], StartsWith("PATCH"));
    EXPECT_THAT(requests[1], StartsWith("PATCH"));
    EXPECT_THAT(requests[2], StartsWith("DELETE"));
    EXPECT_THAT(requests[3], StartsWith("DELETE"));
    EXPECT_EQ(events_.lines().back(), "Normal Suspended: Job suspended");

    Change([](Job& its) { its.spec.suspend = false; });
    Pass(seconds(3));
    job = Get();
    EXPECT_EQ(job.status.conditions[0].status, "False");
    EXPECT_EQ(job.status.conditions[0].reason, "JobResumed");
    EXPECT_TRUE(job.status.startTime);
    EXPECT_EQ(Counts(), "active 2, succeeded 0, failed 0");
    EXPECT_EQ(events_.lines().back(), "Normal Resumed: Job resumed");
  });
}

TEST_F(JobTest, ChangesItsParallelism) {
  PlayIt([&] {
    Create(9, 2);
    Pass(seconds(3));
    Change([](Job& job) { job.spec.parallelism = 5; });
    Pass(seconds(3));
    EXPECT_EQ(Counts(), "active 5, succeeded 0, failed 0");
    const auto pods = Pods();
    for (int i = 0; i < 2; ++i) Run(pods[i]);
    Pass(seconds(3));
    EXPECT_EQ(Get().status.ready, 2);
    Change([](Job& job) { job.spec.parallelism = 2; });
    Pass(seconds(3));
    EXPECT_EQ(Counts(), "active 2, succeeded 0, failed 0");
    EXPECT_EQ(Get().status.ready, 2);
  });
}

TEST_F(JobTest, AnIndexedJobGrowsAndShrinks) {
  PlayIt([&] {
    Create(2, 2, Indexed);
    Pass(seconds(3));
    Change([](Job& job) { job.spec.completions = job.spec.parallelism = 4; });
    Pass(seconds(3));
    EXPECT_EQ(Counts(), "active 4, succeeded 0, failed 0");
    for (const Pod& pod : Pods()) {
      if (pod.spec.hostname == "work-3" || pod.spec.hostname == "work-0") End(pod, 0);
    }
    Pass(seconds(3));
    EXPECT_EQ(Get().status.completedIndexes, "0,3");
    Change([](Job& job) { job.spec.completions = job.spec.parallelism = 1; });
    Pass(seconds(3));
    EXPECT_EQ(Get().status.completedIndexes, "0");
    EXPECT_EQ(ConditionsOf(Get()),
              "SuccessCriteriaMet CompletionsReached, Complete CompletionsReached");
    EXPECT_EQ(Counts(), "active 0, succeeded 1, failed 0");
  });
}

TEST_F(JobTest, EachIndexHasItsOwnLimit) {
  PlayIt([&] {
    Create(3, 3, [](Job& job) {
      Indexed(job);
      job.spec.backoffLimitPerIndex = 1;
    });
    Pass(seconds(3));
    for (const Pod& pod : Pods()) End(pod, pod.spec.hostname == "work-1" ? 1 : 0);
    Pass(seconds(5));
    EXPECT_EQ(Get().status.completedIndexes, "0,2");
    EXPECT_EQ(TrackedPods(), 1);  // that which is to be replaced
    Pass(seconds(10));
    ASSERT_THAT(ActivePods(), SizeIs(1));
    const auto annotations = ActivePods()[0].metadata.annotations;
    EXPECT_EQ(*annotations.find(kCompletionIndex), "1");
    EXPECT_EQ(*annotations.find(kIndexFailureCount), "1");
    EXPECT_EQ(TrackedPods(), 1);
    EndAll(1);
    Pass(seconds(5));
    const Job job = Get();
    EXPECT_EQ(job.status.failedIndexes, "1");
    EXPECT_EQ(ConditionsOf(job), "FailureTarget FailedIndexes, Failed FailedIndexes");
    EXPECT_EQ(Counts(), "active 0, succeeded 2, failed 2");
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("job_controller_job_finished_indexes_total{"
                                         "backoffLimit=\"perIndex\",status=\"failed\"} 1\n"));
}

TEST_F(JobTest, FailsByItsPolicyAndEndsItsOtherPods) {
  PlayIt([&] {
    Create(3, 3, [](Job& job) {
      auto& rules = job.spec.podFailurePolicy.emplace().rules;
      auto& rule = rules.emplace_back();
      rule.action = "FailJob";
      rule.onExitCodes.emplace().operator_ = "In";
      rule.onExitCodes->values = {42};
    });
    Pass(seconds(3));
    const std::string name = Pods()[0].metadata.name;
    End(Pods()[0], 42);
    Pass(seconds(5));
    const Job job = Get();
    EXPECT_EQ(ConditionsOf(job), "FailureTarget PodFailurePolicy, Failed PodFailurePolicy");
    EXPECT_EQ(job.status.conditions[1].message,
              "Container main for pod default/" + name +
                  " failed with exit code 42 matching FailJob rule at index 0");
    EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 3");
    EXPECT_THAT(Pods(), SizeIs(1));
  });
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("job_controller_pod_failures_handled_by_failure_policy_total{"
                        "action=\"FailJob\"} 1\n"));
}

TEST_F(JobTest, SucceedsByItsPolicyAndEndsItsOtherPods) {
  PlayIt([&] {
    Create(3, 3, [](Job& job) {
      Indexed(job);
      job.spec.successPolicy.emplace().rules.emplace_back().succeededIndexes = "1";
    });
    Pass(seconds(3));
    for (const Pod& pod : Pods()) {
      if (pod.spec.hostname == "work-1") End(pod, 0);
    }
    Pass(seconds(5));
    const Job job = Get();
    EXPECT_EQ(ConditionsOf(job), "SuccessCriteriaMet SuccessPolicy, Complete SuccessPolicy");
    EXPECT_EQ(job.status.conditions[1].message, "Matched rules at index 0");
    EXPECT_EQ(Counts(), "active 0, succeeded 1, failed 0");
    EXPECT_THAT(Pods(), SizeIs(1));
  });
}

/// A pod that a node has ends when the node says so.
TEST_F(JobTest, APodThatEndsIsReplacedWhenItHasEndedIfTheJobSaysSo) {
  PlayIt([&] {
    Create(1, 1, [](Job& job) {
      job.spec.podReplacementPolicy = "Failed";
      job.spec.template_.spec.nodeName = "node";
    });
    Pass(seconds(3));
    const Pod pod = Pods()[0];
    EXPECT_TRUE(All<Pod>().Delete(api::ObjectKey::Of(pod)));
    Pass(seconds(20));
    EXPECT_THAT(Pods(), SizeIs(1));
    EXPECT_EQ(Get().status.terminating, 1);
    EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 0");
    End(Pods()[0], 1);
    Pass(seconds(15));
    EXPECT_EQ(Counts(), "active 1, succeeded 0, failed 1");
  });
}

TEST_F(JobTest, IsNotOverWhileAPodIsEnding) {
  PlayIt([&] {
    Create(1, 1, [](Job& job) {
      job.spec.activeDeadlineSeconds = 5;
      job.spec.template_.spec.nodeName = "node";
    });
    Pass(seconds(20));
    EXPECT_EQ(ConditionsOf(Get()), "FailureTarget DeadlineExceeded");
    EXPECT_EQ(Get().status.terminating, 1);
    EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 1");
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    EXPECT_TRUE(All<Pod>().Delete(api::ObjectKey::Of(Pods()[0]), now));
    Pass(seconds(3));
    EXPECT_EQ(ConditionsOf(Get()), "FailureTarget DeadlineExceeded, Failed DeadlineExceeded");
    EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 1");
  });
}

TEST_F(JobTest, AnothersJobIsNotTouched) {
  PlayIt([&] {
    Create(1, 1, [](Job& job) { job.spec.managedBy = "example.com/somebody"; });
    Pass(seconds(30));
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("job_controller_jobs_by_external_controller_total{"
                                         "controller_name=\"example.com/somebody\"} 1\n"));
}

TEST_F(JobTest, OneThatNamesUsIsOurs) {
  PlayIt([&] {
    Create(1, 1, [](Job& job) { job.spec.managedBy = std::string(kManager); });
    Pass(seconds(3));
    EXPECT_THAT(Pods(), SizeIs(1));
  });
}

TEST_F(JobTest, PodsOfAJobThatIsGoneAreFree) {
  PlayIt([&] {
    Create(2, 2);
    Pass(seconds(3));
    EXPECT_EQ(TrackedPods(), 2);
    EXPECT_TRUE(All<Job>().Delete({"default", "work"}));
    Pass(seconds(3));
    EXPECT_EQ(TrackedPods(), 0);
  });
}

TEST_F(JobTest, PodsOfAJobThatGoesAreFreeAndCounted) {
  PlayIt([&] {
    Create(2, 2);
    Pass(seconds(3));
    meta::v1::DeleteOptions foreground;
    foreground.propagationPolicy = "Foreground";
    EXPECT_TRUE(All<Job>().Delete({"default", "work"}, foreground));
    Pass(seconds(3));
    EXPECT_EQ(TrackedPods(), 0);
    EXPECT_EQ(Counts(), "active 2, succeeded 0, failed 0");
  });
}

TEST_F(JobTest, AdoptsPodsWithTheFinalizerAndReleasesThemWithoutIt) {
  PlayIt([&] {
    Pod pod;
    pod.metadata.namespace_ = "default";
    pod.metadata.name = "free";
    pod.metadata.labels["app"] = "work";
    pod.spec.restartPolicy = "Never";
    core::v1::Container& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "none";
    pod = Must(All<Pod>().Create(pod));
    const Job job = Create(1, 1, [](Job& its) {
      its.spec.manualSelector = true;
      its.spec.selector.get_or_emplace().matchLabels["app"] = "work";
      its.spec.template_.metadata.labels["app"] = "work";
    });
    Pass(seconds(3));
    const auto sent = TakeSent();
    ASSERT_GE(sent.size(), 2);
    EXPECT_EQ(sent[0].request, std::string("PATCH ") + kPods + "/free");
    EXPECT_EQ(sent[0].body,
              R"({"metadata":{"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job",)"
              R"("name":"work","uid":")" +
                  job.metadata.uid + R"(","controller":true,"blockOwnerDeletion":true}],"uid":")" +
                  pod.metadata.uid + R"(","finalizers":["batch.kubernetes.io/job-tracking"]}})");
    EXPECT_EQ(sent[1].request, kStatus);
    ASSERT_THAT(Pods(), SizeIs(1));
    EXPECT_TRUE(IsTracked(Pods()[0]));
    EXPECT_EQ(Counts(), "active 1, succeeded 0, failed 0");

    Must(All<Pod>().Patch({"default", "free"}, client::Patch::Merge(*api::Json::Parse(
                                                   R"({"metadata":{"labels":{"app":"x"}}})"))));
    Pass(seconds(3));
    const Pod released = Must(All<Pod>().Get({"default", "free"}));
    EXPECT_THAT(released.metadata.ownerReferences, IsEmpty());
    EXPECT_FALSE(IsTracked(released));
    EXPECT_THAT(Pods(), SizeIs(2));
  });
}

TEST_F(JobTest, AQuotaThatIsUsedUpCostsFewRequestsAndIsTold) {
  const auto refused =
      faults_.On(Requests::Creates().Of("pods"))
          .After(1)
          .Refuse(sandbox::Forbidden({"", "pods"}, "work-x", "exceeded quota: small"));
  PlayIt([&] {
    Create(20, 20);
    Pass(milliseconds(500));
    EXPECT_EQ(refused.count(), 2);
    EXPECT_EQ(events_.lines().back(),
              "Warning FailedCreate: Error creating: pods \"work-x\" is forbidden: exceeded "
              "quota: small");
    EXPECT_EQ(Counts(), "active 1, succeeded 0, failed 0");
    Pass(minutes(5));
    EXPECT_LE(refused.count(), 20);
    faults_.LiftAll();
    Pass(minutes(2));
    EXPECT_EQ(Counts(), "active 20, succeeded 0, failed 0");
  });
}

TEST_F(JobTest, APodThatCannotBeEndedKeepsAJobFromItsEnd) {
  PlayIt([&] {
    Create(1, 1, [](Job& job) { job.spec.activeDeadlineSeconds = 5; });
    Pass(seconds(3));
    auto refused = faults_.On(Requests::Deletes().Of("pods"))
                       .Refuse(sandbox::Forbidden({"", "pods"}, "work-x", "not by you"));
    Pass(seconds(20));
    EXPECT_EQ(ConditionsOf(Get()), "");
    EXPECT_THAT(events_.lines(),
                Contains("Warning FailedDelete: Error deleting: pods \"work-x\" is forbidden: "
                         "not by you"));
    EXPECT_GE(refused.count(), 3);
    EXPECT_LE(refused.count(), 8);
    refused.Lift();
    Pass(seconds(60));
    EXPECT_EQ(ConditionsOf(Get()), "FailureTarget DeadlineExceeded, Failed DeadlineExceeded");
    EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 1");
  });
}

TEST_F(JobTest, ANamespaceThatGoesIsNotAskedAgainAndAgain) {
  int asked = 0;
  answer_instead_ = [&](const transport::Request& request) -> std::optional<transport::Response> {
    if (request.method != "POST") return std::nullopt;
    ++asked;
    transport::Response answer;
    answer.status = 403;
    answer.headers = {{"content-type", "application/json"}};
    answer.body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden",)"
                  R"("message":"it goes","code":403,"details":{"causes":[)"
                  R"({"reason":"NamespaceTerminating","message":"it goes"}]}})";
    return answer;
  };
  PlayIt([&] {
    Create(5, 5);
    Pass(seconds(29));
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(Counts(), "active 0, succeeded 0, failed 0");
    EXPECT_THAT(events_.lines(), IsEmpty());
    Pass(minutes(5));
    EXPECT_LE(asked, 12);
  });
}

}  // namespace
}  // namespace flyball::controllers::job
