#include "flyball/runtime/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/event_recorder_fake.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"

namespace flyball::runtime {
namespace {

using core::v1::ConfigMap;
using sandbox::Requests;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::Field;

/// A reconcile's context on a server that takes a second for each write.
class ContextTest : public testing::Test {
 protected:
  void Play(const std::function<void(Context&)>& test) {
    const auto slow = faults_.On(Requests::Writes()).Delay(seconds(1));
    bool done = false;
    executor_.Start("test", [&] {
      Context context({.client = session_.client(), .events = events_, .now = {}});
      test(context);
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1));
    EXPECT_TRUE(done) << report.Describe();
  }
  seconds TimeOf(const std::function<void()>& work) {
    const SteadyTime start = executor_.clock().SteadyNow();
    work();
    return std::chrono::duration_cast<seconds>(executor_.clock().SteadyNow() - start);
  }
  static ConfigMap Generated() {
    ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.generateName = "map-";
    return map;
  }
  static std::vector<Write::Kind> Kinds(const std::vector<Write>& writes) {
    std::vector<Write::Kind> kinds;
    for (const Write& write : writes) kinds.push_back(write.kind);
    return kinds;
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  sandbox::Sandbox sandbox_{{executor_, timers_}, {.seed = 1}};
  sandbox::Faults faults_{sandbox_.transport(), executor_};
  sandbox::Session session_{faults_, executor_.clock()};
  FakeEventRecorder events_;
};

TEST_F(ContextTest, WritesOfManyAreUnderWayAtOnceAndEachIsRemembered) {
  Play([&](Context& context) {
    std::vector<Result<Context::Stored>> created;
    EXPECT_EQ(TimeOf([&] { created = context.CreateAll(Generated(), 3); }), seconds(1));
    ASSERT_EQ(created.size(), 3);
    std::vector<Write> writes = context.writes().Take();
    ASSERT_EQ(writes.size(), 3);
    std::vector<api::ObjectIdentity> identities;
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(created[i]) << created[i].error().Describe();
      EXPECT_EQ(writes[i].kind, Write::Kind::kStored);
      EXPECT_EQ(writes[i].resource_version, created[i]->metadata.resourceVersion);
      identities.push_back(api::IdentityOf(*created[i]));
    }

    const auto resource = client::Resource::Of<ConfigMap>();
    std::vector<Result<>> deleted;
    EXPECT_EQ(TimeOf([&] { deleted = context.DeleteAll(resource, identities); }), seconds(1));
    EXPECT_THAT(deleted, ElementsAre(Result<>(), Result<>(), Result<>()));
    writes = context.writes().Take();
    ASSERT_EQ(writes.size(), 3);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(writes[i].kind, Write::Kind::kDeleted);
      EXPECT_EQ(writes[i].uid, created[i]->metadata.uid);
    }
  });
}

TEST_F(ContextTest, DifferentObjectsAndTheirPatchesAreUnderWayAtOnceToo) {
  Play([&](Context& context) {
    std::vector<ConfigMap> maps(2, Generated());
    for (int i = 0; i < 2; ++i) maps[i].data["number"] = std::to_string(i);
    std::vector<Result<Context::Stored>> created;
    EXPECT_EQ(TimeOf([&] { created = context.CreateAll(std::span<const ConfigMap>(maps)); }),
              seconds(1));
    ASSERT_TRUE(created[0] && created[1]);
    context.writes().Take();

    std::vector<api::ObjectKey> keys;
    for (const auto& each : created) keys.push_back(api::ObjectKey::Of(*each));
    keys.push_back({"default", "missing"});
    const std::vector<client::Patch> patches = {
        {client::PatchType::kMerge, R"({"data":{"by":"a"}})"},
        {client::PatchType::kMerge, R"({"data":{"by":"b"}})"},
        {client::PatchType::kMerge, R"({"data":{"by":"c"}})"}};
    std::vector<Result<Context::Stored>> patched;
    EXPECT_EQ(TimeOf([&] { patched = context.PatchAll<ConfigMap>(keys, patches); }), seconds(1));
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(patched[i]) << patched[i].error().Describe();
      const auto map = sandbox_.client().Of<ConfigMap>().Get(keys[i]);
      EXPECT_EQ(*map->data.find("number"), std::to_string(i));
      EXPECT_EQ(*map->data.find("by"), i == 0 ? "a" : "b");
    }
    EXPECT_EQ(patched[2].error().code(), ErrorCode::kNotFound);
    EXPECT_THAT(Kinds(context.writes().Take()),
                ElementsAre(Write::Kind::kStored, Write::Kind::kStored));
  });
}

TEST_F(ContextTest, OfManyWritesEachHasItsOwnAnswer) {
  Play([&](Context& context) {
    faults_.On(Requests::Creates())
        .After(1)
        .Once()
        .Refuse(sandbox::Forbidden({"", "configmaps"}, "map", "no"));
    faults_.On(Requests::Creates()).After(2).Once().LoseAnswer();
    const auto created = context.CreateAll(Generated(), 3);
    EXPECT_TRUE(created[0]);
    ASSERT_FALSE(created[1]);
    EXPECT_EQ(created[1].error().code(), ErrorCode::kForbidden);
    ASSERT_FALSE(created[2]);
    // What was refused has not happened; of what was not answered nobody knows.
    EXPECT_THAT(Kinds(context.writes().Take()),
                ElementsAre(Write::Kind::kStored, Write::Kind::kAmbiguous));
  });
}

TEST_F(ContextTest, DeletesNoOtherThatHasComeToBeCalledTheSame) {
  Play([&](Context& context) {
    const auto created = context.CreateAll(Generated(), 1);
    api::ObjectIdentity another = api::IdentityOf(*created[0]);
    another.uid = "another";
    const auto deleted = context.DeleteAll(client::Resource::Of<ConfigMap>(), std::vector{another});
    ASSERT_FALSE(deleted[0]);
    EXPECT_EQ(deleted[0].error().code(), ErrorCode::kConflict);
    EXPECT_TRUE(sandbox_.client().Of<ConfigMap>().Get({"default", created[0]->metadata.name}));
  });
}

TEST_F(ContextTest, APatchOfWhatIsKnownByItsResourceIsRemembered) {
  Play([&](Context& context) {
    const auto created = context.Create(Generated());
    ASSERT_TRUE(created);
    context.writes().Take();
    const auto patched =
        context.Patch(client::Resource::Of<ConfigMap>(), api::ObjectKey::Of(*created),
                      client::Patch::Merge(*api::Json::Parse(R"({"data":{"a":"b"}})")));
    ASSERT_TRUE(patched) << patched.error().Describe();
    EXPECT_THAT(context.writes().Take(),
                ElementsAre(Field(&Write::resource_version,
                                  std::string(api::IdentityOf(*patched).resource_version))));
  });
}

}  // namespace
}  // namespace flyball::runtime
