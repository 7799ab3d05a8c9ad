#include "flyball/controllers/daemon_set/history.h"

#include "flyball/api/defaulting.h"
#include "flyball/api/template_hash.h"
#include "flyball/controllers/daemon_set/internal/daemon_set_test.h"

namespace flyball::controllers::daemon_set {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class HistoryTest : public DaemonSetTest {
 protected:
  static std::string DataOf(const DaemonSet& set) {
    return api::RevisionData(set.spec.template_, api::RevisionOwner::kDaemonSet).value();
  }
  std::vector<std::int64_t> Numbers() {
    std::vector<std::int64_t> numbers;
    for (const ControllerRevision& revision : Revisions()) numbers.push_back(revision.revision);
    return numbers;
  }
  ControllerRevision Put(ControllerRevision revision) {
    return Must(All<ControllerRevision>().Create(revision));
  }
};

TEST_F(HistoryTest, GoingBackToATemplateMakesItsRevisionTheNewest) {
  CreateNodes("a");
  PlayIt([&] {
    const DaemonSet set = Create();
    PassWithKubelets(2);
    SetImage("agent:2");
    PassWithKubelets(4);
    EXPECT_THAT(Numbers(), ElementsAre(1, 2));
    SetImage("agent:1");
    PassWithKubelets(4);
    EXPECT_THAT(Numbers(), ElementsAre(2, 3));
    EXPECT_EQ(Revisions()[1].data.raw, DataOf(set));
    EXPECT_EQ(*PodOn("a").metadata.labels.find(kHashLabel),
              *Revisions()[1].metadata.labels.find(kHashLabel));
  });
}

TEST_F(HistoryTest, IsCutToItsLimitAndKeepsWhatPodsAreOf) {
  CreateNodes("a");
  PlayIt([&] {
    DaemonSet set = Written();
    set.spec.revisionHistoryLimit = 1;
    Create(set);
    PassWithKubelets(2);
    for (const std::string image : {"agent:2", "agent:3", "agent:4"}) {
      SetImage(image);
      PassWithKubelets(4);
    }
    EXPECT_THAT(Numbers(), ElementsAre(3, 4));
  });
}

TEST_F(HistoryTest, AMatchingRevisionThatNobodyHasIsAdoptedInsteadOfMade) {
  CreateNodes("a");
  PlayIt([&] {
    const DaemonSet set = Create();
    PassWithKubelets(2);
    const std::string revision = Revisions()[0].metadata.name;
    ControllerRevision freed = Revisions()[0];
    freed.metadata.ownerReferences.clear();
    Must(All<ControllerRevision>().Update(freed));
    Pass(seconds(2));
    EXPECT_THAT(TakeWrites(), Contains(std::string("PATCH ") + kRevisions + "/" + revision));
    ASSERT_THAT(Revisions(), SizeIs(1));
    EXPECT_EQ(Revisions()[0].metadata.ownerReferences[0].uid, set.metadata.uid);
  });
}

TEST_F(HistoryTest, ARevisionWithoutAHashIsKnownByItsName) {
  DaemonSet set = Create();
  ControllerRevision old = RevisionOf(set, DataOf(set), 1);
  old.metadata.name = "agent-of-old";
  old.metadata.labels.erase(kHashLabel);
  Put(old);
  CreateNodes("a");
  PlayIt([&] {
    Pass(seconds(1));
    ASSERT_THAT(Revisions(), SizeIs(1));
    EXPECT_EQ(*Revisions()[0].metadata.labels.find(kHashLabel), "agent-of-old");
    EXPECT_EQ(*PodOn("a").metadata.labels.find(kHashLabel), "agent-of-old");
  });
}

TEST_F(HistoryTest, OfTwoRevisionsOfATemplateTheNewerStaysAndPodsAreMadeItsOwn) {
  const DaemonSet set = Create();
  ControllerRevision older = RevisionOf(set, DataOf(set), 1);
  ControllerRevision newer = older;
  newer.metadata.name = "agent-newer";
  newer.metadata.labels[kHashLabel] = "newer";
  newer.revision = 2;
  Put(older);
  Put(newer);
  CreateNodes("a");
  Pod pod = DaemonPod(set, {.hash = *older.metadata.labels.find(kHashLabel)});
  pod.metadata.name = "agent-here";
  pod.spec.nodeName = "a";
  Must(All<Pod>().Create(pod));
  PlayIt([&] {
    Pass(seconds(1));
    ASSERT_THAT(Revisions(), SizeIs(1));
    EXPECT_EQ(Revisions()[0].metadata.name, "agent-newer");
    EXPECT_EQ(PodOn("a").metadata.name, "agent-here");
    EXPECT_EQ(*PodOn("a").metadata.labels.find(kHashLabel), "newer");
    const auto sent = TakeSent();
    ASSERT_GE(sent.size(), 2);
    EXPECT_EQ(sent[0].request, std::string("PATCH ") + kPods + "/agent-here");
    EXPECT_EQ(sent[0].body, R"({"metadata":{"labels":{"controller-revision-hash":"newer"}}})");
    EXPECT_EQ(sent[1].request, std::string("DELETE ") + kRevisions + "/" + older.metadata.name);
  });
}

TEST_F(HistoryTest, ANameThatAnotherRevisionHasIsFollowedByAnother) {
  CreateNodes("a");
  PlayIt([&] {
    DaemonSet set = Written();
    set.spec.template_.spec.nodeSelector["disk"] = "fast";
    api::ApplyDefaults(set);
    ControllerRevision theirs;
    theirs.metadata.namespace_ = "default";
    theirs.metadata.name = "agent-" + api::PodTemplateHash(set.spec.template_, std::nullopt);
    theirs.data.raw = "{}";
    Put(theirs);
    set = Create(set);
    Pass(seconds(2));
    EXPECT_EQ(Get().status.collisionCount, 1);
    const std::string hash = api::PodTemplateHash(set.spec.template_, 1);
    EXPECT_TRUE(All<ControllerRevision>().Get({"default", "agent-" + hash}));
    EXPECT_THAT(Revisions(), SizeIs(2));
  });
}

TEST_F(HistoryTest, ALostAnswerMakesNoSecondRevision) {
  CreateNodes("a");
  const auto lost =
      faults_.On(sandbox::Requests::Creates().Of("controllerrevisions")).Once().LoseAnswer();
  PlayIt([&] {
    Create();
    Pass(seconds(100));
    EXPECT_THAT(Revisions(), SizeIs(1));
    EXPECT_EQ(Get().status.collisionCount, std::nullopt);
    EXPECT_THAT(Placed(), ElementsAre("a agent:1"));
  });
  EXPECT_EQ(lost.count(), 1);
}

TEST_F(HistoryTest, ATemplateWithTheHashOfPodsThatAreThereRestartsNone) {
  CreateNodes("a");
  // As another manager left it.
  const DaemonSet set = Create();
  const ControllerRevision theirs = Put(RevisionOf(set, DataOf(set), 1));
  Pod pod = BoundTo(
      DaemonPod(set, {.hash = *theirs.metadata.labels.find(kHashLabel), .generation = 1}), "a");
  Must(All<Pod>().Create(pod));
  PlayIt([&] {
    PassWithKubelets(5);
    EXPECT_THAT(TakeWrites(), IsEmpty());
    EXPECT_EQ(Get().status.updatedNumberScheduled, 1);
  });
}

}  // namespace
}  // namespace flyball::controllers::daemon_set
