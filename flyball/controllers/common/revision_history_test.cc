#include "flyball/controllers/common/revision_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/restored_revision.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::common {
namespace {

using apps::v1::StatefulSet;
using testing::ElementsAre;
using testing::IsEmpty;

struct Facts {
  std::int64_t number = 0;
  std::int64_t created = 0;
  std::string data = "{}";
};

RevisionRef Revision(const std::string& name, const Facts& facts = {}) {
  auto revision = std::make_shared<ControllerRevision>();
  revision->metadata.name = name;
  revision->metadata.creationTimestamp = api::Time::FromUnix(facts.created);
  revision->revision = facts.number;
  revision->data.raw = facts.data;
  return revision;
}

std::vector<std::string> NamesOf(const std::vector<RevisionRef>& revisions) {
  std::vector<std::string> names;
  for (const RevisionRef& revision : revisions) names.push_back(revision->metadata.name);
  return names;
}

StatefulSet Db(const std::string& image = "db:1") {
  StatefulSet set;
  set.metadata.namespace_ = "default";
  set.metadata.name = "db";
  set.metadata.uid = "uid-of-db";
  set.metadata.annotations["note"] = "kept";
  set.spec.selector.emplace().matchLabels["app"] = "db";
  set.spec.template_.metadata.labels["app"] = "db";
  auto& container = set.spec.template_.spec.containers.emplace_back();
  container.name = "main";
  container.image = image;
  return set;
}

std::string DataOf(const StatefulSet& set) {
  return api::RevisionData(set.spec.template_, api::RevisionOwner::kStatefulSet).value();
}

TEST(RevisionHistory, IsSortedByNumberThenAgeThenName) {
  std::vector<RevisionRef> revisions = {
      Revision("d", {.number = 3}), Revision("c", {.number = 2, .created = 5}),
      Revision("b", {.number = 2, .created = 5}), Revision("z", {.number = 2, .created = 4}),
      Revision("y", {.number = 1, .created = 9})};
  SortRevisions(revisions);
  EXPECT_THAT(NamesOf(revisions), ElementsAre("y", "z", "b", "c", "d"));
}

TEST(RevisionHistory, TheNextNumberIsOneAboveTheHighest) {
  EXPECT_EQ(NextRevisionNumber({}), 1);
  const std::vector<RevisionRef> revisions = {Revision("a", {.number = 7}),
                                              Revision("b", {.number = 3})};
  EXPECT_EQ(NextRevisionNumber(revisions), 8);
}

TEST(RevisionHistory, TheNumberAfterTheHighestThereIsWraps) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::vector<RevisionRef> revisions = {Revision("a", {.number = Limits::max()})};
  EXPECT_EQ(NextRevisionNumber(revisions), Limits::min());
}

TEST(RevisionHistory, RevisionsAreTheSameByTheirBytes) {
  const std::vector<RevisionRef> revisions = {Revision("a", {.data = R"({"spec":{}})"}),
                                              Revision("b", {.data = R"({"spec": {}})"}),
                                              Revision("c", {.data = R"({"spec":{}})"})};
  EXPECT_THAT(NamesOf(RevisionsWith(revisions, R"({"spec":{}})")), ElementsAre("a", "c"));
  EXPECT_THAT(NamesOf(RevisionsWith(revisions, "{}")), IsEmpty());
}

struct Truncation {
  std::int32_t limit = 0;
  HistoryLimit counts = HistoryLimit::kOnAll;
  std::vector<std::string> in_use;
  std::vector<std::string> deleted;
};

TEST(RevisionHistory, IsCutToItsLimitFromTheOldestAndKeepsWhatIsInUse) {
  const std::vector<RevisionRef> revisions = {
      Revision("three", {.number = 3}), Revision("one", {.number = 1}),
      Revision("two", {.number = 2}), Revision("four", {.number = 4})};
  using enum HistoryLimit;
  const Truncation cases[] = {
      {4, kOnAll, {}, {}},
      {10, kOnAll, {}, {}},
      {2, kOnAll, {}, {"one", "two"}},
      {0, kOnAll, {}, {"one", "two", "three", "four"}},
      {-1, kOnAll, {}, {}},
      // Those in use take room.
      {2, kOnAll, {"one"}, {"two", "three"}},
      {2, kOnAll, {"one", "two", "three"}, {"four"}},
      {2, kOnAll, {"one", "two", "three", "four"}, {}},
      // Or they do not.
      {2, kOnThoseNotInUse, {"one"}, {"two"}},
      {3, kOnThoseNotInUse, {"one"}, {}},
      {0, kOnThoseNotInUse, {"one", "two"}, {"three", "four"}},
      {-1, kOnThoseNotInUse, {}, {}},
  };
  for (const Truncation& one : cases) {
    const auto deleted = RevisionsToDelete(
        revisions, one.limit, one.counts, [&](const ControllerRevision& revision) {
          return std::ranges::find(one.in_use, revision.metadata.name) != one.in_use.end();
        });
    EXPECT_EQ(NamesOf(deleted), one.deleted)
        << one.limit << " " << static_cast<int>(one.counts) << " " << one.in_use.size();
  }
}

TEST(RevisionHistory, ANewRevisionIsItsOwnersAndNamedForItsData) {
  const StatefulSet set = Db();
  const std::string data = DataOf(set);
  const std::string hash = api::RevisionHash(data, 2);
  ControllerRevision expected;
  expected.metadata.namespace_ = "default";
  expected.metadata.name = "db-" + hash;
  expected.metadata.labels = {{"app", "db"}, {"controller.kubernetes.io/hash", hash}};
  expected.metadata.annotations = {{"note", "kept"}};
  expected.metadata.ownerReferences.push_back(ControllerRefTo(set));
  expected.data.raw = data;
  expected.revision = 5;
  EXPECT_EQ(NewRevision(set, data, 5, 2), expected);
}

TEST(RestoredRevision, ARevisionPutsTheTemplateBackAndNothingElse) {
  StatefulSet old = Db("db:1");
  old.spec.replicas = 1;
  StatefulSet set = Db("db:2");
  set.spec.replicas = 5;
  set.spec.template_.spec.nodeSelector["disk"] = "fast";
  set.status.replicas = 5;
  ControllerRevision revision;
  revision.data.raw = DataOf(old);
  StatefulSet expected = set;
  expected.spec.template_ = old.spec.template_;
  const auto restored = WithRevision(set, revision);
  ASSERT_TRUE(restored) << restored.error().Describe();
  EXPECT_EQ(*restored, expected);
}

TEST(RestoredRevision, DataThatIsNoPatchIsAnError) {
  ControllerRevision revision;
  for (const std::string data :
       {"", "{", "[]", R"({"spec":{"template":{"$patch":"eat"}}})", R"({"spec":{"template":7}})"}) {
    revision.data.raw = data;
    EXPECT_FALSE(WithRevision(Db(), revision)) << data;
    EXPECT_FALSE(IsRestoredBy(revision, Db(), DataOf(Db()))) << data;
  }
}

TEST(RestoredRevision, ARevisionFromBeforeADefaultIsStillTheSetsOwn) {
  StatefulSet set = Db();
  ControllerRevision revision;
  revision.data.raw = DataOf(set);
  api::ApplyDefaults(set);
  ASSERT_NE(DataOf(set), revision.data.raw);
  EXPECT_TRUE(IsRestoredBy(revision, set, DataOf(set)));
  set.spec.template_.spec.containers[0].image = "db:2";
  EXPECT_FALSE(IsRestoredBy(revision, set, DataOf(set)));
}

/// Writes to a server.
class RevisionWritesTest : public ControllerFixture {
 protected:
  void With(const std::function<void(runtime::Context&)>& test) {
    Play(std::make_unique<runtime::Controller>("history", deps()), [&] {
      const auto all = deps();
      runtime::Context context({.client = all.client, .events = events_, .now = {}});
      test(context);
    });
  }
  ControllerRevision Stored(const std::string& name) {
    return All<ControllerRevision>().Get({"default", name}).value();
  }
  std::string NameFor(std::int32_t collisions) {
    return "db-" + api::RevisionHash(DataOf(Db()), collisions);
  }
  void Take(const std::string& name, const std::string& data) {
    ControllerRevision other;
    other.metadata.namespace_ = "default";
    other.metadata.name = name;
    other.data.raw = data;
    ASSERT_TRUE(All<ControllerRevision>().Create(other));
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(RevisionWritesTest, CreatesUnderItsName) {
  With([&](runtime::Context& context) {
    const auto created = CreateRevision(context, "db", NewRevision(Db(), DataOf(Db()), 1, 0), 0);
    ASSERT_TRUE(created) << created.error().Describe();
    EXPECT_EQ(created->collisions, 0);
    EXPECT_EQ(created->revision.metadata.name, NameFor(0));
    EXPECT_FALSE(created->revision.metadata.resourceVersion.empty());
    EXPECT_EQ(Stored(NameFor(0)).data.raw, DataOf(Db()));
    EXPECT_EQ(Stored(NameFor(0)).revision, 1);
  });
}

TEST_F(RevisionWritesTest, TakesAnotherNameWhereAnotherRevisionHasIt) {
  Take(NameFor(0), R"({"spec":{}})");
  Take(NameFor(1), R"({"spec":{}})");
  With([&](runtime::Context& context) {
    const auto created = CreateRevision(context, "db", NewRevision(Db(), DataOf(Db()), 3, 0), 0);
    ASSERT_TRUE(created) << created.error().Describe();
    EXPECT_EQ(created->collisions, 2);
    EXPECT_EQ(created->revision.metadata.name, NameFor(2));
    EXPECT_EQ(*created->revision.metadata.labels.find(kRevisionHashLabel),
              api::RevisionHash(DataOf(Db()), 0));
    EXPECT_THAT(TakeRequests(), testing::SizeIs(3));
  });
}

TEST_F(RevisionWritesTest, TakesOneWithTheSameDataForItsOwn) {
  Take(NameFor(0), DataOf(Db()));
  With([&](runtime::Context& context) {
    const auto created = CreateRevision(context, "db", NewRevision(Db(), DataOf(Db()), 3, 0), 0);
    ASSERT_TRUE(created) << created.error().Describe();
    EXPECT_EQ(created->collisions, 0);
    EXPECT_EQ(created->revision, Stored(NameFor(0)));
  });
}

TEST_F(RevisionWritesTest, WhatElseIsWrongIsTheError) {
  faults_.On(sandbox::Requests::Creates().Of("controllerrevisions"))
      .Refuse(sandbox::Forbidden({"apps", "controllerrevisions"}, "db", "not by you"));
  With([&](runtime::Context& context) {
    const auto created = CreateRevision(context, "db", NewRevision(Db(), DataOf(Db()), 3, 0), 0);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), ErrorCode::kForbidden);
  });
}

TEST_F(RevisionWritesTest, RenumbersWithOneWriteOrNone) {
  Take("db-old", R"({"spec":{}})");
  With([&](runtime::Context& context) {
    const auto renumbered = RenumberRevision(context, Stored("db-old"), 9);
    ASSERT_TRUE(renumbered) << renumbered.error().Describe();
    EXPECT_EQ(*renumbered, Stored("db-old"));
    EXPECT_EQ(renumbered->revision, 9);
    EXPECT_THAT(TakeRequests(),
                ElementsAre("PUT /apis/apps/v1/namespaces/default/controllerrevisions/db-old"));
    EXPECT_TRUE(RenumberRevision(context, *renumbered, 9));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(RevisionWritesTest, DeletesOneThatIsGoneAlready) {
  Take("db-one", R"({"spec":{}})");
  Take("db-two", R"({"spec":{}})");
  With([&](runtime::Context& context) {
    const std::vector<RevisionRef> both = {std::make_shared<ControllerRevision>(Stored("db-one")),
                                           std::make_shared<ControllerRevision>(Stored("db-two"))};
    EXPECT_TRUE(All<ControllerRevision>().Delete({"default", "db-one"}));
    EXPECT_TRUE(DeleteRevisions(context, both));
    EXPECT_FALSE(All<ControllerRevision>().Get({"default", "db-two"}));
  });
}

TEST_F(RevisionWritesTest, OwnersTakeWhatTheySelectAndOnlySomeLetGo) {
  const StatefulSet set = All<StatefulSet>()
                              .Create([] {
                                StatefulSet db = Db();
                                db.metadata.uid.clear();
                                db.spec.serviceName = "db";
                                api::ApplyDefaults(db);
                                return db;
                              }())
                              .value();
  const auto put = [&](const std::string& name, const std::string& app, bool owned) {
    ControllerRevision revision;
    revision.metadata.namespace_ = "default";
    revision.metadata.name = name;
    revision.metadata.labels["app"] = app;
    if (owned) revision.metadata.ownerReferences.push_back(ControllerRefTo(set));
    revision.data.raw = "{}";
    ASSERT_TRUE(All<ControllerRevision>().Create(revision));
  };
  put("free", "db", false);
  put("lost", "other", true);
  put("mine", "db", true);
  put("strange", "other", false);

  auto controller = std::make_unique<runtime::Controller>("history", deps());
  const auto revisions = controller->Reads<ControllerRevision>();
  IndexByController(revisions);
  const auto lister = revisions.lister();
  const auto selector = *api::Selector::FromMessage(set.spec.selector);
  Play(std::move(controller), [&] {
    const auto all = deps();
    runtime::Context context({.client = all.client, .events = events_, .now = {}});
    auto adopted = AdoptRevisions(context, set, selector, lister);
    ASSERT_TRUE(adopted) << adopted.error().Describe();
    SortRevisions(*adopted);
    EXPECT_THAT(NamesOf(*adopted), ElementsAre("free", "mine"));
    EXPECT_NE(ControllerOf(Stored("free")), nullptr);
    EXPECT_NE(ControllerOf(Stored("lost")), nullptr);
    EXPECT_EQ(ControllerOf(Stored("strange")), nullptr);

    Pass(std::chrono::seconds(1));
    auto claimed = ClaimRevisions(context, set, selector, lister);
    ASSERT_TRUE(claimed) << claimed.error().Describe();
    SortRevisions(*claimed);
    EXPECT_THAT(NamesOf(*claimed), ElementsAre("free", "mine"));
    EXPECT_EQ(ControllerOf(Stored("lost")), nullptr);
  });
}

}  // namespace
}  // namespace flyball::controllers::common
