#include "flyball/cache/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/cache/fake_collection.h"

namespace flyball::cache {
namespace {

using core::v1::ConfigMap;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Contents = std::map<std::string, std::string>;

class InformerTest : public testing::Test {
 protected:
  /// What the cache holds.
  static Contents Held(const Informer<ConfigMap>& informer) {
    Contents all;
    for (const auto& map : informer.lister().List()) {
      all[map->metadata.name] = *map->data.find("value");
    }
    return all;
  }

  Informer<ConfigMap> Make(Keep keep = Keep::kObjects) {
    InformerCore::Options options;
    options.reflector.name = "configmaps";
    options.keep = keep;
    return Informer<ConfigMap>(std::make_shared<InformerCore>(
        collection_.MakeSource(), Reflector::Deps{executor_, timers_, [] { return 0.5; }, {}},
        options));
  }

  /// Writes down what it is told.
  EventHandler<ConfigMap> Log(std::vector<std::string>& log) {
    const auto text = [](const Ref<ConfigMap>& map) {
      if (!map) return std::string("?");
      const std::string* const value = map->data.find("value");
      return map->metadata.name + "=" + (value != nullptr ? *value : "?");
    };
    return {
        .added =
            [&log, text](const auto& now, bool initial) {
              log.push_back((initial ? "initial " : "added ") + text(now));
            },
        .updated =
            [&log, text](const auto& old, const auto& now) {
              log.push_back("updated " + text(old) + " " + text(now));
            },
        .deleted =
            [&log, text](const auto& last, bool final_state_unknown) {
              log.push_back((final_state_unknown ? "assumed deleted " : "deleted ") + text(last));
            },
    };
  }

  /// Runs a test as a task, so that it can wait as the rest does.
  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      test();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1));
    EXPECT_TRUE(done) << report.Describe();
  }
  /// Lets time pass, for the others too.
  void Pass(std::chrono::nanoseconds span) { executor_.clock().SleepFor(span); }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  FakeCollection collection_;
};

TEST_F(InformerTest, HoldsWhatIsThereAndFollowsIt) {
  Play([&] {
    collection_.Put("a", "1");
    collection_.Put("b", "1");
    const auto informer = Make();
    std::vector<std::string> log;
    const auto watching = informer.AddHandler("test", Log(log));
    EXPECT_FALSE(informer.HasSynced());
    informer.core()->Start();
    Pass(seconds(1));
    EXPECT_TRUE(informer.HasSynced());
    EXPECT_TRUE(watching->HasSynced());
    collection_.Put("a", "2");
    collection_.Delete("b");
    collection_.Put("c", "1");
    Pass(seconds(1));
    EXPECT_EQ(Held(informer), collection_.contents());
    EXPECT_EQ(informer.resource_version(), "105");
    EXPECT_THAT(log, testing::UnorderedElementsAre("initial a=1", "initial b=1", "updated a=1 a=2",
                                                   "deleted b=1", "added c=1"));
    EXPECT_THAT(collection_.requests(), ElementsAre("stream rv="));
    informer.core()->Stop();
    EXPECT_EQ(collection_.watches(), 0);
  });
}

TEST_F(InformerTest, ReadsInPagesWhereTheServerHasNoStreams) {
  Play([&] {
    collection_.RefuseStreams();
    collection_.LimitPages(2);
    for (const char* name : {"a", "b", "c", "d", "e"}) collection_.Put(name, "1");
    const auto informer = Make();
    informer.core()->Start();
    Pass(seconds(1));
    EXPECT_EQ(Held(informer), collection_.contents());
    EXPECT_THAT(collection_.requests(),
                ElementsAre("stream rv=", "list rv= limit=500", "list rv= limit=500 continue=b",
                            "list rv= limit=500 continue=d", "watch rv=105"));
  });
}

TEST_F(InformerTest, WhenAPageIsNoLongerThereItReadsAllAtOnce) {
  Play([&] {
    collection_.RefuseStreams();
    collection_.Put("a", "1");
    const auto informer = Make();
    collection_.FailNext({ErrorCode::kInvalid, "no streams here"});
    collection_.FailNext({ErrorCode::kGone, "the continue token is too old"});
    informer.core()->Start();
    Pass(seconds(1));
    EXPECT_EQ(Held(informer), collection_.contents());
    EXPECT_THAT(collection_.requests(),
                ElementsAre("stream rv=", "list rv= limit=500", "list rv=", "watch rv=101"));
  });
}

TEST_F(InformerTest, AChangeIsReadByTheThreadThatBringsIt) {
  Play([&] {
    const auto informer = Make();
    informer.core()->Start();
    Pass(seconds(1));
    collection_.Put("a", "1");
    EXPECT_EQ(Held(informer), (Contents{{"a", "1"}}));
  });
}

TEST_F(InformerTest, LargeEventIsReadByATaskAndTheEventsBehindItAndTheVersionWait) {
  Play([&] {
    const auto informer = Make();
    std::vector<std::string> reached;
    informer.core()->OnProgress(
        [&](const std::string& version, bool) { reached.push_back(version); });
    informer.core()->Start();
    Pass(seconds(1));
    const std::string large(Reflector::kLargeEvent, 'x');
    collection_.Put("large", large);  // by this thread, which stands for the network's
    collection_.Put("small", "1");
    EXPECT_EQ(Held(informer), Contents()) << "neither is read by the thread that brings them";
    EXPECT_THAT(reached, ElementsAre("100"));
    Pass(milliseconds(1));
    EXPECT_EQ(Held(informer), (Contents{{"large", large}, {"small", "1"}}));
    EXPECT_THAT(reached, ElementsAre("100", "101", "102"));
    collection_.Put("small", "2");
    EXPECT_EQ(Held(informer), (Contents{{"large", large}, {"small", "2"}}))
        << "what comes after it is read by the thread that brings it again";
  });
}

TEST_F(InformerTest, LargeEventOfOneCollectionDoesNotDelayAnother) {
  Play([&] {
    FakeCollection other;
    const Informer<ConfigMap> quick(std::make_shared<InformerCore>(
        other.MakeSource(), Reflector::Deps{executor_, timers_, [] { return 0.5; }, {}},
        InformerCore::Options()));
    const auto informer = Make();
    informer.core()->Start();
    quick.core()->Start();
    Pass(seconds(1));
    collection_.Put("large", std::string(Reflector::kLargeEvent, 'x'));
    other.Put("small", "1");
    EXPECT_EQ(Held(quick), (Contents{{"small", "1"}}));
    EXPECT_EQ(Held(informer), Contents());
  });
}

TEST_F(InformerTest, GoesOnWhereItWasWhenTheConnectionBreaks) {
  Play([&] {
    const auto informer = Make();
    informer.core()->Start();
    Pass(seconds(1));
    collection_.Put("a", "1");
    Pass(seconds(1));
    collection_.EndWatches(Fail(ErrorCode::kIo, "connection broke"));
    collection_.Put("b", "1");
    Pass(seconds(2));
    EXPECT_EQ(Held(informer), collection_.contents());
    EXPECT_THAT(collection_.requests(), ElementsAre("stream rv=", "watch rv=101"));
  });
}

TEST_F(InformerTest, ABookmarkMovesTheVersionThatItGoesOnFrom) {
  Play([&] {
    const auto informer = Make();
    informer.core()->Start();
    Pass(seconds(1));
    const auto other = collection_.Put("a", "1");
    collection_.SendBookmark();
    Pass(seconds(1));
    collection_.EndWatches();
    Pass(seconds(1));
    EXPECT_THAT(collection_.requests(), ElementsAre("stream rv=", "watch rv=" + other));
  });
}

TEST_F(InformerTest, WhatDisappearedUnseenIsDeletedWhenAllIsReadAgain) {
  Play([&] {
    collection_.Put("gone", "1");
    collection_.Put("stays", "1");
    collection_.Put("changes", "1");
    collection_.Put("replaced", "1", "first");
    const auto informer = Make();
    std::vector<std::string> log;
    const auto watching = informer.AddHandler("test", Log(log), {.delivery = Delivery::kInline});
    informer.core()->Start();
    Pass(seconds(1));
    log.clear();
    collection_.EndWatches(Fail(ErrorCode::kIo, "connection broke"));
    collection_.Delete("gone");
    collection_.Put("changes", "2");
    collection_.Delete("replaced");
    collection_.Put("replaced", "2", "second");
    collection_.Put("new", "1");
    collection_.Compact();
    Pass(seconds(5));
    EXPECT_EQ(Held(informer), collection_.contents());
    EXPECT_EQ(log.front(), "assumed deleted gone=1");
    EXPECT_THAT(log, testing::UnorderedElementsAre(
                         "assumed deleted gone=1", "updated changes=1 changes=2",
                         "assumed deleted replaced=1", "added replaced=2", "added new=1"));
    // Never older than what was seen.
    EXPECT_THAT(collection_.requests(), ElementsAre("stream rv=", "watch rv=104", "stream rv=104"));
  });
}

TEST_F(InformerTest, DeletedHandlerGetsTheStateThatTheStoreHad) {
  Play([&] {
    collection_.Put("a", "1");
    const auto informer = Make();
    std::vector<std::string> log;
    const auto inline_handler =
        informer.AddHandler("inline", Log(log), {.delivery = Delivery::kInline});
    const auto async_handler =
        informer.AddHandler("async", Log(log), {.delivery = Delivery::kAsync});
    informer.core()->Start();
    Pass(seconds(1));
    collection_.Put("a", "2");
    collection_.Delete("a", "3");
    Pass(seconds(1));
    EXPECT_THAT(log, ElementsAre("initial a=1", "initial a=1", "updated a=1 a=2", "deleted a=2",
                                 "updated a=1 a=2", "deleted a=2"));
    EXPECT_EQ(informer.resource_version(), "103");
  });
}

TEST_F(InformerTest, WhereTheServerIsBehindWhatWasSeenItReadsWhatTheServerHas) {
  Play([&] {
    const auto informer = Make();
    informer.core()->Start();
    Pass(seconds(1));
    Error too_large(ErrorCode::kServerTimeout, "too large resource version");
    too_large.set_detail({.causes = {{"ResourceVersionTooLarge", "", ""}}});
    collection_.FailNext({ErrorCode::kGone, "compacted"});
    collection_.FailNext(too_large);
    collection_.EndWatches();
    Pass(seconds(30));
    EXPECT_TRUE(informer.HasSynced());
    EXPECT_THAT(collection_.requests(),
                ElementsAre("stream rv=", "watch rv=100", "stream rv=100", "stream rv="));
  });
}

TEST_F(InformerTest, SaysWhyItIsNotUpToDateAndTriesAgainLaterAndLater) {
  Play([&] {
    for (int i = 0; i < 8; ++i) collection_.FailNext({ErrorCode::kForbidden, "not for you"});
    const auto informer = Make();
    informer.core()->Start();
    Pass(seconds(1));
    EXPECT_EQ(informer.state().problem, Error(ErrorCode::kForbidden, "not for you"));
    // 0.8 s, doubled each time up to 30 s, and half as much again by chance.
    Pass(std::chrono::milliseconds(1200 + 2400 + 4800 - 1000 + 10));
    EXPECT_EQ(collection_.requests().size(), 4);
    Pass(seconds(10 + 20 + 39 + 45));
    EXPECT_FALSE(informer.HasSynced());
    Pass(seconds(46));
    EXPECT_TRUE(informer.HasSynced());
    EXPECT_EQ(informer.state().problem, std::nullopt);
  });
}

TEST_F(InformerTest, AHandlerThatComesLateIsToldOfAllThatIsThere) {
  Play([&] {
    collection_.Put("a", "1");
    const auto informer = Make();
    informer.core()->Start();
    Pass(seconds(1));
    std::vector<std::string> log;
    auto watching = informer.AddHandler("late", Log(log));
    Pass(seconds(1));
    EXPECT_TRUE(watching->HasSynced());
    EXPECT_THAT(log, ElementsAre("initial a=1"));
    watching.reset();
    collection_.Put("a", "2");
    Pass(seconds(1));
    EXPECT_THAT(log, ElementsAre("initial a=1"));
  });
}

TEST_F(InformerTest, ASlowHandlerDelaysNoOtherAndSeesInTheEndWhatChangedSince) {
  Play([&] {
    const auto informer = Make();
    std::vector<std::string> slow;
    Contents seen;
    int calls = 0;
    const auto blocked = informer.AddHandler(
        "slow", {.added =
                     [&](const auto& now, bool) {
                       executor_.clock().SleepFor(seconds(100));
                       seen[now->metadata.name] = *now->data.find("value");
                       ++calls;
                     },
                 .updated =
                     [&](const auto& old, const auto& now) {
                       EXPECT_EQ(seen[old->metadata.name], *old->data.find("value"));
                       seen[now->metadata.name] = *now->data.find("value");
                       ++calls;
                     },
                 .deleted =
                     [&](const auto& last, bool) {
                       EXPECT_EQ(seen.erase(last->metadata.name), 1);
                       ++calls;
                     }});
    int quick_calls = 0;
    const auto quick =
        informer.AddHandler("quick", {.updated = [&](const auto&, const auto&) { ++quick_calls; }});
    informer.core()->Start();
    Pass(seconds(1));
    collection_.Put("a", "0");
    Pass(seconds(1));
    for (int i = 1; i <= 20'000; ++i) {
      collection_.Put("a", std::to_string(i));
      if (i % 100 == 0) Pass(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(quick_calls, 20'000);
    EXPECT_EQ(calls, 0);
    EXPECT_LT(blocked->behind(), 2000);  // not 20,000: one object has one unread change, mostly
    Pass(seconds(300));
    EXPECT_EQ(seen, collection_.contents());
  });
}

TEST_F(InformerTest, AResyncTellsOfEveryObject) {
  Play([&] {
    collection_.Put("a", "1");
    const auto informer = Make();
    std::vector<std::string> log;
    auto watching = informer.AddHandler("test", Log(log),
                                        {.delivery = Delivery::kInline, .resync = seconds(10)});
    informer.core()->Start();
    Pass(seconds(25));
    EXPECT_THAT(log, ElementsAre("initial a=1", "updated a=1 a=1", "updated a=1 a=1"));
    watching.reset();
    Pass(seconds(25));
    EXPECT_EQ(log.size(), 3);
  });
}

TEST_F(InformerTest, WithoutAStoreItStillTellsOfWhatDisappeared) {
  Play([&] {
    collection_.Put("a", "1");
    collection_.Put("b", "1");
    const auto informer = Make(Keep::kNames);
    std::vector<std::string> log;
    const auto watching = informer.AddHandler("test", Log(log), {.delivery = Delivery::kInline});
    informer.core()->Start();
    Pass(seconds(1));
    collection_.Put("a", "2");
    Pass(seconds(1));
    collection_.FailNext({ErrorCode::kUnavailable, "not back yet"});
    collection_.EndWatches(Fail(ErrorCode::kIo, "connection broke"));
    collection_.Delete("a");
    collection_.Compact();
    Pass(seconds(5));
    EXPECT_THAT(log, testing::UnorderedElementsAre("initial a=1", "initial b=1", "updated ? a=2",
                                                   "assumed deleted a=?"));
  });
}

TEST_F(InformerTest, AHandlerThatThrowsHarmsNobody) {
  Play([&] {
    const auto informer = Make();
    std::vector<std::string> log;
    const auto bad = informer.AddHandler(
        "bad", {.added = [](const auto&, bool) { throw std::runtime_error("no"); }});
    const auto good = informer.AddHandler("good", Log(log));
    informer.core()->Start();
    collection_.Put("a", "1");
    Pass(seconds(1));
    EXPECT_EQ(log.size(), 1);
  });
}

/// As for every change, those of one object come in order; those of others do not wait.
TEST_F(InformerTest, ChangeAtWhichAHandlerThrewIsDeliveredAgain) {
  Play([&] {
    const auto informer = Make();
    int failures = 0;
    std::map<Delivery, std::vector<std::string>> logs;
    const auto follow = [&](Delivery delivery) {
      auto handler = Log(logs[delivery]);
      handler.added = [&failures, added = handler.added, left = 3](const auto& now,
                                                                   bool initial) mutable {
        if (now->metadata.name == "a" && left-- > 0) {
          ++failures;
          throw std::runtime_error("no");
        }
        added(now, initial);
      };
      return informer.AddHandler("follower", handler, {.delivery = delivery});
    };
    const auto async = follow(Delivery::kAsync);
    const auto inlined = follow(Delivery::kInline);
    informer.core()->Start();
    Pass(seconds(1));
    collection_.Put("a", "1");
    collection_.Put("b", "1");
    collection_.Put("a", "2");
    Pass(milliseconds(50));
    EXPECT_EQ(failures, 2);
    Pass(seconds(5));
    EXPECT_EQ(failures, 6);
    for (const auto& [delivery, log] : logs) {
      EXPECT_THAT(log, ElementsAre("added b=1", "added a=1", "updated a=1 a=2"));
    }
    collection_.Put("a", "3");
    Pass(milliseconds(50));
    for (const auto& [delivery, log] : logs) EXPECT_EQ(log.back(), "updated a=2 a=3");
  });
}

TEST_F(InformerTest, AHandlerThatKeepsThrowingEndsWithItsInformer) {
  Play([&] {
    const auto informer = Make();
    int calls = 0;
    const auto fail = [&](const auto&, bool) {
      ++calls;
      throw std::runtime_error("no");
    };
    const auto async = informer.AddHandler("bad", {.added = fail});
    const auto inlined =
        informer.AddHandler("bad", {.added = fail}, {.delivery = Delivery::kInline});
    informer.core()->Start();
    collection_.Put("a", "1");
    Pass(std::chrono::minutes(10));
    EXPECT_GT(calls, 2 * 10);
    EXPECT_LT(calls, 2 * 30);  // it rests for up to a minute
    informer.core()->Stop();
    const int until_stopped = calls;
    Pass(std::chrono::minutes(2));
    EXPECT_EQ(calls, until_stopped);
  });
}

TEST_F(InformerTest, TellsWhenItHasGotToAVersion) {
  Play([&] {
    const auto informer = Make();
    std::vector<std::string> reached;
    informer.core()->OnProgress([&](const std::string& version, bool replaced) {
      reached.push_back(version + (replaced ? " replaced" : ""));
    });
    informer.core()->Start();
    Pass(seconds(1));
    collection_.Put("a", "1");
    collection_.SendBookmark();
    Pass(seconds(1));
    EXPECT_THAT(reached, ElementsAre("100 replaced", "101", "101"));
  });
}

TEST_F(InformerTest, WaitingForItEndsWhenItIsFilledOrAStopIsAskedFor) {
  Play([&] {
    collection_.FailNext({ErrorCode::kForbidden, "not for you"});
    const auto informer = Make();
    informer.core()->Start();
    std::stop_source stop;
    std::vector<bool> synced;
    executor_.Start("waits", [&] { synced.push_back(informer.core()->WaitForSync({})); });
    executor_.Start("gives up",
                    [&] { synced.push_back(informer.core()->WaitForSync(stop.get_token())); });
    Pass(std::chrono::milliseconds(100));
    EXPECT_THAT(synced, IsEmpty());
    stop.request_stop();
    Pass(std::chrono::milliseconds(100));
    EXPECT_THAT(synced, ElementsAre(false));
    Pass(seconds(10));
    EXPECT_THAT(synced, ElementsAre(false, true));
  });
}

TEST_F(InformerTest, RecordsHowItGoesUnderUpstreamsNames) {
  MetricRegistry registry;
  Play([&] {
    collection_.Put("a", "1");
    InformerCore::Options options;
    options.reflector.name = "configmaps";
    options.metrics = InformerMetrics(registry, "test", client::Resource::Of<ConfigMap>());
    const auto core = std::make_shared<InformerCore>(
        collection_.MakeSource(), Reflector::Deps{executor_, timers_, [] { return 0.5; }, {}},
        options);
    const auto watching = Informer<ConfigMap>(core).AddHandler(
        "slow", {.added = [&](const auto&, bool) { Pass(seconds(10)); }});
    core->Start();
    Pass(seconds(1));
    collection_.Put("b", "1");
    Pass(seconds(1));
    const std::string labels = R"({group="",name="test",resource="configmaps",version="v1"})";
    // The end of what was there at the start, and b.
    EXPECT_THAT(registry.Text(), HasSubstr("informer_queued_items" + labels + " 2\n"));
    EXPECT_THAT(registry.Text(), HasSubstr("informer_store_resource_version" + labels + " 102\n"));
    EXPECT_THAT(registry.Text(),
                HasSubstr("informer_processing_latency_seconds_count" + labels + " 2\n"));
    core->Stop();
  });
}

// A double would round it.
TEST(InformerMetrics, ShowsTheLastFifteenDigitsOfAVersion) {
  MetricRegistry registry;
  const InformerMetrics metrics(registry, "test", client::Resource::Of<ConfigMap>());
  metrics.Reached("91234567890123456");
  metrics.Reached("not a number");
  EXPECT_THAT(registry.Text(), HasSubstr(" 2.34567890123456e+14\n"));
}

}  // namespace
}  // namespace flyball::cache
