#include "flyball/sandbox/faults.h"

#include <functional>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/serving/http_server.h"
#include "flyball/transport/http_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using namespace std::chrono_literals;
using client::EventType;
using core::v1::ConfigMap;
using core::v1::Secret;
using testing::ElementsAre;
using testing::IsEmpty;

/// A server, faults before it, and a client that meets them, on virtual time.
class FaultsTest : public testing::Test {
 protected:
  /// Runs what a test does, to its end.
  void Play(std::function<void()> test) {
    bool done = false;
    executor_.Start("test", [&] {
      test();
      done = true;
    });
    const auto report = executor_.RunFor(24h);
    EXPECT_TRUE(done) << report.Describe();
    if (!done) executor_.Abandon();
  }
  std::chrono::nanoseconds Now() { return executor_.clock().SteadyNow() - start_; }

  static ConfigMap Named(std::string name, std::string value = "") {
    ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = std::move(name);
    if (!value.empty()) map.data["value"] = std::move(value);
    return map;
  }
  /// What is there, whatever the faults.
  std::vector<std::string> Stored() {
    return NamesOf(sandbox_.client().Of<ConfigMap>().ListIn("default"));
  }
  static std::vector<std::string> NamesOf(const Result<api::List<ConfigMap>>& list) {
    std::vector<std::string> names;
    if (!list) return {list.error().Describe()};
    for (const auto& map : list->items) names.push_back(map.metadata.name);
    return names;
  }
  static meta::v1::ListOptions FromVersion(std::string version) {
    meta::v1::ListOptions options;
    options.resourceVersion = std::move(version);
    return options;
  }
  static meta::v1::ListOptions Page(std::int64_t limit, std::string token = "") {
    meta::v1::ListOptions options;
    options.limit = limit;
    options.continue_ = std::move(token);
    return options;
  }
  /// "ADDED a", or how the watch ended.
  static std::string Line(const Result<std::optional<client::WatchEvent<ConfigMap>>>& event) {
    if (!event) return std::string(ToString(event.error().code()));
    if (!*event) return "end";
    return std::string(ToString((*event)->type)) + " " + (*event)->object.metadata.name;
  }

  DeterministicExecutor executor_{1};
  const SteadyTime start_ = executor_.clock().SteadyNow();
  Timers timers_{executor_};
  Sandbox sandbox_{{executor_, timers_}, {.seed = 1}};
  Faults faults_{sandbox_.transport(), executor_};
  Session session_{faults_, executor_.clock()};
  const client::ResourceClient<ConfigMap> maps_ = session_.client().Of<ConfigMap>();
};

TEST_F(FaultsTest, WithoutRulesNothingIsDifferent) {
  Play([&] {
    EXPECT_TRUE(maps_.Create(Named("a")));
    auto watch = maps_.WatchIn("default");
    EXPECT_EQ(Line(watch->Next()), "ADDED a");
    EXPECT_TRUE(maps_.Delete({"default", "a"}));
    EXPECT_EQ(Line(watch->Next()), "DELETED a");
    EXPECT_EQ(Now(), 0s);
  });
  EXPECT_EQ(faults_.writes(), 2);
}

TEST_F(FaultsTest, AnswersAtOnceAreThereAtOnce) {
  // Outside of a run nobody can wait.
  EXPECT_TRUE(maps_.Create(Named("a")));
  EXPECT_TRUE(maps_.Get({"default", "a"}));
}

TEST_F(FaultsTest, ARequestIsRefusedInTheServersPlace) {
  const Fault refused = faults_.On(Requests::Creates().Of("configmaps")).Once().Refuse(422);
  Play([&] {
    const auto created = maps_.Create(Named("a"));
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), ErrorCode::kInvalid);
    EXPECT_THAT(Stored(), IsEmpty());
    EXPECT_TRUE(maps_.Create(Named("a")));
  });
  EXPECT_EQ(refused.count(), 1);
}

TEST_F(FaultsTest, AConnectionBreaksBeforeTheServerHearsOfIt) {
  faults_.On(Requests::Writes()).Break();
  Play([&] {
    const auto created = maps_.Create(Named("a"));
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), ErrorCode::kIo);
    EXPECT_THAT(Stored(), IsEmpty());
  });
  EXPECT_EQ(faults_.writes(), 0);
}

TEST_F(FaultsTest, AnAnswerIsLostWhenTheServerHasActed) {
  const Fault lost = faults_.On(Requests::Writes()).Every(2).LoseAnswer();
  Play([&] {
    EXPECT_TRUE(maps_.Create(Named("a")));
    const auto created = maps_.Create(Named("b"));
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), ErrorCode::kIo);
    EXPECT_THAT(Stored(), ElementsAre("a", "b"));
  });
  EXPECT_EQ(lost.count(), 1);
  EXPECT_EQ(faults_.writes(), 2);
}

TEST_F(FaultsTest, AnAnswerIsReplacedByARefusalWhenTheServerHasActed) {
  const Fault refused = faults_.On(Requests::Writes()).Every(2).RefuseAfter(503);
  Play([&] {
    EXPECT_TRUE(maps_.Create(Named("a")));
    const auto created = maps_.Create(Named("b"));
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().Describe(), "unavailable: a fault that was asked for");
    EXPECT_THAT(Stored(), ElementsAre("a", "b"));
  });
  EXPECT_EQ(refused.count(), 1);
  EXPECT_EQ(faults_.writes(), 2);
}

TEST_F(FaultsTest, AnswerOfAProxyReplacesTheServersWhenItHasActed) {
  Play([&] {
    faults_.On(Requests::Creates())
        .Once()
        .AnswerAfter({.status = 502, .content_type = "text/html", .body = "<html>gone</html>"});
    const auto created = maps_.Create(Named("a"));
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().fate(), RequestFate::kUnknown);
    EXPECT_THAT(Stored(), ElementsAre("a"));
  });
}

/// Which is 30 seconds.
TEST_F(FaultsTest, WriteIsCarriedOutWhenItsTimeoutHasPassed) {
  Play([&] {
    faults_.On(Requests::Creates()).Once().ActPastTimeout(1s);
    EXPECT_FALSE(maps_.Create(Named("a")));
    executor_.clock().SleepFor(30s);
    EXPECT_THAT(Stored(), IsEmpty());
    executor_.clock().SleepFor(2s);
    EXPECT_THAT(Stored(), ElementsAre("a"));
  });
}

TEST_F(FaultsTest, WriteIsCarriedOutPastItsTimeoutAlthoughTheWorldHasStopped) {
  Play([&] {
    faults_.On(Requests::Creates()).Once().StopTheWorldAndActPastTimeout(1s);
    EXPECT_FALSE(maps_.Create(Named("a")));
    EXPECT_TRUE(faults_.stopped());
    executor_.clock().SleepFor(32s);
    EXPECT_THAT(Stored(), ElementsAre("a"));
    faults_.Resume();
    EXPECT_TRUE(maps_.Delete({"default", "a"}));
    EXPECT_THAT(Stored(), IsEmpty());
  });
}

/// As where a process was stopped with a write in its hand.
TEST_F(FaultsTest, WriteWhoseFenceHasClosedMeanwhileDoesNotLeave) {
  Play([&] {
    struct Fence final : transport::WriteFence {
      std::chrono::nanoseconds Left() const override { return open ? 1h : 0h; }
      std::string WhyClosed() const override { return "no longer the leader"; }
      bool open = true;
    };
    const auto fence = std::make_shared<Fence>();
    client::RestClient rest({.transport = faults_, .clock = executor_.clock(), .fence = fence}, {});
    faults_.On(Requests::Creates()).Once().StopTheWorld();
    executor_.Start("successor", [&] {
      executor_.clock().SleepFor(5s);
      fence->open = false;
      faults_.Resume();
    });
    const auto created = client::Client(rest).Of<ConfigMap>().Create(Named("a"));
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().fate(), RequestFate::kNotSent);
    EXPECT_THAT(Stored(), IsEmpty());
  });
}

TEST_F(FaultsTest, ARequestComesLateAndSoDoesAnAnswer) {
  faults_.On(Requests::Creates()).Delay(5s);
  faults_.On(Requests::Creates()).DelayAnswer(7s);
  Play([&] {
    executor_.Start("look", [&] {
      executor_.clock().SleepFor(4s);
      EXPECT_THAT(Stored(), IsEmpty());
      executor_.clock().SleepFor(2s);
      EXPECT_THAT(Stored(), ElementsAre("a"));
    });
    EXPECT_TRUE(maps_.Create(Named("a")));
    EXPECT_EQ(Now(), 12s);
  });
}

TEST_F(FaultsTest, ARequestIsSentTwice) {
  faults_.On(Requests::Creates()).SendTwice();
  Play([&] {
    const auto created = maps_.Create(Named("a"));
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), ErrorCode::kAlreadyExists);
    ConfigMap generated = Named("");
    generated.metadata.generateName = "b-";
    EXPECT_TRUE(maps_.Create(generated));
    EXPECT_EQ(Stored().size(), 3U);
  });
}

TEST_F(FaultsTest, ADroppedRequestIsWaitedForUntilTheTimeIsUp) {
  faults_.On(Requests::Creates()).Once().Drop();
  Play([&] {
    const auto created = maps_.Create(Named("a"));
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(Now(), 60s);
    EXPECT_THAT(Stored(), IsEmpty());
  });
}

TEST_F(FaultsTest, ADroppedWatchCanBeGivenUp) {
  faults_.On(Requests::Watches()).Drop();
  Play([&] {
    std::stop_source stop;
    executor_.Start("stop", [&] {
      executor_.clock().SleepFor(3s);
      stop.request_stop();
    });
    const auto response = transport::Fetch(
        faults_, executor_.clock(), {.target = "/api/v1/configmaps?watch=true", .timeout = 5s});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code(), ErrorCode::kTimeout);
    transport::ResponseStream stream(faults_, executor_.clock(),
                                     {.target = "/api/v1/configmaps?watch=true"}, stop.get_token());
    const auto head = stream.Head();
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().code(), ErrorCode::kCancelled);
  });
}

TEST_F(FaultsTest, AListIsAnsweredAsItWas) {
  Play([&] {
    EXPECT_TRUE(maps_.Create(Named("a")));
    const auto before = maps_.ListIn("default");
    EXPECT_TRUE(maps_.Create(Named("b")));
    Fault stale = faults_.On(Requests::Lists()).AnswerAsOf(before->metadata.resourceVersion);
    const auto list = maps_.ListIn("default", FromVersion("0"));
    EXPECT_THAT(NamesOf(list), ElementsAre("a"));
    EXPECT_EQ(list->metadata.resourceVersion, before->metadata.resourceVersion);
    stale.Lift();
    EXPECT_THAT(NamesOf(maps_.ListIn("default")), ElementsAre("a", "b"));
  });
}

TEST_F(FaultsTest, SomebodyComesInBetween) {
  faults_.On(Requests::Updates().Named("a")).Once().Interrupt([&](const Asked& asked) {
    EXPECT_EQ(asked.target.namespace_, "default");
    executor_.clock().SleepFor(1s);
    EXPECT_TRUE(sandbox_.client().Of<ConfigMap>().Patch(
        {"default", "a"}, {client::PatchType::kMerge, R"({"data":{"value":"theirs"}})"}));
  });
  Play([&] {
    auto map = maps_.Create(Named("a"));
    map->data["value"] = "ours";
    EXPECT_EQ(maps_.Update(*map).error().code(), ErrorCode::kConflict);
  });
}

TEST_F(FaultsTest, EventsAreHeldUntilTheRuleIsLifted) {
  Play([&] {
    auto watch = maps_.WatchIn("default");
    EXPECT_TRUE(maps_.Create(Named("a")));
    EXPECT_EQ(Line(watch->Next()), "ADDED a");
    Fault held = faults_.OnEvents(Requests::Watches().Of("configmaps")).Hold();
    EXPECT_TRUE(maps_.Create(Named("b")));
    EXPECT_TRUE(maps_.Create(Named("c")));
    executor_.Start("release", [&] {
      executor_.clock().SleepFor(100s);
      EXPECT_EQ(held.count(), 2);
      held.Lift();
    });
    EXPECT_EQ(Line(watch->Next()), "ADDED b");
    EXPECT_EQ(Now(), 100s);
    EXPECT_EQ(Line(watch->Next()), "ADDED c");
  });
}

TEST_F(FaultsTest, LateEventsStayInTheirOrder) {
  faults_.OnEvents(Requests::Watches()).Every(2).Delay(10s);
  Play([&] {
    auto watch = maps_.WatchIn("default");
    for (const char* const name : {"a", "b", "c", "d"}) EXPECT_TRUE(maps_.Create(Named(name)));
    EXPECT_EQ(Line(watch->Next()), "ADDED a");
    EXPECT_EQ(Now(), 0s);
    EXPECT_EQ(Line(watch->Next()), "ADDED b");
    EXPECT_EQ(Now(), 10s);
    EXPECT_EQ(Line(watch->Next()), "ADDED c");
    EXPECT_EQ(Line(watch->Next()), "ADDED d");
    EXPECT_EQ(Now(), 10s);
  });
}

TEST_F(FaultsTest, EventsComeOnceMore) {
  Play([&] {
    auto watch = maps_.WatchIn("default");
    EXPECT_TRUE(maps_.Create(Named("a")));
    EXPECT_EQ(Line(watch->Next()), "ADDED a");
    faults_.OnEvents(Requests::Watches()).Once().Replay(2);
    EXPECT_TRUE(maps_.Create(Named("b")));
    EXPECT_EQ(Line(watch->Next()), "ADDED b");
    EXPECT_EQ(Line(watch->Next()), "ADDED a");
    EXPECT_EQ(Line(watch->Next()), "ADDED b");
    faults_.ReplayEvents(1);
    EXPECT_EQ(Line(watch->Next()), "ADDED b");
  });
}

TEST_F(FaultsTest, WatchesBreakNowOrAfterAnEvent) {
  Play([&] {
    auto one = maps_.WatchIn("default");
    auto other = session_.client().Of<Secret>().WatchIn("default");
    faults_.BreakWatches(Requests::Watches().Of("secrets"));
    EXPECT_EQ(other->Next().error().code(), ErrorCode::kIo);
    faults_.OnEvents(Requests::Watches()).Break();
    EXPECT_TRUE(maps_.Create(Named("a")));
    EXPECT_EQ(Line(one->Next()), "ADDED a");
    EXPECT_EQ(Line(one->Next()), "i/o");
  });
}

TEST_F(FaultsTest, WhoGoesOnFromAnExpiredHistoryIsToldSo) {
  Play([&] {
    for (const char* const name : {"a", "b", "c"}) EXPECT_TRUE(maps_.Create(Named(name)));
    auto watch = maps_.WatchIn("default");
    for (int i = 0; i < 3; ++i) std::ignore = watch->Next();
    const auto page = maps_.ListIn("default", Page(1));
    faults_.ExpireHistory();
    EXPECT_EQ(Line(watch->Next()), "gone");
    EXPECT_EQ(maps_.ListIn("default", Page(1, page->metadata.continue_)).error().code(),
              ErrorCode::kGone);
    const auto version = page->metadata.resourceVersion;
    EXPECT_EQ(maps_.WatchIn("default", FromVersion(version)).error().code(), ErrorCode::kGone);
    const auto fresh = maps_.ListIn("default", Page(2));
    EXPECT_THAT(NamesOf(maps_.ListIn("default", Page(2, fresh->metadata.continue_))),
                ElementsAre("c"));
    EXPECT_TRUE(maps_.WatchIn("default", FromVersion(version)));
  });
}

TEST_F(FaultsTest, TheWorldStopsAfterAWriteAndGoesOn) {
  faults_.StopTheWorldAfterWrites(2);
  Play([&] {
    auto watch = maps_.WatchIn("default");
    std::vector<std::string> told;
    executor_.Start("write", [&] {
      for (const char* const name : {"a", "b", "c"}) {
        if (maps_.Create(Named(name))) told.emplace_back(name);
      }
    });
    EXPECT_TRUE(faults_.WaitUntilStopped(executor_.clock().DeadlineAfter(1s)));
    executor_.clock().SleepFor(30s);
    EXPECT_THAT(told, ElementsAre("a"));
    EXPECT_THAT(Stored(), ElementsAre("a", "b"));
    faults_.Resume();
    for (const char* const line : {"ADDED a", "ADDED b", "ADDED c"}) {
      EXPECT_EQ(Line(watch->Next()), line);
    }
    executor_.clock().SleepFor(1s);
    EXPECT_THAT(told, ElementsAre("a", "b", "c"));
    EXPECT_FALSE(faults_.stopped());
  });
}

TEST_F(FaultsTest, TheWorldStopsRightBeforeARequestOrRightAfterIt) {
  faults_.On(Requests::Creates()).After(1).Once().StopTheWorld();
  faults_.On(Requests::Deletes()).Once().StopTheWorldAfter();
  Play([&] {
    std::vector<std::string> told;
    executor_.Start("write", [&] {
      for (const char* const name : {"a", "b"}) {
        if (maps_.Create(Named(name))) told.emplace_back(name);
      }
      if (maps_.Delete({"default", "a"})) told.emplace_back("without a");
    });
    EXPECT_TRUE(faults_.WaitUntilStopped(executor_.clock().DeadlineAfter(1s)));
    EXPECT_THAT(told, ElementsAre("a"));
    EXPECT_THAT(Stored(), ElementsAre("a"));
    faults_.Resume();
    EXPECT_TRUE(faults_.WaitUntilStopped(executor_.clock().DeadlineAfter(1s)));
    EXPECT_THAT(told, ElementsAre("a", "b"));
    EXPECT_THAT(Stored(), ElementsAre("b"));
    faults_.Resume();
    executor_.clock().SleepFor(1s);
    EXPECT_THAT(told, ElementsAre("a", "b", "without a"));
  });
}

TEST_F(FaultsTest, WhoWaitsWhileTheWorldStandsStillGivesUpInTime) {
  faults_.StopTheWorld();
  Play([&] {
    EXPECT_EQ(maps_.Create(Named("a")).error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(Now(), 60s);
    faults_.Resume();
    EXPECT_TRUE(maps_.Create(Named("b")));
    EXPECT_THAT(Stored(), ElementsAre("b"));
  });
}

TEST_F(FaultsTest, ARuleSaysWhomAndHowOften) {
  const Fault fault = faults_.On(Requests::Gets().Of("configmaps").In("default").From("flyball"))
                          .After(1)
                          .Every(2)
                          .Times(2)
                          .Refuse(404);
  Play([&] {
    EXPECT_TRUE(maps_.Create(Named("a")));
    std::vector<bool> found;
    for (int i = 0; i < 8; ++i) found.push_back(maps_.Get({"default", "a"}).has_value());
    EXPECT_THAT(found, ElementsAre(true, true, false, true, false, true, true, true));
    EXPECT_EQ(fault.count(), 2);
  });
}

TEST_F(FaultsTest, ChanceIsTheSeeds) {
  const auto refused = [&](std::uint64_t seed) {
    Faults faults(sandbox_.transport(), executor_, seed);
    const Session session(faults, executor_.clock());
    faults.On(Requests::Gets()).WithProbability(0.25).Refuse(403);
    std::string which;
    for (int i = 0; i < 100; ++i) {
      const auto got = session.client().Of<ConfigMap>().Get({"default", "none"});
      which += got.error().code() == ErrorCode::kForbidden ? 'x' : '.';
    }
    return which;
  };
  EXPECT_EQ(refused(1), refused(1));
  EXPECT_NE(refused(1), refused(2));
  EXPECT_GT(std::ranges::count(refused(1), 'x'), 10);
  EXPECT_LT(std::ranges::count(refused(1), 'x'), 40);
}

TEST_F(FaultsTest, WorksInAnyFormatAndAnySize) {
  // Larger than a watch may leave unread at the server.
  const std::string large(600'000, 'x');
  for (const auto encoding : {client::Encoding::kJson, client::Encoding::kProtobuf}) {
    Play([&] {
      const client::Client client(session_.rest(), encoding);
      const auto maps = client.Of<ConfigMap>();
      auto watch = maps.WatchIn("default");
      Fault held = faults_.OnEvents(Requests::Watches()).Hold();
      faults_.OnEvents(Requests::Watches()).Once().Replay(1);
      EXPECT_TRUE(maps.Create(Named("a", large)));
      EXPECT_TRUE(maps.Create(Named("b", large)));
      EXPECT_TRUE(maps.Delete({"default", "a"}));
      EXPECT_TRUE(maps.Delete({"default", "b"}));
      executor_.clock().SleepFor(1s);
      held.Lift();
      for (const char* const line : {"ADDED a", "ADDED a", "ADDED b", "DELETED a", "DELETED b"}) {
        EXPECT_EQ(Line(watch->Next()), line);
      }
      faults_.ExpireHistory();
      EXPECT_EQ(Line(watch->Next()), "gone");
    });
  }
}

TEST_F(FaultsTest, ItMayGoWhileRequestsAreUnderWay) {
  Play([&] {
    auto faults = std::make_unique<Faults>(sandbox_.transport(), executor_);
    faults->On(Requests::Creates()).Drop();
    transport::PendingResponse dropped(*faults, executor_.clock(),
                                       {.method = "POST", .target = "/api/v1/namespaces"});
    transport::ResponseStream watch(*faults, executor_.clock(),
                                    {.target = "/api/v1/configmaps?watch=true"});
    faults.reset();
    EXPECT_EQ(dropped.Wait().error().code(), ErrorCode::kCancelled);
    EXPECT_TRUE(watch.Head());
    EXPECT_EQ(watch.Read().error().code(), ErrorCode::kCancelled);
  });
}

TEST(Faults, StandBehindASocketToo) {
  Sandbox sandbox;
  Faults faults(sandbox.transport(), sandbox.executor());
  transport::Network network(sandbox.executor());
  const auto http = serving::HttpServer::Listen(network, faults, {});
  ASSERT_TRUE(http) << http.error().Describe();
  transport::HttpTransport::Options options;
  options.server = *transport::Url::Parse((*http)->url());
  transport::HttpTransport wire(network, std::move(options));
  Session session(wire, sandbox.clock());
  const auto maps = session.client().Of<ConfigMap>();
  ConfigMap map;
  map.metadata.namespace_ = "default";
  map.metadata.name = "a";

  faults.On(Requests::Creates()).Once().Refuse(403);
  EXPECT_EQ(maps.Create(map).error().code(), ErrorCode::kForbidden);
  auto watch = maps.WatchIn("default");
  ASSERT_TRUE(watch) << watch.error().Describe();
  Fault held = faults.OnEvents(Requests::Watches()).Hold();
  EXPECT_TRUE(maps.Create(map));
  held.Lift();
  EXPECT_EQ((**watch->Next()).object.metadata.name, "a");
  faults.BreakWatches();
  EXPECT_FALSE(watch->Next());
}

}  // namespace
}  // namespace flyball::sandbox
