#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/template_hash.h"
#include "flyball/controllers/stateful_set/internal/controller_test_fixture.h"

/// How sets come to another template, on an embedded server.
namespace flyball::controllers::stateful_set {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class StatefulSetRolloutTest : public StatefulSetFixture {
 protected:
  /// One after the other, what is new is ready.
  void RunAndRoll() {
    for (int i = 0; i < 10; ++i) {
      RunAll();
      Settle();
    }
  }
  /// Each as "1 db:1", the number and the image.
  std::vector<std::string> History() {
    std::vector<std::string> history;
    for (const Revision& revision : Revisions()) {
      const std::string& data = revision.data.raw;
      const auto at = data.find("db:");
      history.push_back(std::to_string(revision.revision) + " " +
                        (at == std::string::npos ? "?" : data.substr(at, 4)));
    }
    return history;
  }
};

TEST_F(StatefulSetRolloutTest, PodsAreReplacedOneByOneFromTheLast) {
  PlayIt([&] {
    Create(Db(3));
    RunAll();
    const std::string old = Get().status.currentRevision;
    TakeWrites();
    SetImage("db:2");
    EXPECT_THAT(TakeWrites(),
                ElementsAre("POST " + kRevisions, "DELETE " + kPods + "/db-2", "POST " + kPods));
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1", "db-1 db:1", "db-2 db:2"));
    auto status = Get().status;
    EXPECT_EQ(status.currentRevision, old);
    EXPECT_NE(status.updateRevision, old);
    EXPECT_EQ(status.currentReplicas, 2);
    EXPECT_EQ(status.updatedReplicas, 1);
    Pass(seconds(60));
    EXPECT_THAT(TakeWrites(), IsEmpty());  // until it is ready
    Run("db-2");
    EXPECT_THAT(TakeWrites(), ElementsAre("DELETE " + kPods + "/db-1", "POST " + kPods));
    RunAndRoll();
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:2", "db-1 db:2", "db-2 db:2"));
    status = Get().status;
    EXPECT_EQ(status.currentRevision, status.updateRevision);
    EXPECT_EQ(status.currentReplicas, 3);
    EXPECT_EQ(status.updatedReplicas, 3);
    EXPECT_THAT(History(), ElementsAre("1 db:1", "2 db:2"));
  });
}

TEST_F(StatefulSetRolloutTest, ARollBackMakesTheOldRevisionTheLatest) {
  PlayIt([&] {
    Create(Db(1));
    RunAll();
    const std::string first = Get().status.currentRevision;
    SetImage("db:2");
    RunAndRoll();
    SetImage("db:1");
    RunAndRoll();
    EXPECT_THAT(History(), ElementsAre("2 db:2", "3 db:1"));
    EXPECT_EQ(Get().status.currentRevision, first);
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1"));
  });
}

TEST_F(StatefulSetRolloutTest, WhatIsBelowThePartitionStaysAndIsMadeAgainAsItWas) {
  PlayIt([&] {
    StatefulSet set = Db(3);
    set.spec.updateStrategy.rollingUpdate->partition = 2;
    Create(set);
    RunAll();
    SetImage("db:2");
    RunAndRoll();
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1", "db-1 db:1", "db-2 db:2"));
    DeletePod("db-0");
    RunAndRoll();
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1", "db-1 db:1", "db-2 db:2"));
    auto status = Get().status;
    EXPECT_NE(status.currentRevision, status.updateRevision);
    EXPECT_EQ(status.currentReplicas, 2);
    EXPECT_EQ(status.updatedReplicas, 1);
    Change([](StatefulSet& its) { its.spec.updateStrategy.rollingUpdate->partition = 0; });
    RunAndRoll();
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:2", "db-1 db:2", "db-2 db:2"));
  });
}

TEST_F(StatefulSetRolloutTest, AsManyAreReplacedAtATimeAsMayBeUnavailable) {
  PlayIt([&] {
    StatefulSet set = Parallel(Db(4));
    set.spec.updateStrategy.rollingUpdate->maxUnavailable = api::IntOrString(2);
    Create(set);
    RunAll();
    TakeWrites();
    SetImage("db:2");
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1", "db-1 db:1", "db-2 db:2", "db-3 db:2"));
    RunAndRoll();
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:2", "db-1 db:2", "db-2 db:2", "db-3 db:2"));
  });
}

TEST_F(StatefulSetRolloutTest, OnDeleteLeavesItToPeople) {
  PlayIt([&] {
    StatefulSet set = Db(2);
    set.spec.updateStrategy.type = "OnDelete";
    set.spec.updateStrategy.rollingUpdate.reset();
    Create(set);
    RunAll();
    SetImage("db:2");
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1", "db-1 db:1"));
    DeletePod("db-0");
    RunAndRoll();
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:2", "db-1 db:1"));
    EXPECT_EQ(Get().status.updatedReplicas, 1);
  });
}

TEST_F(StatefulSetRolloutTest, APodThatNeverGetsReadyHoldsTheRolloutUp) {
  PlayIt([&] {
    Create(Db(2));
    RunAll();
    SetImage("db:2");
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1", "db-1 db:2"));
    // PARITY: not even another template helps before somebody deletes the pod.
    SetImage("db:3");
    Pass(seconds(60));
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:1", "db-1 db:2"));
    DeletePod("db-1");
    RunAndRoll();
    EXPECT_THAT(PodsAndImages(), ElementsAre("db-0 db:3", "db-1 db:3"));
    EXPECT_THAT(History(), ElementsAre("1 db:1", "2 db:2", "3 db:3"));
  });
}

TEST_F(StatefulSetRolloutTest, TheHistoryIsCutToItsLimit) {
  PlayIt([&] {
    StatefulSet set = Db(1);
    set.spec.revisionHistoryLimit = 1;
    Create(set);
    RunAll();
    for (const char* const image : {"db:2", "db:3", "db:4"}) {
      SetImage(image);
      RunAndRoll();
    }
    EXPECT_THAT(History(), ElementsAre("3 db:3", "4 db:4"));
  });
}

TEST_F(StatefulSetRolloutTest, ARevisionOfTheSameNameIsCountedAsACollision) {
  PlayIt([&] {
    // What the server makes of it tells the name that its next revision is going to have.
    StatefulSet set = Create(Db(0));
    set.spec.template_.spec.containers[0].image = "db:2";
    const std::string data =
        Must(api::RevisionData(set.spec.template_, api::RevisionOwner::kStatefulSet));
    Revision other;
    other.metadata.namespace_ = "default";
    other.metadata.name = "db-" + api::RevisionHash(data, 0);
    other.data.raw = R"({"other":1})";
    other.revision = 1;
    Must(All<Revision>().Create(other));
    SetImage("db:2");
    EXPECT_EQ(Get().status.collisionCount, 1);
    EXPECT_EQ(Get().status.updateRevision, "db-" + api::RevisionHash(data, 1));
  });
}

TEST_F(StatefulSetRolloutTest, OrphanedRevisionsAreAdopted) {
  PlayIt([&] {
    Create(Db(1));
    Revision revision = Revisions()[0];
    revision.metadata.ownerReferences.clear();
    Must(All<Revision>().Update(revision));
    Settle();
    ScaleTo(2);
    EXPECT_THAT(Revisions()[0].metadata.ownerReferences, SizeIs(1));
  });
}

}  // namespace
}  // namespace flyball::controllers::stateful_set
