#include "flyball/controllers/stateful_set/revision_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/defaulting.h"
#include "flyball/api/template_hash.h"
#include "flyball/controllers/stateful_set/internal/stateful_set_fake.h"

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::ControllerRevision;
using apps::v1::StatefulSet;
using How = RevisionPlan::How;
using testing::ElementsAre;
using testing::IsEmpty;

std::string DataOf(const StatefulSet& set) {
  return api::RevisionData(set.spec.template_, api::RevisionOwner::kStatefulSet).value();
}

RevisionRef Revision(const std::string& name, std::int64_t number, std::string data = "{}") {
  auto revision = std::make_shared<ControllerRevision>();
  revision->metadata.name = name;
  revision->revision = number;
  revision->data.raw = std::move(data);
  return revision;
}

std::vector<std::string> Names(const std::vector<RevisionRef>& revisions) {
  std::vector<std::string> names;
  for (const RevisionRef& revision : revisions) names.push_back(revision->metadata.name);
  return names;
}

TEST(StatefulSetRevision, ATemplateThatIsNewHasARevisionMade) {
  const StatefulSet set = Db();
  EXPECT_EQ(PlanRevision(set, {}, true),
            (RevisionPlan{.how = How::kCreate, .number = 1, .data = DataOf(set)}));
  const std::vector history = {Revision("a", 4, DataOf(Db(3, "db:0")))};
  EXPECT_EQ(PlanRevision(set, history, true),
            (RevisionPlan{.how = How::kCreate, .number = 5, .data = DataOf(set)}));
}

TEST(StatefulSetRevision, TheLatestIsKeptIfItIsTheTemplate) {
  const StatefulSet set = Db();
  const std::vector history = {Revision("a", 1, DataOf(Db(3, "db:0"))),
                               Revision("b", 2, DataOf(set))};
  EXPECT_EQ(PlanRevision(set, history, true), (RevisionPlan{.revision = history[1], .number = 2}));
}

TEST(StatefulSetRevision, AnOlderOneIsMadeTheLatestWhenTheTemplateReturnsToIt) {
  const StatefulSet set = Db();
  const std::vector history = {Revision("a", 1, DataOf(set)), Revision("b", 2, DataOf(set)),
                               Revision("c", 3, DataOf(Db(3, "db:2")))};
  EXPECT_EQ(PlanRevision(set, history, true),
            (RevisionPlan{.how = How::kRenumber, .revision = history[1], .number = 4}));
}

TEST(StatefulSetRevision, ADefaultThatAnOlderServerDidNotSetMakesNoNewRevision) {
  StatefulSet set = Db();
  const std::vector history = {Revision("a", 1, DataOf(set))};
  api::ApplyDefaults(set);
  ASSERT_NE(DataOf(set), history[0]->data.raw);
  EXPECT_EQ(PlanRevision(set, history, /*by_meaning=*/true),
            (RevisionPlan{.revision = history[0], .number = 1}));
  EXPECT_EQ(PlanRevision(set, history, /*by_meaning=*/false),
            (RevisionPlan{.how = How::kCreate, .number = 2, .data = DataOf(set)}));
}

TEST(StatefulSetRevision, DataThatIsNoPatchIsAnotherRevision) {
  const StatefulSet set = Db();
  const std::vector history = {Revision("a", 1, "not JSON")};
  EXPECT_EQ(PlanRevision(set, history, true).value().how, How::kCreate);
}

TEST(StatefulSetRevision, TheCurrentOneIsInTheStatusOrElseTheLatest) {
  StatefulSet set = Db();
  const std::vector history = {Revision("a", 1), Revision("b", 2)};
  EXPECT_EQ(CurrentRevision(set, history, history[1]), history[1]);
  set.status.currentRevision = "a";
  EXPECT_EQ(CurrentRevision(set, history, history[1]), history[0]);
  set.status.currentRevision = "gone";
  EXPECT_EQ(CurrentRevision(set, history, history[1]), history[1]);
}

TEST(StatefulSetRevision, MoreThanTheLimitGoTheOldestFirstIfNobodyUsesThem) {
  StatefulSet set = Db();
  set.spec.revisionHistoryLimit = 1;
  const std::vector history = {Revision("a", 1), Revision("b", 2), Revision("c", 3),
                               Revision("d", 4), Revision("e", 5)};
  const std::vector in_use = {history[3], history[4]};
  const std::vector pods = {PodAt(set, 0, {.revision = "b"}), PodAt(set, 1, {.revision = "e"})};
  EXPECT_THAT(Names(PlanTruncation(set, history, pods, in_use)), ElementsAre("a"));
  EXPECT_THAT(Names(PlanTruncation(set, history, {}, in_use)), ElementsAre("a", "b"));
  set.spec.revisionHistoryLimit = 0;
  EXPECT_THAT(Names(PlanTruncation(set, history, {}, in_use)), ElementsAre("a", "b", "c"));
  set.spec.revisionHistoryLimit = -1;
  EXPECT_THAT(Names(PlanTruncation(set, history, {}, in_use)), IsEmpty());
  set.spec.revisionHistoryLimit.reset();
  EXPECT_THAT(Names(PlanTruncation(set, history, {}, in_use)), IsEmpty());
}

}  // namespace
}  // namespace flyball::controllers::stateful_set
