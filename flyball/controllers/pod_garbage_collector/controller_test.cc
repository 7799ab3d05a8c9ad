#include "flyball/controllers/pod_garbage_collector/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/undecodable_fake.h"

namespace flyball::controllers::pod_garbage_collector {
namespace {

using core::v1::Node;
using core::v1::Pod;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PodGarbageCollectorTest : public ControllerFixture {
 protected:
  PodGarbageCollectorTest() {
    CreateNamespace("team");
    core::v1::ServiceAccount account;
    account.metadata.namespace_ = "team";
    account.metadata.name = "default";
    Must(All<core::v1::ServiceAccount>().Create(account));
  }

  Pod CreatePod(const std::string& name, const std::string& node,
                const std::string& phase = "Running", std::string_view image = "image") {
    Pod pod;
    pod.metadata.namespace_ = "team";
    pod.metadata.name = name;
    pod.spec.nodeName = node;
    core::v1::Container& container = pod.spec.containers.emplace_back();
    container.name = "c";
    container.image = image;
    pod = Must(All<Pod>().Create(pod));
    pod.status.phase = phase;
    return Must(All<Pod>().UpdateStatus(pod));
  }
  /// One that is to go, and that a finalizer keeps.
  Pod CreateTerminating(const std::string& name, const std::string& node,
                        std::string_view image = "image") {
    Pod pod = CreatePod(name, node, "Running", image);
    pod.metadata.finalizers = {"example.com/hold"};
    Must(All<Pod>().Update(pod));
    EXPECT_TRUE(All<Pod>().Delete({"team", name}));
    return Must(All<Pod>().Get({"team", name}));
  }
  void CreateNode(const std::string& name, const std::string& taint = "") {
    Node node;
    node.metadata.name = name;
    if (!taint.empty()) {
      node.spec.taints.emplace_back().key = taint;
      node.spec.taints.back().effect = "NoExecute";
    }
    Must(All<Node>().Create(node));
  }
  template <typename T>
  static T Must(Result<T> made) {
    if (made) return *std::move(made);
    ADD_FAILURE() << made.error().Describe();
    return {};
  }
  std::unique_ptr<runtime::Controller> MakeIt(std::int32_t threshold = 12500) {
    return Make(deps(), {.terminated_threshold = threshold});
  }
  static std::string DeleteBody(const Pod& pod) {
    return R"({"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","gracePeriodSeconds":0,)"
           R"("preconditions":{"uid":")" +
           pod.metadata.uid + R"("}})";
  }
  /// The next GET of a node by the controller gets this in place of an answer.
  void AnswerNodeWith(int status) {
    answer_instead_ =
        [this, status](const transport::Request& request) -> std::optional<transport::Response> {
      if (!request.target.starts_with("/api/v1/nodes/")) return std::nullopt;
      answer_instead_ = nullptr;
      return transport::Response{{status, {}}, ""};
    };
  }
};

TEST_F(PodGarbageCollectorTest, DeletesTheOldestOfTheEndedPodsInEverySweep) {
  CreateNode("node");
  const Pod old = CreatePod("b", "node", "Succeeded");
  EXPECT_EQ(executor_.RunFor(seconds(2)).outcome, DeterministicExecutor::Report::Outcome::kAllDone);
  CreatePod("a", "node", "Failed");
  Play(MakeIt(/*threshold=*/1), [&] {
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent[0].request, "DELETE /api/v1/namespaces/team/pods/b");
    EXPECT_EQ(sent[0].body, DeleteBody(old));

    CreatePod("c", "node", "Succeeded");
    Pass(seconds(18));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    Pass(seconds(2));
    EXPECT_THAT(TakeRequests(), ElementsAre("DELETE /api/v1/namespaces/team/pods/a"));
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("pod_gc_collector_force_delete_pods_total{"
                                         "namespace=\"team\",reason=\"terminated\"} 2\n"));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("force_delete_pod_errors_total{")));
}

TEST_F(PodGarbageCollectorTest, OrphansFailAndGoWhenTheirNodeIsGoneForForty) {
  const Pod pod = CreatePod("pod", "gone");
  Play(MakeIt(), [&] {
    Pass(seconds(39));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    Pass(seconds(2));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 2);
    EXPECT_EQ(sent[0].request, "PATCH /api/v1/namespaces/team/pods/pod/status");
    EXPECT_THAT(sent[0].body, HasSubstr(R"("reason":"DeletionByPodGC")"));
    EXPECT_EQ(sent[1].request, "DELETE /api/v1/namespaces/team/pods/pod");
    EXPECT_EQ(sent[1].body, DeleteBody(pod));
    EXPECT_FALSE(All<Pod>().Get({"team", "pod"}));
    Pass(seconds(200));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("pod_gc_collector_force_delete_pods_total{"
                                         "namespace=\"team\",reason=\"orphaned\"} 1\n"));
}

TEST_F(PodGarbageCollectorTest, AnOrphanThatAFinalizerKeepsSaysWhatBecameOfIt) {
  Pod pod = CreatePod("pod", "gone");
  pod.metadata.finalizers = {"example.com/hold"};
  Must(All<Pod>().Update(pod));
  Play(MakeIt(), [&] {
    Pass(seconds(41));
    const Pod kept = Must(All<Pod>().Get({"team", "pod"}));
    EXPECT_EQ(kept.status.phase, "Failed");
    EXPECT_TRUE(kept.metadata.deletionTimestamp);
    ASSERT_EQ(kept.status.conditions.size(), 1);
    EXPECT_EQ(kept.status.conditions[0].type, "DisruptionTarget");
    EXPECT_EQ(kept.status.conditions[0].message, "PodGC: node no longer exists");
    TakeSent();
    // It has ended, so it is not told again; but it is deleted until it is gone, as upstream does.
    Pass(seconds(60));
    EXPECT_THAT(TakeRequests(), ElementsAre("DELETE /api/v1/namespaces/team/pods/pod"));
  });
}

TEST_F(PodGarbageCollectorTest, ANodeThatAppearsInItsQuarantineKeepsItsPods) {
  CreatePod("pod", "late");
  Play(MakeIt(), [&] {
    Pass(seconds(39));
    CreateNode("late");
    Pass(seconds(200));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(PodGarbageCollectorTest, ANodeThatOnlyTheServerKnowsKeepsItsPods) {
  CreatePod("pod", "late");
  Play(MakeIt(), [&] {
    Pass(seconds(30));
    before_next_request_ = [&] { CreateNode("late"); };
    Pass(seconds(200));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    EXPECT_EQ(before_next_request_, nullptr);
  });
}

TEST_F(PodGarbageCollectorTest, ANodeThatCannotBeAskedForIsInQuarantineAgain) {
  CreatePod("pod", "gone");
  AnswerNodeWith(500);
  Play(MakeIt(), [&] {
    Pass(seconds(59));
    EXPECT_EQ(answer_instead_, nullptr);
    EXPECT_THAT(TakeRequests(), IsEmpty());
    Pass(seconds(30));
    EXPECT_THAT(TakeRequests(), ElementsAre("PATCH /api/v1/namespaces/team/pods/pod/status",
                                            "DELETE /api/v1/namespaces/team/pods/pod"));
  });
}

TEST_F(PodGarbageCollectorTest, PodsThatAreToGoGoFromANodeThatIsOutOfService) {
  CreateNode("down", "node.kubernetes.io/out-of-service");
  const Pod pod = CreateTerminating("pod", "down");
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 2);
    EXPECT_EQ(sent[0].request, "PATCH /api/v1/namespaces/team/pods/pod/status");
    EXPECT_EQ(sent[0].body, R"({"metadata":{"uid":")" + pod.metadata.uid +
                                R"("},"status":{"observedGeneration":)" +
                                std::to_string(pod.metadata.generation) + R"(,"phase":"Failed"}})");
    EXPECT_EQ(sent[1].request, "DELETE /api/v1/namespaces/team/pods/pod");
    EXPECT_EQ(sent[1].body, DeleteBody(pod));
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("reason=\"out-of-service\"} 1\n"));
}

TEST_F(PodGarbageCollectorTest, AFailureIsCountedAndTriedAgainByTheNextSweep) {
  CreateTerminating("a", "");
  CreateTerminating("b", "");
  answer_instead_ = [this](const transport::Request&) -> std::optional<transport::Response> {
    answer_instead_ = nullptr;
    return transport::Response{{403, {}}, ""};
  };
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre("PATCH /api/v1/namespaces/team/pods/a/status",
                                            "PATCH /api/v1/namespaces/team/pods/b/status",
                                            "DELETE /api/v1/namespaces/team/pods/b"));
    Pass(seconds(20));
    EXPECT_THAT(TakeRequests(), ElementsAre("PATCH /api/v1/namespaces/team/pods/a/status",
                                            "DELETE /api/v1/namespaces/team/pods/a",
                                            "DELETE /api/v1/namespaces/team/pods/b"));
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("pod_gc_collector_force_delete_pods_total{"
                                         "namespace=\"team\",reason=\"unscheduled\"} 4\n"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("pod_gc_collector_force_delete_pod_errors_total{"
                                         "namespace=\"team\",reason=\"unscheduled\"} 1\n"));
}

TEST_F(PodGarbageCollectorTest, APodThatHasTakenTheNameOfOneThatWasToGoLives) {
  CreateTerminating("pod", "");
  before_next_request_ = [&] {
    Pod last = Must(All<Pod>().Get({"team", "pod"}));
    last.metadata.finalizers = {};
    Must(All<Pod>().Update(last));
    CreatePod("pod", "");
  };
  Play(MakeIt(), [&] {
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre("PATCH /api/v1/namespaces/team/pods/pod/status"));
    EXPECT_EQ(Must(All<Pod>().Get({"team", "pod"})).status.phase, "Running");
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("reason=\"unscheduled\"} 1\n"));
}

// Without a node that can be read it looks like a terminating pod that was never scheduled, and
// without a phase like one that nobody knows.
TEST_F(PodGarbageCollectorTest, LeavesPodsThatCannotBeDecodedAlone) {
  faults_.OnEvents(sandbox::Requests::Watches().Of("pods")).Rewrite(Garble);
  CreateNode("node");
  CreateTerminating("undecodable", "node", kUndecodable);
  const Pod ended = CreatePod("ended", "gone");
  Play(MakeIt(), [&] {
    Pass(seconds(100));
    EXPECT_THAT(TakeRequests(), ElementsAre("PATCH /api/v1/namespaces/team/pods/ended/status",
                                            "DELETE /api/v1/namespaces/team/pods/ended"));
  });
  EXPECT_THAT(metrics_.Text(), HasSubstr("pod_gc_collector_force_delete_pods_total{"
                                         "namespace=\"team\",reason=\"orphaned\"} 1\n"));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("terminating")));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("force_delete_pod_errors_total{")));
}

}  // namespace
}  // namespace flyball::controllers::pod_garbage_collector
