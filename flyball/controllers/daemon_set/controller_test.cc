#include "flyball/controllers/daemon_set/controller.h"

#include "flyball/api/template_hash.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/daemon_set/internal/daemon_set_test.h"

namespace flyball::controllers::daemon_set {
namespace {

using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

TEST_F(DaemonSetTest, PutsAPodOnEveryNodeAndRecordsTheTemplate) {
  CreateNodes("ab");
  PlayIt([&] {
    const DaemonSet set = Create();
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_GE(sent.size(), 4);

    const std::string hash = api::PodTemplateHash(set.spec.template_, std::nullopt);
    ControllerRevision revision;
    revision.kind = "ControllerRevision";
    revision.apiVersion = "apps/v1";
    revision.metadata.namespace_ = "default";
    revision.metadata.name = "agent-" + hash;
    revision.metadata.labels = {{"app", "agent"}, {"controller-revision-hash", hash}};
    revision.metadata.annotations = {{"deprecated.daemonset.template.generation", "1"}};
    revision.metadata.ownerReferences = {common::ControllerRefTo(set)};
    revision.data.raw =
        api::RevisionData(set.spec.template_, api::RevisionOwner::kDaemonSet).value();
    revision.revision = 1;
    EXPECT_EQ(sent[0].request, std::string("POST ") + kRevisions);
    EXPECT_EQ(Must(api::DecodeJson<ControllerRevision>(sent[0].body)), revision);

    Pod pod = DaemonPod(set, {.hash = hash, .generation = 1});
    pod.kind = "Pod";
    pod.apiVersion = "v1";
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(sent[i + 1].request, std::string("POST ") + kPods);
      EXPECT_EQ(Must(api::DecodeJson<Pod>(sent[i + 1].body)), BoundTo(pod, i == 0 ? "a" : "b"));
    }
    EXPECT_EQ(sent[3].request, kStatus);
    EXPECT_THAT(events_.lines(),
                ElementsAre("Normal SuccessfulCreate: Created pod: " + PodOn("a").metadata.name,
                            "Normal SuccessfulCreate: Created pod: " + PodOn("b").metadata.name));

    RunPods();
    Pass(seconds(1));
    apps::v1::DaemonSetStatus expected;
    expected.observedGeneration = 1;
    expected.desiredNumberScheduled = expected.currentNumberScheduled = 2;
    expected.numberReady = expected.numberAvailable = expected.updatedNumberScheduled = 2;
    EXPECT_EQ(Get().status, expected);
    TakeSent();
    Pass(minutes(10));
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
}

TEST_F(DaemonSetTest, FollowsNodesThatComeAndGoAndChange) {
  CreateNodes("a");
  PlayIt([&] {
    DaemonSet set = Written();
    set.spec.template_.spec.nodeSelector["disk"] = "fast";
    Create(set);
    Pass(seconds(1));
    EXPECT_THAT(Placed(), IsEmpty());
    EXPECT_EQ(Get().status.observedGeneration, 1);

    ChangeNode("a", [](Node& node) { node.metadata.labels["disk"] = "fast"; });
    PassWithKubelets(2);
    EXPECT_THAT(Placed(), ElementsAre("a agent:1"));

    ChangeNode("a", [](Node& node) { node.metadata.labels["disk"] = "slow"; });
    PassWithKubelets(2);
    EXPECT_THAT(Placed(), IsEmpty());
    EXPECT_EQ(Get().status.desiredNumberScheduled, 0);

    CreateNode("b", {}, {{"disk", "fast"}});
    PassWithKubelets(2);
    EXPECT_THAT(Placed(), ElementsAre("b agent:1"));
  });
}

TEST_F(DaemonSetTest, TaintsKeepNewPodsOffAndDriveOthersOut) {
  CreateNodes("a");
  CreateNode("b", {TaintOf("dedicated", "NoSchedule")});
  CreateNode("c", {TaintOf("node.kubernetes.io/unschedulable", "NoSchedule"),
                   TaintOf("node.kubernetes.io/not-ready", "NoExecute")});
  PlayIt([&] {
    Create();
    PassWithKubelets(3);
    EXPECT_THAT(Placed(), ElementsAre("a agent:1", "c agent:1"));

    ChangeNode("a", [](Node& node) { node.spec.taints = {TaintOf("dedicated", "NoSchedule")}; });
    Change([](DaemonSet& set) { set.metadata.labels["touched"] = "yes"; });
    PassWithKubelets(3);
    EXPECT_THAT(Placed(), ElementsAre("a agent:1", "c agent:1"));
    EXPECT_EQ(Get().status.numberMisscheduled, 1);
    EXPECT_EQ(Get().status.desiredNumberScheduled, 1);

    // The one that was misplaced is not any more.
    ChangeNode("a", [](Node& node) { node.spec.taints.clear(); });
    PassWithKubelets(3);
    EXPECT_EQ(Get().status.numberMisscheduled, 0);

    ChangeNode("a", [](Node& node) { node.spec.taints = {TaintOf("dedicated", "NoExecute")}; });
    PassWithKubelets(3);
    EXPECT_THAT(Placed(), ElementsAre("c agent:1"));
  });
}

TEST_F(DaemonSetTest, ChangesOfANodeThatMeanNothingToItWakeNobody) {
  CreateNodes("a");
  const auto woken = [this] {
    const std::string text = metrics_.Text();
    const std::string name = "workqueue_adds_total{name=\"daemonset-node-updates\"} ";
    const std::size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
  };
  PlayIt([&] {
    Create();
    PassWithKubelets(2);
    const int before = woken();
    ChangeNode("a", [](Node& node) { node.metadata.annotations["note"] = "new"; });
    ChangeNode("a", [](Node& node) { node.spec.podCIDR = "10.0.0.0/24"; });
    Pass(seconds(1));
    EXPECT_EQ(woken(), before);
    ChangeNode("a", [](Node& node) { node.metadata.labels["zone"] = "east"; });
    Pass(seconds(1));
    EXPECT_EQ(woken(), before + 1);
  });
}

TEST_F(DaemonSetTest, ReplacesPodsOneNodeAfterTheOther) {
  CreateNodes("abc");
  PlayIt([&] {
    Create();
    PassWithKubelets(2);
    SetImage("agent:2");
    Pass(seconds(1));
    // The first is told to go, and nobody else until it has been replaced.
    EXPECT_THAT(Placed(), ElementsAre("-a agent:1", "b agent:1", "c agent:1"));
    Pass(seconds(30));
    EXPECT_THAT(Placed(), ElementsAre("-a agent:1", "b agent:1", "c agent:1"));
    RunPods();
    Pass(seconds(1));
    EXPECT_THAT(Placed(), ElementsAre("a agent:2", "b agent:1", "c agent:1"));
    RunPods();
    Pass(seconds(1));
    EXPECT_THAT(Placed(), ElementsAre("-b agent:1", "a agent:2", "c agent:1"));
    PassWithKubelets(6);
    EXPECT_THAT(Placed(), ElementsAre("a agent:2", "b agent:2", "c agent:2"));
    EXPECT_EQ(Get().status.updatedNumberScheduled, 3);
    EXPECT_EQ(Get().status.observedGeneration, 2);
    EXPECT_THAT(Revisions(), SizeIs(2));
  });
}

TEST_F(DaemonSetTest, ARestartIsAnUpdateLikeAnyOther) {
  CreateNodes("ab");
  PlayIt([&] {
    Create();
    PassWithKubelets(2);
    const std::string before = PodOn("a").metadata.uid;
    Change([](DaemonSet& set) {
      set.spec.template_.metadata.annotations["kubectl.kubernetes.io/restartedAt"] = "now";
    });
    PassWithKubelets(8);
    EXPECT_THAT(Placed(), ElementsAre("a agent:1", "b agent:1"));
    EXPECT_NE(PodOn("a").metadata.uid, before);
    EXPECT_EQ(*PodOn("b").metadata.annotations.find("kubectl.kubernetes.io/restartedAt"), "now");
    EXPECT_EQ(Get().status.updatedNumberScheduled, 2);
  });
}

TEST_F(DaemonSetTest, SurgesWithNewPodsBesideOldOnes) {
  CreateNodes("ab");
  PlayIt([&] {
    DaemonSet set = Written();
    set.spec.updateStrategy = Surging(1).spec.updateStrategy;
    Create(set);
    PassWithKubelets(2);
    SetImage("agent:2");
    Pass(seconds(1));
    EXPECT_THAT(Placed(), ElementsAre("a agent:1", "a agent:2", "b agent:1"));
    RunPods();
    Pass(seconds(1));
    // The new one is there, so that the old one goes and the next may come.
    EXPECT_THAT(Placed(), ElementsAre("-a agent:1", "a agent:2", "b agent:1", "b agent:2"));
    PassWithKubelets(4);
    EXPECT_THAT(Placed(), ElementsAre("a agent:2", "b agent:2"));
    EXPECT_EQ(Get().status.numberAvailable, 2);
  });
}

TEST_F(DaemonSetTest, OnDeleteWaitsForSomebodyToDeleteThem) {
  CreateNodes("ab");
  PlayIt([&] {
    DaemonSet set = Written();
    set.spec.updateStrategy.type = "OnDelete";
    Create(set);
    PassWithKubelets(2);
    SetImage("agent:2");
    PassWithKubelets(5);
    EXPECT_THAT(Placed(), ElementsAre("a agent:1", "b agent:1"));
    EXPECT_EQ(Get().status.updatedNumberScheduled, 0);
    EXPECT_TRUE(All<Pod>().Delete({"default", PodOn("b").metadata.name}));
    PassWithKubelets(3);
    EXPECT_THAT(Placed(), ElementsAre("a agent:1", "b agent:2"));
    EXPECT_EQ(Get().status.updatedNumberScheduled, 1);
  });
}

TEST_F(DaemonSetTest, WaitsUntilPodsHaveBeenReadyForLongEnough) {
  CreateNodes("ab");
  PlayIt([&] {
    DaemonSet set = Written();
    set.spec.minReadySeconds = 30;
    Create(set);
    Pass(seconds(1));
    RunPods();
    Pass(seconds(29));
    EXPECT_EQ(Get().status.numberReady, 2);
    EXPECT_EQ(Get().status.numberAvailable, 0);
    Pass(seconds(2));
    EXPECT_EQ(Get().status.numberAvailable, 2);

    SetImage("agent:2");
    PassWithKubelets(28);
    EXPECT_THAT(Placed(), ElementsAre("a agent:2", "b agent:1"));
    PassWithKubelets(40);
    EXPECT_THAT(Placed(), ElementsAre("a agent:2", "b agent:2"));
  });
}

TEST_F(DaemonSetTest, AFailedPodIsReplacedAtOnceAndThenMoreAndMoreRarely) {
  CreateNodes("a");
  PlayIt([&] {
    Create();
    Pass(seconds(1));
    std::vector<int> replaced_after;
    int waited = 0;
    std::string last;
    for (int second = 0; second < 40; ++second) {
      if (const auto pods = Pods(); !pods.empty() && pods[0].status.phase != "Failed") {
        if (!last.empty()) replaced_after.push_back(std::exchange(waited, 0));
        last = pods[0].metadata.name;
        Bind(pods[0]);
        SetPhase(pods[0], "Failed", false);
      }
      Pass(milliseconds(500));
      EndPods();
      Pass(milliseconds(500));
      ++waited;
    }
    ASSERT_GE(replaced_after.size(), 4);
    EXPECT_EQ(replaced_after[0], 1);
    EXPECT_TRUE(std::ranges::is_sorted(replaced_after));
    EXPECT_LE(replaced_after.size(), 6);
    EXPECT_THAT(events_.lines(),
                testing::Contains(testing::AllOf(
                    StartsWith("Warning FailedDaemonPod: Found failed daemon pod default/agent-"),
                    testing::EndsWith(" on node a, will try to kill it"))));
  });
}

TEST_F(DaemonSetTest, APodThatHasSucceededIsReplaced) {
  CreateNodes("a");
  PlayIt([&] {
    Create();
    PassWithKubelets(2);
    const Pod pod = PodOn("a");
    SetPhase(pod, "Succeeded", false);
    Pass(seconds(1));
    EXPECT_THAT(events_.lines(),
                testing::Contains("Normal SucceededDaemonPod: Found succeeded daemon pod default/" +
                                  pod.metadata.name + " on node a, will try to delete it"));
    PassWithKubelets(3);
    EXPECT_NE(PodOn("a").metadata.name, pod.metadata.name);
  });
}

TEST_F(DaemonSetTest, PodsForANodeThatIsGoneAreRemovedBeforeTheyAreBound) {
  CreateNodes("ab");
  PlayIt([&] {
    Create();
    Pass(seconds(1));
    EXPECT_THAT(Placed(), SizeIs(2));
    EXPECT_TRUE(All<Node>().Delete({"", "b"}));
    Pass(seconds(1));
    Bind(PodOn("a"));  // something has to bring it back
    Pass(seconds(1));
    EXPECT_THAT(Placed(), ElementsAre("a agent:1"));
  });
}

TEST_F(DaemonSetTest, AdoptsPodsThatNobodyHasAndLetsOthersGo) {
  CreateNodes("a");
  Pod free;
  free.metadata.namespace_ = "default";
  free.metadata.name = "free";
  free.metadata.labels = {{"app", "agent"}};
  free.spec = Agent().spec.template_.spec;
  free.spec.nodeName = "a";
  Must(All<Pod>().Create(free));
  PlayIt([&] {
    DaemonSet set = Written();
    set.spec.updateStrategy.type = "OnDelete";
    set = Create(set);
    Pass(seconds(1));
    EXPECT_THAT(TakeWrites(), ElementsAre(std::string("PATCH ") + kPods + "/free",
                                          std::string("POST ") + kRevisions));
    EXPECT_EQ(PodOn("a").metadata.ownerReferences[0].uid, set.metadata.uid);

    Must(All<Pod>().Patch({"default", "free"}, client::Patch::Merge(*api::Json::Parse(
                                                   R"({"metadata":{"labels":{"app":"x"}}})"))));
    Pass(seconds(1));
    EXPECT_THAT(TakeWrites(),
                ElementsAre(std::string("PATCH ") + kPods + "/free", std::string("POST ") + kPods));
  });
}

TEST_F(DaemonSetTest, AQuotaThatIsUsedUpCostsFewRequestsAndIsTold) {
  CreateNodes("abcdefghij");
  const auto refused =
      faults_.On(Requests::Creates().Of("pods"))
          .After(3)
          .Refuse(sandbox::Forbidden({"", "pods"}, "agent-x", "exceeded quota: small"));
  PlayIt([&] {
    Create();
    Pass(milliseconds(3));
    // One, two, and then four of which none got through.
    std::vector<std::string> writes = TakeWrites();
    EXPECT_THAT(writes, SizeIs(8));
    std::vector<std::string> failures = events_.lines();
    std::erase_if(failures, [](const std::string& line) { return line.starts_with("Normal"); });
    EXPECT_THAT(failures, SizeIs(4));
    EXPECT_THAT(failures, Each("Warning FailedCreate: Error creating: pods \"agent-x\" is "
                               "forbidden: exceeded quota: small"));
    EXPECT_EQ(Get().status.desiredNumberScheduled, 10);

    Pass(seconds(60));
    const std::size_t tries = TakeWrites().size();
    EXPECT_GE(tries, 8);
    EXPECT_LE(tries, 20);
    faults_.LiftAll();
    Pass(seconds(100));
    EXPECT_THAT(Placed(), SizeIs(10));
  });
}

TEST_F(DaemonSetTest, MakesNoMoreThanABurstBeforeItHasSeenThem) {
  for (int i = 0; i < 300; ++i) CreateNode("node-" + std::to_string(i));
  PlayIt([&] {
    auto held = faults_.OnEvents(Requests::Watches().Of("pods")).Hold();
    Create();
    Pass(seconds(5));
    EXPECT_THAT(Pods(), SizeIs(250));
    held.Lift();
    Pass(seconds(5));
    EXPECT_THAT(Pods(), SizeIs(300));
  });
}

TEST_F(DaemonSetTest, ASetThatIsBeingDeletedDoesNothing) {
  CreateNodes("ab");
  PlayIt([&] {
    Create();
    PassWithKubelets(2);
    meta::v1::DeleteOptions foreground;
    foreground.propagationPolicy = "Foreground";
    EXPECT_TRUE(All<DaemonSet>().Delete({"default", "agent"}, foreground));
    Pass(seconds(1));
    TakeSent();
    EXPECT_TRUE(All<Pod>().Delete({"default", PodOn("a").metadata.name}));
    PassWithKubelets(2);
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(DaemonSetTest, ANamespaceThatGoesIsNobodysFault) {
  CreateNodes("a");
  PlayIt([&] {
    CreateNamespace("team");
    DaemonSet set = Written();
    set.metadata.namespace_ = "team";
    set.spec.template_.spec.nodeSelector["disk"] = "fast";
    Create(set);
    Pass(seconds(1));
    EXPECT_TRUE(All<core::v1::Namespace>().Delete({"", "team"}));
    TakeSent();
    ChangeNode("a", [](Node& node) { node.metadata.labels["disk"] = "fast"; });
    Pass(seconds(29));
    const std::string attempt = "POST /api/v1/namespaces/team/pods";
    EXPECT_THAT(TakeWrites(), ElementsAre(attempt));
    Pass(seconds(60));  // the server may not have known of a new namespace
    EXPECT_THAT(TakeWrites(), ElementsAre(attempt, attempt));
    EXPECT_THAT(events_.lines(), IsEmpty());
  });
}

TEST_F(DaemonSetTest, ALostAnswerMakesNoPodTooMany) {
  CreateNodes("abcd");
  const auto lost = faults_.On(Requests::Creates().Of("pods")).Every(2).Times(2).LoseAnswer();
  PlayIt([&] {
    Create();
    Pass(seconds(200));
    EXPECT_THAT(Placed(), ElementsAre("a agent:1", "b agent:1", "c agent:1", "d agent:1"));
    EXPECT_THAT(TakeWrites(), SizeIs(5));
  });
  EXPECT_EQ(lost.count(), 2);
}

TEST_F(DaemonSetTest, ACacheThatIsBehindMakesNoPodTooManyNorTakesOneTooFew) {
  CreateNodes("abc");
  PlayIt([&] {
    auto held = faults_.OnEvents(Requests::Watches().Of("pods")).Hold();
    Create();
    Pass(seconds(5));
    Change([](DaemonSet& set) { set.metadata.labels["touched"] = "yes"; });
    Pass(seconds(5));
    EXPECT_THAT(Pods(), SizeIs(3));
    held.Lift();
    Pass(seconds(1));
    EXPECT_THAT(metrics_.Text(), HasSubstr("daemonset_controller_stale_sync_skips_total{group=\"\","
                                           "resource=\"pods\"} 1\n"));
    PassWithKubelets(2);
    held = faults_.OnEvents(Requests::Watches().Of("pods")).Hold();
    SetImage("agent:2");
    Pass(seconds(5));
    Change([](DaemonSet& set) { set.metadata.labels["touched"] = "again"; });
    Pass(seconds(5));
    EXPECT_THAT(Placed(), ElementsAre("-a agent:1", "b agent:1", "c agent:1"));
    held.Lift();
    PassWithKubelets(10);
    EXPECT_THAT(Placed(), ElementsAre("a agent:2", "b agent:2", "c agent:2"));
  });
}

TEST_F(DaemonSetTest, AStatusThatSomebodyElseOvertakesIsWrittenOnceMore) {
  PlayIt([&] {
    faults_.On(Requests::Updates().Of("daemonsets/status")).Once().Interrupt([this](const auto&) {
      Change([](DaemonSet& set) { set.metadata.annotations["touched"] = "yes"; });
    });
    Create();
    Pass(seconds(1));
    EXPECT_EQ(Get().status.observedGeneration, 1);
    EXPECT_EQ(*Get().metadata.annotations.find("touched"), "yes");
  });
}

}  // namespace
}  // namespace flyball::controllers::daemon_set
