#include "flyball/controllers/stateful_set/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/json_decode.h"
#include "flyball/api/names.h"
#include "flyball/api/template_hash.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/stateful_set/internal/controller_test_fixture.h"

namespace flyball::controllers::stateful_set {
namespace {

using sandbox::Requests;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class StatefulSetTest : public StatefulSetFixture {};

TEST_F(StatefulSetTest, APodOfNobodyThatStoodInTheWayIsFollowedAtOnce) {
  PlayIt([&] {
    Pod stranger;
    stranger.metadata.namespace_ = "default";
    stranger.metadata.name = "db-0";
    auto& container = stranger.spec.containers.emplace_back();
    container.name = "only";
    container.image = "stranger:1";
    Must(All<Pod>().Create(stranger));
    Create(Db(1));
    Pass(hours(1));  // the back-off grows with every failure
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 stranger:1"));
    DeletePod("db-0");
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1"));
  });
}

TEST_F(StatefulSetTest, MakesARevisionAndTheFirstPodAndSaysSo) {
  PlayIt([&] {
    StatefulSet set = Create(Db(2));
    const auto sent = TakeSent();
    ASSERT_THAT(sent, SizeIs(4));

    const std::string data =
        Must(api::RevisionData(set.spec.template_, api::RevisionOwner::kStatefulSet));
    const std::string hash = api::RevisionHash(data, 0);
    Revision revision;
    revision.kind = "ControllerRevision";
    revision.apiVersion = "apps/v1";
    revision.metadata.namespace_ = "default";
    revision.metadata.name = "db-" + hash;
    revision.metadata.labels = {{"app", "db"}, {"controller.kubernetes.io/hash", hash}};
    revision.metadata.ownerReferences = {common::ControllerRefTo(set)};
    revision.revision = 1;
    revision.data.raw = data;
    EXPECT_EQ(sent[0].request, "POST " + kRevisions);
    EXPECT_EQ(Must(api::DecodeJson<Revision>(sent[0].body)), revision);

    Pod pod = MakePod(set, revision.metadata.name, 0);
    pod.kind = "Pod";
    pod.apiVersion = "v1";
    EXPECT_EQ(sent[1].request, "POST " + kPods);
    EXPECT_EQ(Must(api::DecodeJson<Pod>(sent[1].body)), pod);

    // What is counted is what the cache shows: nothing at first, then the pod.
    set.kind = "StatefulSet";
    set.apiVersion = "apps/v1";
    set.metadata.managedFields.clear();
    set.status.observedGeneration = 1;
    set.status.currentRevision = set.status.updateRevision = revision.metadata.name;
    set.status.collisionCount = 0;
    EXPECT_EQ(sent[2].request, kStatus);
    EXPECT_EQ(Must(api::DecodeJson<StatefulSet>(sent[2].body)), set);
    set.status.replicas = set.status.currentReplicas = set.status.updatedReplicas = 1;
    EXPECT_EQ(sent[3].request, kStatus);
    EXPECT_EQ(Get().status, set.status);
    EXPECT_THAT(
        events_.lines(),
        ElementsAre("Normal SuccessfulCreate: Create Pod db-0 in StatefulSet db successful"));
    EXPECT_EQ(events_.recorded().at(0).about, runtime::ReferenceTo(set));
  });
}

TEST_F(StatefulSetTest, MakesEachPodWhenTheOneBeforeItIsReady) {
  PlayIt([&] {
    Create(Db(3));
    EXPECT_THAT(Pods(), SizeIs(1));
    SetPhase("db-0", "Running");
    EXPECT_THAT(Pods(), SizeIs(1));
    Run("db-0");
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1", "db-1 db:1"));
    Run("db-1");
    Run("db-2");
    const auto status = Get().status;
    EXPECT_EQ(status.replicas, 3);
    EXPECT_EQ(status.readyReplicas, 3);
    EXPECT_EQ(status.availableReplicas, 3);
    EXPECT_EQ(status.currentReplicas, 3);
    TakeRequests();
    Pass(hours(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());  // it is at rest
  });
}

TEST_F(StatefulSetTest, WaitsUntilAPodHasBeenReadyForLongEnough) {
  PlayIt([&] {
    StatefulSet set = Db(2);
    set.spec.minReadySeconds = 10;
    Create(set);
    Pass(milliseconds(500));
    Run("db-0");
    Pass(seconds(9));
    EXPECT_THAT(Pods(), SizeIs(1));
    EXPECT_EQ(Get().status.readyReplicas, 1);
    EXPECT_EQ(Get().status.availableReplicas, 0);
    Pass(seconds(1));
    EXPECT_THAT(Pods(), SizeIs(2));
    EXPECT_EQ(Get().status.availableReplicas, 1);
  });
}

TEST_F(StatefulSetTest, MakesAllPodsAtOnceIfItMay) {
  PlayIt([&] {
    StatefulSet set = WithClaim(Parallel(Db(4)));
    set.spec.ordinals.emplace().start = 3;
    Create(set);
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-3 db:1", "db-4 db:1", "db-5 db:1", "db-6 db:1"));
    // In batches that grow; each pod after its claim.
    EXPECT_THAT(TakeWrites(), ElementsAre("POST " + kRevisions, "POST " + kClaims, "POST " + kPods,
                                          "POST " + kClaims, "POST " + kClaims, "POST " + kPods,
                                          "POST " + kPods, "POST " + kClaims, "POST " + kPods));
  });
}

TEST_F(StatefulSetTest, MakesClaimsBeforeTheirPodAndKeepsThem) {
  PlayIt([&] {
    const StatefulSet set = Create(WithClaim(WithClaim(Db(1)), "", "", "logs"));
    EXPECT_THAT(
        events_.lines(),
        ElementsAre("Normal SuccessfulCreate: Create Claim data-db-0 Pod db-0 in StatefulSet db "
                    "success",
                    "Normal SuccessfulCreate: Create Claim logs-db-0 Pod db-0 in StatefulSet db "
                    "success",
                    "Normal SuccessfulCreate: Create Pod db-0 in StatefulSet db successful"));
    auto expected = ClaimsFor(set, 0)[0];
    const auto sent = TakeSent();
    ASSERT_GE(sent.size(), 2);
    expected.kind = "PersistentVolumeClaim";
    expected.apiVersion = "v1";
    EXPECT_EQ(Must(api::DecodeJson<Claim>(sent[1].body)), expected);
    EXPECT_THAT(ClaimsAndOwners(), ElementsAre("data-db-0", "logs-db-0"));
    ScaleTo(0);
    EXPECT_THAT(Pods(), IsEmpty());
    EXPECT_THAT(ClaimsAndOwners(), ElementsAre("data-db-0", "logs-db-0"));
    ScaleTo(1);
    EXPECT_THAT(TakeWrites(), Not(Contains("POST " + kClaims)));
    EXPECT_THAT(Pods(), SizeIs(1));
  });
}

TEST_F(StatefulSetTest, APodThatIsPendingHasAClaimMadeAgainThatSomebodyDeleted) {
  PlayIt([&] {
    Create(WithClaim(Db(1)));
    Claim claim = ClaimNamed("data-db-0");
    DeleteClaim("data-db-0");
    EXPECT_NE(ClaimNamed("data-db-0").metadata.uid, claim.metadata.uid);
  });
}

TEST_F(StatefulSetTest, ReplacesPodsThatHaveEnded) {
  PlayIt([&] {
    Create(Db(2));
    RunAll();
    const std::string uid = PodNamed("db-0").metadata.uid;
    TakeWrites();
    SetPhase("db-0", "Failed");
    EXPECT_THAT(TakeWrites(), ElementsAre("DELETE " + kPods + "/db-0", "POST " + kPods));
    EXPECT_NE(PodNamed("db-0").metadata.uid, uid);
    Run("db-0");
    SetPhase("db-1", "Succeeded");
    EXPECT_THAT(TakeWrites(), ElementsAre("DELETE " + kPods + "/db-1", "POST " + kPods));
    EXPECT_THAT(events_.lines(),
                Contains("Normal SuccessfulDelete: Delete Pod db-0 in StatefulSet db successful"));
  });
}

TEST_F(StatefulSetTest, ScalesDownFromTheLastAndOnlyWhileAllIsWell) {
  PlayIt([&] {
    Create(Db(3));
    RunAll();
    SetPhase("db-0", "Running");  // no longer ready
    TakeWrites();
    ScaleTo(1);
    EXPECT_THAT(TakeWrites(), IsEmpty());
    Run("db-0");
    EXPECT_THAT(TakeWrites(),
                ElementsAre("DELETE " + kPods + "/db-2", "DELETE " + kPods + "/db-1"));
    EXPECT_EQ(Get().status.replicas, 1);
  });
}

TEST_F(StatefulSetTest, ClaimsGoWithThePodsThatAreScaledAwayIfThatIsThePolicy) {
  PlayIt([&] {
    Create(WithClaim(Db(2), "Delete", "Delete"));
    RunAll();
    EXPECT_THAT(ClaimsAndOwners(),
                ElementsAre("data-db-0 StatefulSet/db", "data-db-1 StatefulSet/db"));
    TakeWrites();
    ScaleTo(1);
    // Its claim is the pod's before the pod goes.
    EXPECT_THAT(TakeWrites(),
                ElementsAre("PUT " + kClaims + "/data-db-1", "DELETE " + kPods + "/db-1"));
    EXPECT_THAT(ClaimsAndOwners(), ElementsAre("data-db-0 StatefulSet/db", "data-db-1 Pod/db-1"));

    // Another pod waits until the claim has gone, too, and is made at once then.
    ScaleTo(2);
    Pass(hours(1));
    EXPECT_THAT(Pods(), SizeIs(1));
    DeleteClaim("data-db-1");
    EXPECT_THAT(Pods(), SizeIs(2));
    EXPECT_THAT(ClaimsAndOwners(),
                ElementsAre("data-db-0 StatefulSet/db", "data-db-1 StatefulSet/db"));
    EXPECT_THAT(TakeWrites(), Not(Contains(StartsWith("DELETE " + kClaims))));
  });
}

TEST_F(StatefulSetTest, ClaimsAreLetGoWhenThePolicyChanges) {
  PlayIt([&] {
    Create(WithClaim(Db(1), "Retain", "Delete"));
    RunAll();
    EXPECT_THAT(ClaimsAndOwners(), ElementsAre("data-db-0 StatefulSet/db"));
    Change([](StatefulSet& set) {
      set.spec.persistentVolumeClaimRetentionPolicy->whenDeleted = "Retain";
    });
    EXPECT_THAT(ClaimsAndOwners(), ElementsAre("data-db-0"));
    EXPECT_THAT(events_.lines(),
                Contains("Normal SuccessfulUpdate: Update Pod db-0 in StatefulSet db successful"));
  });
}

TEST_F(StatefulSetTest, AClaimThatAnotherControlsIsLeftToItAndToldOf) {
  PlayIt([&] {
    Claim claim = ClaimsFor(WithClaim(Db(1)), 0)[0];
    claim.metadata.ownerReferences = {Controls("Backup", "nightly", "uid-of-nightly")};
    Must(All<Claim>().Create(claim));
    Create(WithClaim(Db(1), "Retain", "Delete"));
    EXPECT_THAT(ClaimsAndOwners(), ElementsAre("data-db-0 Backup/nightly"));
    EXPECT_THAT(
        events_.lines(),
        Contains(
            "Warning ConflictingController: PersistentVolumeClaim data-db-0 has a conflicting "
            "OwnerReference that acts as a manging controller, the retention policy is ignored "
            "for this claim"));
  });
}

TEST_F(StatefulSetTest, MendsTheLabelsOfAPod) {
  PlayIt([&] {
    Create(Db(1));
    RunAll();
    TakeSent();
    Pod pod = PodNamed("db-0");
    pod.metadata.labels.erase("statefulset.kubernetes.io/pod-name");
    pod.metadata.labels.erase("apps.kubernetes.io/pod-index");
    pod.metadata.annotations["note"] = "kept";
    Must(All<Pod>().Update(pod));
    Settle();
    const auto sent = TakeSent();
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0].request, "PATCH " + kPods + "/db-0");
    EXPECT_EQ(sent[0].body, R"({"metadata":{"labels":{"apps.kubernetes.io/pod-index":"0",)"
                            R"("statefulset.kubernetes.io/pod-name":"db-0"},"uid":")" +
                                pod.metadata.uid + "\"}}");
    pod = PodNamed("db-0");
    EXPECT_EQ(pod.metadata.labels["statefulset.kubernetes.io/pod-name"], "db-0");
    EXPECT_EQ(pod.metadata.labels["apps.kubernetes.io/pod-index"], "0");
    EXPECT_EQ(pod.metadata.annotations["note"], "kept");
    EXPECT_THAT(events_.lines(),
                Contains("Normal SuccessfulUpdate: Update Pod db-0 in StatefulSet db successful"));
  });
}

TEST_F(StatefulSetTest, AdoptsPodsThatAreCalledRightAndLetsOthersGo) {
  PlayIt([&] {
    Pod orphan = MakePod(Db(1), "other", 0);
    orphan.metadata.ownerReferences.clear();
    const std::string uid = Must(All<Pod>().Create(orphan)).metadata.uid;
    Pod stranger = orphan;
    stranger.metadata.name = "stranger";
    Must(All<Pod>().Create(stranger));
    StatefulSet set = Parallel(Db(2));
    set.spec.updateStrategy.type = "OnDelete";
    set.spec.updateStrategy.rollingUpdate.reset();
    set = Create(set);
    EXPECT_EQ(PodNamed("db-0").metadata.uid, uid);
    EXPECT_EQ(PodNamed("db-0").metadata.ownerReferences, std::vector{common::ControllerRefTo(set)});
    EXPECT_THAT(PodNamed("stranger").metadata.ownerReferences, IsEmpty());
    EXPECT_THAT(Pods(), SizeIs(3));

    // One that it controls, and that is not called as its pods are, is none of its.
    stranger = PodNamed("stranger");
    stranger.metadata.ownerReferences = {common::ControllerRefTo(set)};
    Must(All<Pod>().Update(stranger));
    Settle();
    EXPECT_THAT(PodNamed("stranger").metadata.ownerReferences, IsEmpty());
    // Nor one that no longer has the labels; another cannot be made in its place.
    Pod released = PodNamed("db-1");
    released.metadata.labels["app"] = "other";
    Must(All<Pod>().Update(released));
    Settle();
    EXPECT_THAT(PodNamed("db-1").metadata.ownerReferences, IsEmpty());
  });
}

TEST_F(StatefulSetTest, ASetThatGoesOnlyHasItsStatusWritten) {
  PlayIt([&] {
    StatefulSet set = Db(2);
    set.metadata.finalizers = {"example.com/wait"};
    Create(set);
    RunAll();
    ASSERT_TRUE(All<StatefulSet>().Delete({"default", "db"}));
    Settle();
    TakeWrites();
    SetPhase("db-0", "Failed");
    EXPECT_THAT(TakeWrites(), IsEmpty());
    EXPECT_EQ(Get().status.readyReplicas, 1);
  });
}

TEST_F(StatefulSetTest, APodThatTheServerRefusesIsToldOfAndTriedLaterAndLater) {
  PlayIt([&] {
    Refuse("POST " + kPods, 403, "Forbidden", "exceeded quota");
    Create(Db(1));
    Pass(hours(1));
    EXPECT_THAT(events_.lines(),
                Each("Warning FailedCreate: Create Pod db-0 in StatefulSet db failed error: "
                     "exceeded quota"));
    const auto requests = TakeRequests();
    EXPECT_LT(std::ranges::count(requests, "POST " + kPods), 25);
    EXPECT_GT(std::ranges::count(requests, "POST " + kPods), 5);
    EXPECT_EQ(std::ranges::count(requests, kStatus), 1);
  });
}

TEST_F(StatefulSetTest, AClaimThatTheServerRefusesIsToldOfAndNoPodIsMade) {
  PlayIt([&] {
    Refuse("POST " + kClaims, 403, "Forbidden", "exceeded quota");
    Create(WithClaim(WithClaim(Db(1)), "", "", "logs"));
    const auto lines = events_.lines();
    ASSERT_GE(lines.size(), 3);
    EXPECT_EQ(lines[0],
              "Warning FailedCreate: Create Claim data-db-0 for Pod db-0 in StatefulSet db failed "
              "error: exceeded quota");
    EXPECT_EQ(lines[1],
              "Warning FailedCreate: Create Claim logs-db-0 for Pod db-0 in StatefulSet db failed "
              "error: exceeded quota");
    EXPECT_EQ(lines[2],
              "Warning FailedCreate: Create Pod db-0 in StatefulSet db failed error: [failed to "
              "create PVC data-db-0: exceeded quota, failed to create PVC logs-db-0: exceeded "
              "quota]");
    EXPECT_THAT(TakeWrites(), Not(Contains("POST " + kPods)));
  });
}

TEST_F(StatefulSetTest, InANamespaceThatGoesNobodyInsists) {
  PlayIt([&] {
    Refuse("POST " + kPods, 403, "Forbidden", "it is being terminated",
           R"({"causes":[{"reason":"NamespaceTerminating","message":"it goes"}]})");
    Create(Db(1));
    Pass(seconds(29));
    const auto requests = TakeRequests();
    EXPECT_EQ(std::ranges::count(requests, "POST " + kPods), 1);
    EXPECT_THAT(events_.lines(), IsEmpty());
    answer_instead_ = nullptr;
    Pass(seconds(5));
    EXPECT_THAT(Pods(), SizeIs(1));
  });
}

TEST_F(StatefulSetTest, AnswersThatAreLostMakeNoSecondPod) {
  PlayIt([&] {
    const auto lost = faults_.On(Requests::Writes()).Every(5).LoseAnswer();
    Create(WithClaim(Parallel(Db(5)), "Delete", "Delete"));
    for (int i = 0; i < 5; ++i) {
      RunAll();
      Pass(hours(1));  // the back-off grows with every failure
    }
    EXPECT_THAT(Pods(), SizeIs(5));
    EXPECT_EQ(Get().status.readyReplicas, 5);
    EXPECT_THAT(Revisions(), SizeIs(1));
    EXPECT_THAT(ClaimsAndOwners(), Each(HasSubstr("StatefulSet/db")));
  });
}

TEST_F(StatefulSetTest, CountsThoseThatAreUnavailable) {
  PlayIt([&] {
    StatefulSet set = Parallel(Db(3));
    set.spec.updateStrategy.rollingUpdate->maxUnavailable = api::IntOrString("70%");
    Create(set);
    Run("db-0");
    const std::string labels =
        R"({pod_management_policy="Parallel",statefulset_name="db",statefulset_namespace="default"})";
    EXPECT_THAT(metrics_.Text(),
                HasSubstr("statefulset_controller_statefulset_max_unavailable" + labels + " 2\n"));
    EXPECT_THAT(
        metrics_.Text(),
        HasSubstr("statefulset_controller_statefulset_unavailable_replicas" + labels + " 2\n"));
  });
}

}  // namespace
}  // namespace flyball::controllers::stateful_set
