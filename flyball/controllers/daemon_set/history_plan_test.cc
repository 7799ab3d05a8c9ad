#include "flyball/controllers/daemon_set/history_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "flyball/api/template_hash.h"
#include "flyball/controllers/daemon_set/internal/daemon_set_fake.h"

namespace flyball::controllers::daemon_set {
namespace {

using apps::v1::DaemonSet;
using testing::ElementsAre;
using testing::IsEmpty;

RevisionRef Revision(const std::string& name, std::int64_t number, const std::string& data) {
  auto revision = std::make_shared<ControllerRevision>();
  revision->metadata.name = name;
  revision->metadata.labels[kHashLabel] = "hash-of-" + name;
  revision->revision = number;
  revision->data.raw = data;
  return revision;
}

std::vector<std::string> RevisionNames(const std::vector<RevisionRef>& revisions) {
  std::vector<std::string> names;
  for (const RevisionRef& revision : revisions) names.push_back(revision->metadata.name);
  return names;
}

TEST(HistoryPlan, ATemplateThatWasNeverThereIsANewRevision) {
  EXPECT_EQ(PlanHistory({}, "now").current, nullptr);
  EXPECT_EQ(PlanHistory({}, "now").number, 1);
  const auto plan = PlanHistory({Revision("b", 7, "two"), Revision("a", 3, "one")}, "now");
  EXPECT_EQ(plan.current, nullptr);
  EXPECT_EQ(plan.number, 8);
  EXPECT_THAT(RevisionNames(plan.old), ElementsAre("a", "b"));
  EXPECT_THAT(plan.duplicates, IsEmpty());
}

TEST(HistoryPlan, ATemplateThatIsThereAgainIsTheNewest) {
  const auto plan = PlanHistory({Revision("a", 1, "now"), Revision("b", 2, "other")}, "now");
  ASSERT_NE(plan.current, nullptr);
  EXPECT_EQ(plan.current->metadata.name, "a");
  EXPECT_EQ(plan.number, 3);
  EXPECT_THAT(RevisionNames(plan.old), ElementsAre("b"));
}

TEST(HistoryPlan, OfTwoRevisionsOfATemplateTheNewerStays) {
  const auto plan = PlanHistory(
      {Revision("c", 3, "now"), Revision("a", 1, "now"), Revision("b", 2, "other")}, "now");
  EXPECT_EQ(plan.current->metadata.name, "c");
  EXPECT_EQ(plan.number, 3);
  EXPECT_THAT(RevisionNames(plan.duplicates), ElementsAre("a"));
}

TEST(HistoryPlan, AByteIsADifference) {
  const auto plan = PlanHistory({Revision("a", 1, R"({"spec":1})")}, R"({"spec": 1})");
  EXPECT_EQ(plan.current, nullptr);
}

TEST(HistoryPlan, ARevisionIsNamedForItsTemplateAndTheCollisions) {
  DaemonSet set = Agent();
  set.metadata.annotations["note"] = "kept";
  set.status.collisionCount = 1;
  const std::string hash = api::PodTemplateHash(set.spec.template_, 1);
  ControllerRevision expected;
  expected.metadata.namespace_ = "default";
  expected.metadata.name = "agent-" + hash;
  expected.metadata.labels = {{"app", "agent"}, {"controller-revision-hash", hash}};
  expected.metadata.annotations = {{"note", "kept"}};
  expected.metadata.ownerReferences.push_back(common::ControllerRefTo(set));
  expected.data.raw = "{}";
  expected.revision = 4;
  EXPECT_EQ(RevisionOf(set, "{}", 4), expected);
  set.status.collisionCount.reset();
  EXPECT_NE(RevisionOf(set, "{}", 4).metadata.name, expected.metadata.name);
}

TEST(HistoryPlan, ThoseThatPodsAreOfAreKept) {
  DaemonSet set = Agent();
  set.spec.revisionHistoryLimit = 1;
  const std::vector<RevisionRef> old = {Revision("a", 1, "1"), Revision("b", 2, "2"),
                                        Revision("c", 3, "3")};
  EXPECT_THAT(RevisionNames(RevisionsToDrop(set, old, {})), ElementsAre("a", "b"));
  const std::vector<PodRef> pods = {PodNamed("pod", {.hash = "hash-of-a", .phase = "Failed"}),
                                    PodNamed("bare", {.hash = ""})};
  EXPECT_THAT(RevisionNames(RevisionsToDrop(set, old, pods)), ElementsAre("b", "c"));
  set.spec.revisionHistoryLimit = 3;
  EXPECT_THAT(RevisionNames(RevisionsToDrop(set, old, pods)), IsEmpty());
  set.spec.revisionHistoryLimit.reset();
  EXPECT_THAT(RevisionNames(RevisionsToDrop(set, old, pods)), IsEmpty());
  EXPECT_EQ(HashOf(ControllerRevision()), "");
}

}  // namespace
}  // namespace flyball::controllers::daemon_set
