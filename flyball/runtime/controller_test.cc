#include "flyball/runtime/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/event_recorder_fake.h"
#include "flyball/runtime/generated_name.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/sandbox/write_journal.h"

namespace flyball::runtime {
namespace {

using api::Json;
using api::ObjectKey;
using sandbox::Requests;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

const client::Resource kParents{"", "v1", "configmaps", "ConfigMap", true};
const client::Resource kChildren{"", "v1", "secrets", "Secret", true};

Json Named(const std::string& member, const std::string& name) {
  Json::Object metadata;
  metadata[member] = name;
  metadata["namespace"] = "default";
  Json::Object object;
  object["metadata"] = std::move(metadata);
  return object;
}

/// A small world: a server, what goes wrong before it, caches, and a controller that a test builds.
class World {
 public:
  /// `makes_up_names`: the controller makes up the names of what it creates, and not the server.
  explicit World(std::uint64_t seed, bool makes_up_names = false)
      : names(makes_up_names),
        executor(seed),
        sandbox({executor, timers}, {.seed = seed}),
        faults(journal, executor, seed) {}

  const bool names;
  std::uint64_t random = 0;  ///< the last number that was drawn for a name
  DeterministicExecutor executor;
  Timers timers{executor};
  sandbox::Sandbox sandbox;
  sandbox::WriteJournal journal{sandbox.transport()};
  sandbox::Faults faults;
  sandbox::Session session{faults, executor.clock()};
  const client::Client& client = session.client();
  cache::InformerFactory informers{
      {.client = client, .executor = executor, .timers = timers, .random = [] { return 0.5; }}};
  MetricRegistry metrics;
  std::string shown;  ///< by the metrics, when the time was over
  FakeEventRecorder events;
  Controller controller{
      "test",
      {.client = client,
       .informers = informers,
       .executor = executor,
       .timers = timers,
       .events = events.Maker(),
       .metrics = &metrics,
       .random = names ? api::RandomBits([this] { return ++random; }) : api::RandomBits()}};

  /// Runs all for some time, and ends it.
  void RunFor(std::chrono::nanoseconds span) {
    bool done = false;
    executor.Start("world", [&] {
      informers.Start();
      EXPECT_TRUE(informers.WaitForSync({}));
      controller.Start();
      executor.clock().SleepFor(span);
      shown = metrics.Text();
      EXPECT_TRUE(controller.Stop(executor.clock().DeadlineAfter(seconds(60))));
      informers.Stop();
      done = true;
    });
    const auto report = executor.RunFor(span + seconds(120));
    EXPECT_TRUE(done) << report.Describe();
  }

  void CreateParents(int n) const {
    const auto parents = sandbox.client().Dynamic(kParents);
    for (int i = 0; i < n; ++i) {
      EXPECT_TRUE(parents.Create(Named("name", "parent-" + std::to_string(i))));
    }
  }
};

/// Sees to it that every parent has so many children, whose names the server makes up. It keeps no
/// count of its own: what it does not see, it makes.
void KeepChildren(World& world, int wanted, std::size_t workers) {
  const auto parents = world.controller.Reads(kParents);
  const auto children = world.controller.Reads(kChildren);
  const auto parent_of = [](const Json& child) {
    const std::string name(api::IdentityOf(child).name);
    return name.substr(0, name.rfind('-'));
  };
  children.AddIndex("parent", [parent_of](const Json& child, cache::IndexValues& values) {
    values.push_back(parent_of(child));
  });
  auto& queue = world.controller.AddQueue<>(
      {.name = "parents", .workers = workers},
      [wanted, lister = children.lister()](Context& context,
                                           const ObjectKey& key) -> Result<Outcome> {
        const auto there = lister.ByIndex("parent", key.name);
        for (auto n = static_cast<int>(there.size()); n < wanted; ++n) {
          FLYBALL_TRY(context.Create(kChildren, Named("generateName", key.name + "-")));
        }
        return Outcome::RequeueAfter(seconds(1));  // looks again and again, however stale its view
      });
  world.controller.On<Json>(parents, {.added = [&queue](const auto& parent, bool) {
                              const auto identity = api::IdentityOf(*parent);
                              queue.Add({"default", std::string(identity.name)});
                            }});
  world.controller.On<Json>(children, {.added = [&queue, parent_of](const auto& child, bool) {
                              queue.Add({"default", parent_of(*child)});
                            }});
}

std::map<std::string, int> ChildrenByParent(World& world) {
  std::map<std::string, int> count;
  const auto children =
      world.sandbox.server().storage().List({.collection = "secrets", .after = {}});
  for (const sandbox::Entry& child : children->entries) {
    const std::string& name = child.key->name;
    ++count[name.substr(0, name.rfind('-'))];
  }
  return count;
}

std::map<std::string, int> Each(int parents, int children) {
  std::map<std::string, int> count;
  for (int i = 0; i < parents; ++i) count["parent-" + std::to_string(i)] = children;
  return count;
}

TEST(Controller, SeesItsOwnWritesBeforeItDecidesAgainHoweverLateTheWatch) {
  World world(1);
  world.faults.OnEvents(Requests::Watches()).Delay(seconds(5));
  world.CreateParents(10);
  KeepChildren(world, 3, 4);
  world.RunFor(seconds(60));
  EXPECT_EQ(ChildrenByParent(world), Each(10, 3));
  const std::string metrics = world.metrics.Text();
  EXPECT_THAT(metrics,
              HasSubstr("flyball_own_write_hold_duration_seconds_count{controller=\"test\"} 10\n"));
  EXPECT_THAT(metrics,
              HasSubstr("flyball_own_write_hold_duration_seconds_sum{controller=\"test\"} 50\n"));
  EXPECT_THAT(metrics, HasSubstr("flyball_own_write_holds{controller=\"test\"} 0\n"));
}

TEST(Controller, SeesItsOwnWriteBehindALargeEventBeforeItDecidesAgain) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    World world(seed);
    world.CreateParents(1);
    const auto children = world.controller.Reads(kChildren);
    int reconciles = 0;
    auto& queue = world.controller.AddQueue<>(
        {.name = "parents"},
        [&, lister = children.lister()](Context& context, const ObjectKey&) -> Result<Outcome> {
          ++reconciles;
          if (lister.Get({"default", "child"}) == nullptr) {
            Json large = Named("name", "large-" + std::to_string(reconciles));
            (*large.If<Json::Object>())["stringData"] =
                Json::Object{{"data", std::string(cache::Reflector::kLargeEvent, 'x')}};
            FLYBALL_TRY(world.sandbox.client().Dynamic(kChildren).Create(large));
            FLYBALL_TRY(context.Create(kChildren, Named("name", "child")));
          }
          return Outcome::RequeueAfter(seconds(1));
        });
    world.controller.On<Json>(world.controller.Reads(kParents),
                              {.added = [&queue](const auto& parent, bool) {
                                queue.Add({"default", std::string(api::IdentityOf(*parent).name)});
                              }});
    // Added again while it is reconciled: only the hold keeps it from deciding on what it sees.
    world.controller.On<Json>(
        children, {.added = [&queue](const auto&, bool) { queue.Add({"default", "parent-0"}); }});
    world.RunFor(seconds(8));
    EXPECT_EQ(ChildrenByParent(world), (std::map<std::string, int>{{"child", 1}, {"large", 1}}))
        << "seed " << seed;
    EXPECT_GE(reconciles, 8) << "seed " << seed;
  }
}

TEST(Controller, NeverCreatesTwiceWhereAnAnswerWasLost) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    World world(seed);
    world.faults.OnEvents(Requests::Watches()).Delay(seconds(1));
    world.faults.On(Requests::Writes()).WithProbability(0.1).LoseAnswer();
    world.CreateParents(10);
    KeepChildren(world, 5, 4);
    world.RunFor(seconds(300));
    EXPECT_EQ(ChildrenByParent(world), Each(10, 5)) << "seed " << seed;
  }
}

TEST(Controller, NeverCreatesTwiceWhereACreateWasCarriedOutAndAnsweredWithAServerError) {
  for (const int code : {500, 502, 503, 504}) {
    World world(1);
    world.faults.OnEvents(Requests::Watches()).Delay(seconds(1));
    const auto refused = world.faults.On(Requests::Creates()).Every(3).Times(5).RefuseAfter(code);
    world.CreateParents(10);
    KeepChildren(world, 2, 4);
    world.RunFor(seconds(300));
    EXPECT_EQ(refused.count(), 5) << code;
    EXPECT_EQ(ChildrenByParent(world), Each(10, 2)) << code;
    EXPECT_THAT(world.shown, HasSubstr("flyball_ambiguous_writes_total{name=\"parents\"} 5\n"));
  }
}

TEST(Controller, NeverCreatesTwiceWhereTheServerErrorSaysRetryAfter) {
  World world(1);
  meta::v1::Status status;
  status.status = "Failure";
  status.code = 503;
  status.reason = "ServiceUnavailable";
  status.details.emplace().retryAfterSeconds = 1;
  world.faults.OnEvents(Requests::Watches()).Delay(seconds(5));
  const auto refused =
      world.faults.On(Requests::Creates()).Once().RefuseAfter(sandbox::ApiStatusError(status));
  world.CreateParents(1);
  KeepChildren(world, 1, 1);
  world.RunFor(seconds(60));
  EXPECT_EQ(refused.count(), 1);
  EXPECT_EQ(ChildrenByParent(world), Each(1, 1));
}

TEST(Controller, AWriteThatWasNotSentIsTriedAgainWithoutAQuestion) {
  World world(1);
  const auto cut = world.faults.On(Requests::Creates()).Once().Disconnect();
  world.CreateParents(1);
  KeepChildren(world, 1, 1);
  world.RunFor(seconds(60));
  EXPECT_EQ(cut.count(), 1);
  EXPECT_EQ(ChildrenByParent(world), Each(1, 1));
  EXPECT_THAT(world.shown, HasSubstr("flyball_ambiguous_writes_total{name=\"parents\"} 0\n"));
}

TEST(Controller, AKeyThatWaitsForItsWritesHoldsUpNoOther) {
  World world(1);
  world.faults.OnEvents(Requests::Watches()).Delay(seconds(30));
  world.CreateParents(50);
  KeepChildren(world, 1, 1);
  world.RunFor(seconds(20));  // before any write was seen
  EXPECT_EQ(ChildrenByParent(world), Each(50, 1));
  EXPECT_THAT(world.shown, HasSubstr("flyball_own_write_holds{controller=\"test\"} 50\n"));
}

TEST(Controller, AfterAWriteAKeyWaitsForTheMinimumInterval) {
  World world(1);
  const auto parents = world.controller.Reads(kParents);
  world.controller.Reads(kChildren);
  std::vector<std::chrono::nanoseconds> reconciles;
  SteadyTime begin;
  auto& queue = world.controller.AddQueue<>(
      {.name = "parents", .min_interval_after_write = seconds(2)},
      [&](Context& context, const ObjectKey& key) -> Result<Outcome> {
        reconciles.push_back(world.executor.clock().SteadyNow() - begin);
        if (reconciles.size() > 3) return Outcome::Done();
        FLYBALL_TRY(context.Create(kChildren, Named("generateName", key.name + "-")));
        return Outcome::Done();
      });
  world.executor.Start("people", [&] {
    begin = world.executor.clock().SteadyNow();
    for (int i = 0; i < 50; ++i) {
      world.executor.clock().SleepFor(std::chrono::milliseconds(100));
      queue.Add({"default", "parent"});
    }
  });
  world.RunFor(seconds(60));
  // At once; and whenever it has rested, for all that came meanwhile.
  ASSERT_EQ(reconciles.size(), 4U);
  for (int i = 0; i < 4; ++i) {
    EXPECT_GE(reconciles[i], std::chrono::milliseconds(100) + i * seconds(2));
    EXPECT_LT(reconciles[i], std::chrono::milliseconds(200) + i * std::chrono::milliseconds(2050));
  }
}

/// The sweep of tests/faults found this: nobody was told of a deletion, since the cache never had
/// what was deleted.
TEST(Controller, MakesAgainWhatWasDeletedBeforeTheCacheEverHadIt) {
  World world(1);
  const auto parents = world.controller.Reads(kParents);
  const auto children = world.controller.Reads(kChildren);
  auto& queue = world.controller.AddQueue<>(
      {.name = "parents"},
      [lister = children.lister()](Context& context, const ObjectKey& key) -> Result<Outcome> {
        if (lister.Get(key)) return Outcome::Done();
        FLYBALL_TRY(context.Create(kChildren, Named("name", key.name)));
        return Outcome::Done();
      });
  world.controller.On<Json>(parents, {.added = [&queue](const auto& parent, bool) {
                              const auto identity = api::IdentityOf(*parent);
                              queue.Add({"default", std::string(identity.name)});
                            }});
  world.controller.On<Json>(children, {.deleted = [&queue](const auto& child, bool) {
                              const auto identity = api::IdentityOf(*child);
                              queue.Add({"default", std::string(identity.name)});
                            }});
  world.executor.Start("people", [&] {
    world.executor.clock().SleepFor(seconds(1));  // by then the caches are filled
    auto held = world.faults.OnEvents(Requests::Watches().Of("secrets")).Hold();
    world.CreateParents(1);
    world.executor.clock().SleepFor(seconds(1));
    const auto client = world.sandbox.client().Dynamic(kChildren);
    EXPECT_TRUE(client.Delete({"default", "parent-0"}));
    world.faults.On(Requests::Watches().Of("secrets")).Once().Expire();
    world.faults.BreakWatches(Requests::Watches().Of("secrets"));
    held.Lift();
  });
  world.RunFor(seconds(30));
  EXPECT_TRUE(world.sandbox.client().Dynamic(kChildren).Get({"default", "parent-0"}));
}

TEST(Controller, KeyIsHeldForAsLongAsTheWatchStandsStill) {
  World world(1);
  KeepChildren(world, 1, 1);
  world.executor.Start("people", [&] {
    world.executor.clock().SleepFor(seconds(1));  // by then the caches are filled
    const auto still = world.faults.OnEvents(Requests::Watches().Of("secrets")).Hold();
    world.CreateParents(1);
    world.executor.clock().SleepFor(std::chrono::minutes(40));
  });
  world.RunFor(std::chrono::minutes(30));
  EXPECT_EQ(ChildrenByParent(world), Each(1, 1));
  EXPECT_THAT(world.shown, HasSubstr("flyball_own_write_holds{controller=\"test\"} 1\n"));
  EXPECT_THAT(world.shown, testing::ContainsRegex(
                               "flyball_own_write_oldest_hold_seconds.controller=.test.. 17"));
}

/// The write is carried out by a proxy, or a webhook, after the first list that asked for it.
TEST(Controller, NeverCreatesTwiceWhereAWriteIsCarriedOutLate) {
  for (const seconds late : {seconds(1), seconds(9), seconds(29), seconds(31)}) {
    World world(1);
    // A name is the server's to make up here, so that only time tells.
    world.faults.On(Requests::Creates()).Once().ActLater(late);
    world.CreateParents(1);
    KeepChildren(world, 1, 1);
    world.RunFor(seconds(120));
    EXPECT_EQ(ChildrenByParent(world), Each(1, 1)) << late.count();
  }
}

/// Sees to it that there is one child of the owner "parent-uid", under a name of the controller's.
/// Errors are kept.
std::shared_ptr<std::vector<Error>> KeepOwnChild(World& world) {
  const auto children = world.controller.Reads(kChildren);
  auto errors = std::make_shared<std::vector<Error>>();
  auto& queue = world.controller.AddQueue<>(
      {.name = "parents"},
      [errors, lister = children.lister()](Context& context, const ObjectKey&) -> Result<Outcome> {
        const auto owned = [](const auto& child) {
          return ControllerUidOf(*child) == "parent-uid";
        };
        const auto there = lister.List();
        if (std::ranges::any_of(there, owned)) return Outcome::Done();
        Json child = Named("generateName", "child-");
        (*child.If<Json::Object>())["metadata"].If<Json::Object>()->insert_or_assign(
            "ownerReferences", Json::Array{Json::Object{{"apiVersion", "v1"},
                                                        {"kind", "ConfigMap"},
                                                        {"name", "parent"},
                                                        {"uid", "parent-uid"},
                                                        {"controller", true}}});
        const auto created = context.Create(kChildren, child);
        if (created) return Outcome::Done();
        errors->push_back(created.error());
        return std::unexpected(created.error());
      });
  world.controller.On<Json>(children, {.deleted = [](const auto&, bool) {}});
  queue.Add({"default", "parent"});
  return errors;
}

std::size_t ChildrenIn(World& world) {
  return world.sandbox.server()
      .storage()
      .List({.collection = "secrets", .after = {}})
      ->entries.size();
}

TEST(Controller, CreateWhoseAnswerWasLostIsAskedAboutAtOnce) {
  for (const bool lost : {true, false}) {
    World world(1, /*makes_up_names=*/true);
    if (lost) {
      world.faults.On(Requests::Creates()).Once().LoseAnswer();
    } else {
      world.faults.On(Requests::Creates()).Once().RefuseAfter(503);
    }
    const auto errors = KeepOwnChild(world);
    world.RunFor(seconds(1));
    EXPECT_EQ(errors->size(), 1U);
    EXPECT_EQ(ChildrenIn(world), 1U);
    EXPECT_EQ(world.journal.lines().size(), 1U);
    EXPECT_THAT(world.shown, HasSubstr("flyball_own_write_holds{controller=\"test\"} 0\n"));
  }
}

TEST(Controller, CreateThatAProxySentTwiceIsOneObject) {
  World world(1, /*makes_up_names=*/true);
  world.faults.On(Requests::Creates()).Once().SendTwice();
  const auto errors = KeepOwnChild(world);
  world.RunFor(seconds(60));
  EXPECT_THAT(*errors, testing::IsEmpty());
  EXPECT_EQ(ChildrenIn(world), 1U);
}

/// It is repeated under its name, long before the first can no longer happen.
TEST(Controller, CreateThatIsCarriedOutLateMeetsTheNameOfItsRepeat) {
  for (const seconds late : {seconds(1), seconds(9), seconds(29), seconds(31)}) {
    World world(1, /*makes_up_names=*/true);
    world.faults.On(Requests::Creates()).Once().ActLater(late);
    const auto errors = KeepOwnChild(world);
    std::size_t soon = 0;
    world.executor.Start("observer", [&] {
      world.executor.clock().SleepFor(std::chrono::milliseconds(500));
      soon = ChildrenIn(world);
    });
    world.RunFor(seconds(60));
    EXPECT_EQ(errors->size(), 1U);
    EXPECT_EQ(soon, 1U);
    EXPECT_EQ(ChildrenIn(world), 1U) << late.count();
  }
}

/// The first may have used up a quota, say, or still come.
TEST(Controller, RefusalOfARepeatLeavesTheFirstInDoubt) {
  World world(1, /*makes_up_names=*/true);
  world.faults.On(Requests::Creates()).Once().ActLater(seconds(20));
  const auto refused = world.faults.On(Requests::Creates()).After(1).Times(3).Refuse(403);
  const auto errors = KeepOwnChild(world);
  world.RunFor(seconds(100));
  EXPECT_EQ(refused.count(), 3);
  EXPECT_EQ(errors->size(), 4U);
  EXPECT_EQ(ChildrenIn(world), 1U);
}

/// Else it would be tried for ever, and the next object would not come under another name.
TEST(Controller, NameIsNoLongerInDoubtWhenItsTimeHasPassed) {
  World world(1, /*makes_up_names=*/true);
  world.faults.On(Requests::Creates()).Once().Break();
  world.faults.On(Requests::Creates()).After(1).Times(13).Refuse(403);  // for 40 s
  const auto errors = KeepOwnChild(world);
  world.RunFor(seconds(100));
  EXPECT_EQ(errors->size(), 14U);
  EXPECT_EQ(ChildrenIn(world), 1U);
  const std::string first = api::GenerateName("child-", [] { return std::uint64_t{1}; });
  EXPECT_FALSE(world.sandbox.client().Dynamic(kChildren).Get({"default", first}));
}

/// The victim is another at each reconcile, as it is where pods become ready meanwhile.
TEST(Controller, DeleteThatIsCarriedOutLateIsNotMadeUpForByAnother) {
  for (const seconds late : {seconds(1), seconds(9), seconds(29), seconds(31)}) {
    World world(1);
    for (const char* const name : {"a", "b", "c"}) {
      ASSERT_TRUE(world.sandbox.client().Dynamic(kChildren).Create(Named("name", name)));
    }
    world.faults.On(Requests::Deletes()).Once().ActLater(late);
    const auto children = world.controller.Reads(kChildren);
    auto reconciles = std::make_shared<std::size_t>(0);
    auto& queue = world.controller.AddQueue<>(
        {.name = "parents"},
        [reconciles, lister = children.lister()](Context& context,
                                                 const ObjectKey&) -> Result<Outcome> {
          const auto there = lister.List();
          if (there.size() < 3) return Outcome::Done();
          const auto victim = api::IdentityOf(*there.at((*reconciles)++ % there.size()));
          FLYBALL_TRY(context.Delete(kChildren, victim));
          return Outcome::Done();
        });
    queue.Add({"default", "parent"});
    world.RunFor(seconds(120));
    EXPECT_EQ(ChildrenIn(world), 2U) << late.count();
  }
}

TEST(Controller, NameThatAnotherHasIsReplaced) {
  World world(1, /*makes_up_names=*/true);
  const auto others = world.sandbox.client().Dynamic(kChildren);
  std::uint64_t next = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(others.Create(Named("name", api::GenerateName("child-", [&] { return ++next; }))));
  }
  world.random = 0;
  const auto errors = KeepOwnChild(world);
  world.RunFor(seconds(10));
  EXPECT_THAT(*errors, testing::IsEmpty());
  EXPECT_EQ(ChildrenIn(world), 4U);
}

/// Another one at each try, and no event would ever be the same twice.
TEST(Controller, RefusalNamesTheGenerateNameInPlaceOfAMadeUpName) {
  World world(1, /*makes_up_names=*/true);
  const std::string name = api::GenerateName("child-", [] { return std::uint64_t{1}; });
  world.faults.On(Requests::Creates()).Refuse(sandbox::Forbidden({"", "secrets"}, name, "no"));
  const auto errors = KeepOwnChild(world);
  world.RunFor(std::chrono::milliseconds(1));
  ASSERT_FALSE(errors->empty());
  EXPECT_EQ(errors->front().message(), "secrets \"child-\" is forbidden: no");
}

TEST(Controller, ConflictHoldsTheKeyUntilTheCacheShowsTheOtherWrite) {
  World world(1);
  int reconciles = 0;
  const auto maps = world.controller.Reads(kParents);
  auto& queue = world.controller.AddQueue<>(
      {.name = "maps"},
      [&, lister = maps.lister()](Context& context, const ObjectKey& key) -> Result<Outcome> {
        ++reconciles;
        Json map = *lister.Get(key);
        map.If<Json::Object>()->insert_or_assign("data", Json::Object{{"by", "us"}});
        FLYBALL_TRY(context.Update(kParents, map));
        return Outcome::Done();
      });
  world.CreateParents(1);
  world.executor.Start("people", [&] {
    Clock& clock = world.executor.clock();
    clock.SleepFor(seconds(1));
    auto still = world.faults.OnEvents(Requests::Watches()).Hold();
    const auto client = world.sandbox.client().Dynamic(kParents);
    EXPECT_TRUE(client.Patch({"default", "parent-0"},
                             client::Patch::Merge(*Json::Parse(R"({"data":{"by":"others"}})"))));
    queue.Add({"default", "parent-0"});
    clock.SleepFor(seconds(50));
    EXPECT_EQ(reconciles, 1) << "it would be refused again";
    still.Lift();
  });
  world.RunFor(seconds(60));
  EXPECT_EQ(reconciles, 2);
}

TEST(Controller, ReconcileThatFailsKeepsItsAppointment) {
  World world(1);
  std::vector<std::int64_t> reconciles;
  SteadyTime begin;
  auto& queue = world.controller.AddQueue<std::string>(
      {.name = "keys", .back_off = {.first = seconds(8)}},
      [&](Context& context, const std::string&) -> Result<Outcome> {
        const auto now = world.executor.clock().SteadyNow() - begin;
        reconciles.push_back(std::chrono::duration_cast<seconds>(now).count());
        if (reconciles.size() < 3) context.RequeueAfter(seconds(100) - now);
        // From then on it does not even come to its plan.
        return Fail(ErrorCode::kForbidden, "every write is refused");
      });
  begin = world.executor.clock().SteadyNow();
  queue.Add("key");
  world.RunFor(seconds(130));
  EXPECT_THAT(reconciles, ElementsAre(0, 8, 24, 56, 100));
}

TEST(Controller, ServerThatSaysRetryAfterIsNotAskedBefore) {
  World world(1);
  meta::v1::Status status;
  status.status = "Failure";
  status.code = 429;
  status.reason = "TooManyRequests";
  status.details.emplace().retryAfterSeconds = 60;
  const auto refused =
      world.faults.On(Requests::Creates()).Once().Refuse(sandbox::ApiStatusError(status));
  world.CreateParents(1);
  KeepChildren(world, 1, 1);
  world.executor.Start("observer", [&] {
    world.executor.clock().SleepFor(seconds(55));
    EXPECT_EQ(ChildrenByParent(world), Each(0, 0));
  });
  world.RunFor(seconds(70));
  EXPECT_EQ(refused.count(), 1);
  EXPECT_EQ(ChildrenByParent(world), Each(1, 1));
}

/// One key looks after all children: it may write to each once, whatever the watch does, and goes
/// on with the others.
TEST(Controller, KeyThatStandsForManyObjectsIsNotHeldForOne) {
  World world(1);
  const auto children = world.controller.Reads(kParents);
  std::map<std::string, int> written;
  auto& queue = world.controller.AddQueue<std::string>(
      {.name = "all", .keys_of = "none", .hold_objects = true},
      [&, lister = children.lister()](Context& context, const std::string&) -> Result<Outcome> {
        for (const auto& map : lister.List()) {
          const auto identity = api::IdentityOf(*map);
          const ObjectKey key{"default", std::string(identity.name)};
          if (context.AwaitsOwnWrite(kParents, key)) continue;
          const auto data = map->ToString();
          if (data.contains("seen")) continue;
          ++written[key.name];
          const auto patched = context.Patch(
              kParents, key, client::Patch::Merge(*Json::Parse(R"({"data":{"seen":"yes"}})")));
          if (!patched) return std::unexpected(patched.error());
        }
        return Outcome::RequeueAfter(seconds(1));
      });
  world.CreateParents(2);
  world.executor.Start("people", [&] {
    world.executor.clock().SleepFor(seconds(1));
    world.faults.OnEvents(Requests::Watches()).Delay(seconds(20));
    queue.Add("all");
    world.executor.clock().SleepFor(seconds(2));
    EXPECT_TRUE(world.sandbox.client().Dynamic(kParents).Create(Named("name", "late")));
  });
  world.RunFor(seconds(60));
  EXPECT_EQ(written, (std::map<std::string, int>{{"parent-0", 1}, {"parent-1", 1}, {"late", 1}}));
}

/// A pod that a finalizer keeps was deleted without end: each delete is shown at once.
TEST(Controller, KeyThatStandsForManyObjectsIsRequeuedOnlyForObjectsThatAreAwaited) {
  for (const bool waits : {false, true}) {
    World world(1);
    world.controller.Reads(kParents);
    int reconciles = 0;
    auto& queue = world.controller.AddQueue<std::string>(
        {.name = "all", .keys_of = "none", .hold_objects = true},
        [&](Context& context, const std::string&) -> Result<Outcome> {
          const ObjectKey key{"default", "parent-0"};
          const std::string count = std::to_string(++reconciles);
          FLYBALL_TRY(context.Patch(
              kParents, key,
              client::Patch::Merge(*Json::Parse(R"({"data":{"count":")" + count + R"("}})"))));
          if (waits && reconciles == 1) context.RequeueWhenShown(kParents, key);
          return Outcome::Done();
        });
    world.CreateParents(1);
    queue.Add("all");
    world.RunFor(seconds(10));
    EXPECT_EQ(reconciles, waits ? 2 : 1);
  }
}

TEST(Controller, CountsTheWritesOfWhichNobodyKnows) {
  World world(1);
  world.faults.OnEvents(Requests::Watches()).Delay(seconds(1));
  world.faults.On(Requests::Writes()).Once().LoseAnswer();
  world.CreateParents(1);
  KeepChildren(world, 2, 1);
  world.RunFor(seconds(60));
  EXPECT_EQ(ChildrenByParent(world), Each(1, 2));
  EXPECT_THAT(world.metrics.Text(),
              HasSubstr("flyball_ambiguous_writes_total{name=\"parents\"} 1\n"));
}

TEST(Controller, ReportsItsKeysAndWhyTheyFailed) {
  World world(1);
  bool well = false;
  auto& queue = world.controller.AddQueue<std::string>(
      {.name = "keys", .back_off = {.first = seconds(1)}, .max_retries = 2},
      [&](Context&, const std::string& key) -> Result<Outcome> {
        if (well || key == "good") return Outcome::RequeueAfter(seconds(100));
        return Fail(ErrorCode::kConflict, "somebody was faster");
      });
  queue.Add("good");
  queue.Add("bad");
  world.executor.Start("observer", [&] {
    const std::string why = "conflict: somebody was faster";
    Clock& clock = world.executor.clock();
    clock.SleepFor(std::chrono::milliseconds(1500));
    const QueueReport failing = world.controller.Queues(10).at(0);
    EXPECT_EQ(failing.name, "keys");
    EXPECT_EQ(failing.sizes, (queue::QueueSizes{.delayed = 2}));
    EXPECT_EQ(failing.failing, 1U);
    const KeyReport bad{
        .key = "bad", .due_in = std::chrono::milliseconds(1500), .retries = 2, .last_error = why};
    const KeyReport good{.key = "good", .due_in = std::chrono::milliseconds(98'500)};
    EXPECT_THAT(failing.keys, ElementsAre(bad, good));
    EXPECT_THAT(world.controller.Queues(1).at(0).keys, ElementsAre(bad));

    clock.SleepFor(seconds(10));  // by then it is given up
    EXPECT_EQ(world.controller.Queues(10).at(0).keys.back(),
              (KeyReport{.key = "bad", .last_error = why}));

    well = true;
    queue.Add("bad");
    clock.SleepFor(seconds(1));
    EXPECT_EQ(world.controller.Queues(10).at(0).failing, 0U);
  });
  world.RunFor(seconds(20));
}

TEST(Controller, RecordsTheTriggersAndOutcomesOfReconciles) {
  World world(1);
  world.CreateParents(2);
  KeepChildren(world, 3, 1);
  world.RunFor(seconds(10));

  const std::vector<std::string> keys = {"default/parent-1"};
  const ControllerTrace trace = world.controller.Trace(keys);
  EXPECT_EQ(trace.name, "test");
  EXPECT_FALSE(trace.running) << "it was stopped";
  ASSERT_EQ(trace.caches.size(), 2);
  EXPECT_EQ(trace.caches[0].resource, "configmaps");
  EXPECT_TRUE(trace.caches[1].synced);
  ASSERT_EQ(trace.queues.size(), 1);
  ASSERT_EQ(trace.queues[0].keys.size(), 1);
  const auto& records = trace.queues[0].keys[0].records;
  ASSERT_EQ(records.size(), 2);

  EXPECT_EQ(records[0].cause, "configmaps default/parent-1 found");
  EXPECT_EQ(records[0].causes, 1);
  EXPECT_EQ(records[0].reads.size(), 2);
  ASSERT_EQ(records[0].writes.size(), 1);
  EXPECT_EQ(records[0].writes[0].verb, TracedWrite::Verb::kCreate);
  EXPECT_EQ(records[0].writes[0].resource, "secrets");
  EXPECT_EQ(records[0].writes[0].times, 3);
  EXPECT_THAT(records[0].writes[0].name, testing::StartsWith("parent-1-"));
  EXPECT_EQ(records[0].end, ReconcileRecord::End::kRequeueAfter);
  EXPECT_EQ(records[0].requeue_after, seconds(1));
  EXPECT_NE(records[0].reads, records[1].reads) << "what it wrote is there";

  // Once that they are there, and then every second.
  EXPECT_EQ(records[1].times, 11);
  EXPECT_EQ(records[1].cause, "it was time");
  EXPECT_EQ(records[1].time - records[1].since, seconds(10));
}

TEST(Controller, RemembersAgainAndAgainWhyItFails) {
  World world(1);
  auto& queue = world.controller.AddQueue<std::string>(
      {.name = "keys"}, [](Context& context, const auto&) -> Result<Outcome> {
        context.Decided("update what is not there");
        FLYBALL_TRY(context.Update(kParents, Named("name", "nobody")));
        return Outcome::Done();
      });
  queue.Add("key");
  world.RunFor(seconds(1));
  const auto trace = world.controller.Trace({}).queues.at(0).keys.at(0);
  EXPECT_EQ(trace.now.key, "key");
  ASSERT_EQ(trace.records.size(), 1) << "all came to the same";
  EXPECT_EQ(trace.records[0].times, 8);
  EXPECT_EQ(trace.records[0].cause, "retry 7");
  EXPECT_THAT(trace.records[0].decided, ElementsAre("update what is not there"));
  ASSERT_EQ(trace.records[0].writes.size(), 1);
  EXPECT_EQ(trace.records[0].writes[0].refused, ErrorCode::kNotFound);
  EXPECT_EQ(trace.records[0].end, ReconcileRecord::End::kFailed);
  EXPECT_THAT(trace.records[0].error, HasSubstr("nobody"));
}

TEST(Controller, RecordsEventsUnderItsNameOrAnother) {
  World world(1);
  auto& queue = world.controller.AddQueue<std::string>(
      {.name = "keys"}, [](Context& context, const std::string& key) -> Result<Outcome> {
        context.events().Event(Named("name", key), EventType::kNormal, "Seen", "it was seen");
        return Outcome::Done();
      });
  queue.Add("a");
  world.controller.events().Event(Named("name", "b"), EventType::kWarning, "Lost", "it was not");
  world.RunFor(seconds(1));
  EXPECT_THAT(world.events.lines(),
              ElementsAre("Warning Lost: it was not", "Normal Seen: it was seen"));

  std::vector<std::string> components;
  const Controller::Deps deps{.client = world.client,
                              .informers = world.informers,
                              .executor = world.executor,
                              .timers = world.timers,
                              .events = [&](const std::string& component) {
                                components.push_back(component);
                                return std::make_unique<FakeEventRecorder>();
                              }};
  const Controller plain("node-ipam-controller", deps);
  const Controller other("endpoints-controller", deps, "endpoint-controller");
  EXPECT_THAT(components, ElementsAre("node-ipam-controller", "endpoint-controller"));
}

TEST(Controller, TheSameSeedGivesTheSameWrites) {
  const auto run = [](std::uint64_t seed) {
    World world(seed);
    world.faults.OnEvents(Requests::Watches()).Delay(seconds(2));
    world.faults.On(Requests::Writes()).WithProbability(0.15).LoseAnswer();
    world.CreateParents(10);
    KeepChildren(world, 4, 3);
    world.RunFor(seconds(200));
    return world.journal.lines();
  };
  const auto once = run(7);
  EXPECT_EQ(once.size(), 40);
  EXPECT_EQ(run(7), once);
  EXPECT_NE(run(8), once);
}

TEST(Controller, AnErrorOrAnExceptionIsTriedAgainAndHarmsNoOtherKey) {
  World world(1);
  std::map<std::string, int> calls;
  auto& queue = world.controller.AddQueue<std::string>(
      {.name = "keys"}, [&calls](Context&, const std::string& key) -> Result<Outcome> {
        const int call = ++calls[key];
        if (key == "fails" && call < 4) return Fail(ErrorCode::kConflict, "not yet");
        if (key == "throws" && call < 3) throw std::runtime_error("oh");
        return Outcome::Done();
      });
  for (const char* key : {"fails", "throws", "works"}) queue.Add(key);
  world.RunFor(seconds(10));
  EXPECT_EQ(calls, (std::map<std::string, int>{{"fails", 4}, {"throws", 3}, {"works", 1}}));
  const std::string metrics = world.metrics.Text();
  EXPECT_THAT(metrics, HasSubstr("flyball_reconciles_total{name=\"keys\",outcome=\"done\"} 3\n"));
  EXPECT_THAT(metrics, HasSubstr("flyball_reconciles_total{name=\"keys\",outcome=\"failed\"} 5\n"));
  EXPECT_THAT(metrics, HasSubstr("flyball_reconcile_exceptions_total{name=\"keys\"} 2\n"));
}

TEST(Controller, KeyThatFailsTooOftenIsDroppedUntilItIsAddedAgain) {
  World world(1);
  int calls = 0;
  auto& queue = world.controller.AddQueue<std::string>(
      {.name = "keys", .max_retries = 3}, [&calls](Context&, const auto&) -> Result<Outcome> {
        ++calls;
        return Fail(ErrorCode::kConflict, "never");
      });
  queue.Add("key");
  world.executor.Start("again", [&] {
    world.executor.clock().SleepFor(seconds(20));
    queue.Add("key");
  });
  world.RunFor(seconds(40));
  EXPECT_EQ(calls, 8);
  EXPECT_THAT(world.metrics.Text(),
              HasSubstr("flyball_reconciles_total{name=\"keys\",outcome=\"given_up\"} 2\n"));
}

TEST(Controller, RequeueAfterReconcilesAgainAfterTheDelay) {
  World world(1);
  std::vector<WallTime> times;
  auto& queue = world.controller.AddQueue<std::string>(
      {.name = "keys"}, [&times](Context& context, const auto&) -> Result<Outcome> {
        times.push_back(context.now());
        return times.size() < 3 ? Outcome::RequeueAfter(seconds(10)) : Outcome::Done();
      });
  queue.Add("key");
  world.RunFor(seconds(60));
  ASSERT_EQ(times.size(), 3);
  EXPECT_EQ(times[1] - times[0], seconds(10));
  EXPECT_EQ(times[2] - times[1], seconds(10));
  EXPECT_THAT(world.metrics.Text(),
              HasSubstr("flyball_reconciles_total{name=\"keys\",outcome=\"again\"} 2\n"));
}

TEST(Controller, RequeueWithBackoffIsNoFailure) {
  World world(1);
  std::vector<std::int64_t> milliseconds;
  auto& queue = world.controller.AddQueue<>(
      {.name = "keys"}, [&](Context& context, const ObjectKey&) -> Result<Outcome> {
        const auto since_start = context.now().time_since_epoch();
        milliseconds.push_back(
            std::chrono::duration_cast<std::chrono::milliseconds>(since_start).count());
        return milliseconds.size() < 5 ? Outcome::RequeueWithBackoff() : Outcome::Done();
      });
  queue.Add({"default", "key"});
  world.RunFor(seconds(10));
  ASSERT_EQ(milliseconds.size(), 5u);
  for (std::size_t at = 4; at > 0; --at) milliseconds[at] -= milliseconds[at - 1];
  milliseconds.erase(milliseconds.begin());
  EXPECT_THAT(milliseconds, ElementsAre(5, 10, 20, 40));
  EXPECT_EQ(queue.Report(10).failing, 0u);
  EXPECT_EQ(queue.keys().Retries({"default", "key"}), 0) << "the next time is the first again";
}

TEST(Controller, BeginsBeforeItsFirstReconcileAndEndsAfterItsLastTask) {
  std::vector<std::string> order;
  World world(1);
  auto& queue = world.controller.AddQueue<>({.name = "keys"},
                                            [&](Context&, const ObjectKey&) -> Result<Outcome> {
                                              order.emplace_back("reconcile");
                                              return Outcome::Done();
                                            });
  queue.Add({"default", "key"});
  world.controller.OnStart([&](const std::stop_token&) {
    order.emplace_back("begin");
    world.executor.clock().SleepFor(seconds(5));
  });
  world.controller.OnStop([&] { order.emplace_back("end"); });
  bool done = false;
  world.executor.Start("world", [&] {
    std::stop_source stop;
    EXPECT_TRUE(world.controller.WaitForSync(stop.get_token()));
    EXPECT_THAT(order, ElementsAre("begin"));
    world.controller.Start();
    world.executor.clock().SleepFor(seconds(1));
    EXPECT_TRUE(world.controller.Stop(world.executor.clock().DeadlineAfter(seconds(60))));
    EXPECT_THAT(order, ElementsAre("begin", "reconcile", "end"));
    stop.request_stop();
    EXPECT_FALSE(world.controller.WaitForSync(stop.get_token()));
    done = true;
  });
  const auto report = world.executor.RunFor(seconds(60));
  EXPECT_TRUE(done) << report.Describe();
}

TEST(Controller, DoesSomethingAgainAndAgainUntilItIsStopped) {
  World world(1);
  int runs = 0;
  world.controller.Every("tidy", seconds(10), [&](const std::stop_token&) {
    if (++runs == 2) throw std::runtime_error("oh");
  });
  world.RunFor(seconds(35));
  EXPECT_EQ(runs, 4);
}

TEST(Controller, StopWaitsForWhatIsUnderWay) {
  World world(1);
  bool ended = false;
  auto& queue = world.controller.AddQueue<std::string>(
      {.name = "keys"}, [&](Context& context, const auto&) -> Result<Outcome> {
        world.executor.clock().SleepFor(seconds(30));
        EXPECT_TRUE(context.stop().stop_requested());
        ended = true;
        return Outcome::Done();
      });
  queue.Add("key");
  world.RunFor(seconds(5));
  EXPECT_TRUE(ended);
  EXPECT_THAT(world.metrics.Text(),
              HasSubstr("flyball_reconcile_duration_seconds_sum{name=\"keys\"} 30\n"));
}

}  // namespace
}  // namespace flyball::runtime
