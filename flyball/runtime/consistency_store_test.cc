#include "flyball/runtime/consistency_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/cache/fake_collection.h"

namespace flyball::runtime {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class ConsistencyStoreTest : public testing::Test {
 protected:
  static client::Resource Maps() { return client::Resource::Of<core::v1::ConfigMap>(); }
  static Write Stored(const std::string& version, const std::string& name = "x") {
    return {.resource = Maps(), .resource_version = version, .key = {"default", name}};
  }
  static Write Ambiguous(std::chrono::nanoseconds unsettled_for) {
    return {.kind = Write::Kind::kAmbiguous, .resource = Maps(), .unsettled_for = unsettled_for};
  }
  static Write AmbiguousDelete(const std::string& name, std::chrono::nanoseconds unsettled_for) {
    Write write = Ambiguous(unsettled_for);
    write.key = {"default", name};
    write.uid = "u";
    return write;
  }
  /// With an empty version: since there was one of that name.
  Write Refused(const std::string& name, const std::string& version) const {
    return {.kind = Write::Kind::kRefused,
            .resource = Maps(),
            .resource_version = version,
            .key = {"default", name},
            .uid = version.empty() ? "" : cache_->Find({"default", name})->uid};
  }
  std::string VersionOf(const std::string& name) const {
    return cache_->Find({"default", name})->resource_version;
  }
  static Write Deleted(const std::string& name) {
    return {
        .kind = Write::Kind::kDeleted, .resource = Maps(), .key = {"default", name}, .uid = "u"};
  }

  /// A test with a store that tracks one cache, which is at version 102.
  void Play(const std::function<void(ConsistencyStore& consistency)>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      collection_.Put("a", "1");
      collection_.Put("b", "1");
      cache::InformerCore::Options options;
      options.reflector.name = "configmaps";
      cache_ = std::make_shared<cache::InformerCore>(
          collection_.MakeSource(),
          cache::Reflector::Deps{executor_, timers_, [] { return 0.5; }, {}}, options);
      ConsistencyStore consistency({.executor = executor_, .timers = timers_});
      consistency.Add(Maps(), cache_);
      cache_->Start();
      Pass();
      test(consistency);
      cache_->Stop();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1));
    EXPECT_TRUE(done) << report.Describe();
  }
  /// Lets the cache follow.
  void Pass(std::chrono::nanoseconds span = 1s) { executor_.clock().SleepFor(span); }
  void Hold(ConsistencyStore& consistency, const std::string& name, std::vector<Write> writes) {
    consistency.WhenObserved(
        std::move(writes), [this, name](const ConsistencyStore::Observation& observation) {
          released_.push_back(observation.missed ? name + ", passed over" : name);
        });
  }
  std::vector<std::string> Released() { return std::exchange(released_, {}); }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  cache::FakeCollection collection_;
  std::shared_ptr<cache::InformerCore> cache_;
  std::vector<std::string> released_;
};

TEST_F(ConsistencyStoreTest, WhatTheCacheShowsIsNotWaitedFor) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "seen",
         {Stored("99"), Stored("102"), Deleted("never there"), Stored("no number")});
    EXPECT_THAT(Released(), ElementsAre("seen"));
    EXPECT_EQ(consistency.waiting(), 0U);
  });
}

TEST_F(ConsistencyStoreTest, EachIsReleasedAtItsVersionWhoeverCameFirst) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "fifth", {Stored("105")});
    Hold(consistency, "third", {Stored("103")});
    Hold(consistency, "thousandth", {Stored("1000")});
    Hold(consistency, "both", {Stored("104"), Stored("103")});
    EXPECT_THAT(Released(), IsEmpty());
    collection_.Put("a", "2");
    Pass(100ms);
    EXPECT_THAT(Released(), ElementsAre("third"));
    collection_.Put("a", "3");
    Pass(100ms);
    EXPECT_THAT(Released(), ElementsAre("both"));
    collection_.Put("a", "4");
    Pass(100ms);
    EXPECT_THAT(Released(), ElementsAre("fifth"));
    EXPECT_EQ(consistency.waiting(), 1U);
  });
}

TEST_F(ConsistencyStoreTest, ADeletionIsSeenWhenTheObjectIsGoneAndHoldsUpNoVersion) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "deletion", {Deleted("a")});
    Hold(consistency, "deletion and write", {Stored("103"), Deleted("b")});
    Hold(consistency, "write", {Stored("103")});
    collection_.Put("c", "1");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("write"));
    collection_.Delete("a");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("deletion"));
    collection_.Delete("b");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("deletion and write"));
    EXPECT_EQ(consistency.waiting(), 0U);
  });
}

TEST_F(ConsistencyStoreTest, WhatIsSeenSinceAllWasReadAnewMayHaveBeenPassedOver) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "made and deleted", {Stored("103")});
    Hold(consistency, "deleted by us", {Deleted("a")});
    collection_.EndWatches();
    collection_.Put("c", "1");
    collection_.Delete("c");
    collection_.Delete("a");
    collection_.Compact();
    Pass(10s);
    EXPECT_THAT(Released(), UnorderedElementsAre("made and deleted, passed over", "deleted by us"));
    Hold(consistency, "told late", {Stored("104")});
    EXPECT_THAT(Released(), ElementsAre("told late, passed over"));

    Hold(consistency, "since then", {Stored("106")});
    collection_.Put("d", "1");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("since then"));
  });
}

TEST_F(ConsistencyStoreTest, HoldIsNotReleasedByTimeHoweverLongTheWatchStandsStill) {
  Play([&](ConsistencyStore& consistency) {
    collection_.HoldEvents();
    collection_.Put("a", "2");
    collection_.Delete("b");
    Hold(consistency, "write", {Stored("103", "a")});
    Hold(consistency, "deletion", {Deleted("b")});
    Pass(30min);
    EXPECT_THAT(Released(), IsEmpty());
    EXPECT_EQ(consistency.waiting(), 2U);
    collection_.ReleaseEvents();
    Pass();
    EXPECT_THAT(Released(), ElementsAre("write", "deletion"));
  });
}

TEST_F(ConsistencyStoreTest, CacheThatShowsWhatTheServerHasNeedShowNoMore) {
  Play([&](ConsistencyStore& consistency) {
    // Of a write that it does not select, a cache says nothing.
    Hold(consistency, "not selected", {Stored("500", "elsewhere")});
    Hold(consistency, "not deleted", {Deleted("c")});
    Pass(2s);
    EXPECT_THAT(Released(), ElementsAre("not deleted"));
    Pass(2s);
    EXPECT_THAT(Released(), ElementsAre("not selected, passed over"));
    EXPECT_THAT(collection_.requests(), Contains("ask metadata.name=elsewhere"));
  });
}

TEST_F(ConsistencyStoreTest, AmbiguousWriteIsAskedAboutWhenTheServerCanNoLongerAct) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "in doubt", {Ambiguous(10s)});
    Pass(11s);
    EXPECT_THAT(collection_.requests(), Not(Contains(StartsWith("ask"))));
    EXPECT_THAT(Released(), IsEmpty());
    Pass(2s);
    EXPECT_THAT(Released(), ElementsAre("in doubt"));
    EXPECT_THAT(collection_.requests(), Contains("ask "));
  });
}

/// What has a name can be stored but once, so a late one does no harm.
TEST_F(ConsistencyStoreTest, AmbiguousWriteOfANamedObjectIsAskedAboutAtOnce) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "in doubt", {Ambiguous(0s)});
    Pass(10ms);
    EXPECT_THAT(Released(), ElementsAre("in doubt"));
  });
}

/// Else another object is deleted in its place, and then both are.
TEST_F(ConsistencyStoreTest, AmbiguousDeleteIsHeldUntilTheCacheShowsItOrItCanNoLongerHappen) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "late", {AmbiguousDelete("a", 10s)});
    Hold(consistency, "never", {AmbiguousDelete("b", 10s)});
    Pass(9s);
    EXPECT_THAT(Released(), IsEmpty());
    collection_.Delete("a");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("late"));
    Pass(3s);
    EXPECT_THAT(Released(), ElementsAre("never"));
  });
}

/// Answered with an error, delayed on its way, and carried out after the first list.
TEST_F(ConsistencyStoreTest, WriteThatIsCarriedOutLateIsWaitedFor) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "in doubt", {Ambiguous(10s)});
    Pass(9s);
    collection_.HoldEvents();
    collection_.Put("late", "1");
    Pass(10s);
    EXPECT_THAT(Released(), IsEmpty());
    collection_.ReleaseEvents();
    Pass();
    EXPECT_THAT(Released(), ElementsAre("in doubt"));
  });
}

TEST_F(ConsistencyStoreTest, OneQuestionAnswersAllAmbiguousWritesOfAResource) {
  Play([&](ConsistencyStore& consistency) {
    for (int i = 0; i < 1000; ++i) Hold(consistency, "in doubt", {Ambiguous(5s)});
    Pass(10s);
    EXPECT_EQ(Released().size(), 1000U);
    EXPECT_EQ(std::ranges::count(collection_.requests(), "ask "), 1);
  });
}

TEST_F(ConsistencyStoreTest, QuestionThatFailsIsAskedAgainAndReleasesNothing) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "in doubt", {Ambiguous(1s)});
    for (int i = 0; i < 5; ++i) collection_.FailNext({ErrorCode::kForbidden, "no"});
    Pass(60s);
    EXPECT_THAT(Released(), IsEmpty());
    Pass(60s);
    EXPECT_THAT(Released(), ElementsAre("in doubt"));
  });
}

TEST_F(ConsistencyStoreTest, RefusalThatProvesTheCacheStaleHoldsUntilItShowsSomethingElse) {
  Play([&](ConsistencyStore& consistency) {
    collection_.HoldEvents();
    const auto before = VersionOf("a");
    collection_.Put("a", "2");
    collection_.Put("new", "1");
    Hold(consistency, "conflict", {Refused("a", before)});
    Hold(consistency, "already there", {Refused("new", {})});
    Pass(20s);
    EXPECT_THAT(Released(), IsEmpty());
    collection_.ReleaseEvents();
    Pass();
    EXPECT_THAT(Released(), ElementsAre("conflict", "already there"));
    Hold(consistency, "shown already", {Refused("a", before), Refused("new", {})});
    EXPECT_THAT(Released(), ElementsAre("shown already"));
  });
}

TEST_F(ConsistencyStoreTest, ObjectThatWasThereAndWentBeforeTheHoldIsAskedAbout) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "came and went", {Refused("never seen", {})});
    Pass(2s);
    EXPECT_THAT(Released(), IsEmpty());
    Pass(2s);
    EXPECT_THAT(Released(), ElementsAre("came and went, passed over"));
  });
}

TEST_F(ConsistencyStoreTest, KindThatIsNoLongerServedHoldsNothing) {
  Play([&](ConsistencyStore& consistency) {
    const Error gone(ErrorCode::kNotServed, "404 page not found");
    Hold(consistency, "in doubt", {Ambiguous(1s)});
    Hold(consistency, "write", {Stored("200", "a")});
    for (int i = 0; i < 1000; ++i) collection_.FailNext(gone);
    collection_.EndWatches();
    Pass(60s);
    EXPECT_THAT(Released(), UnorderedElementsAre("in doubt, passed over", "write, passed over"));
  });
}

TEST_F(ConsistencyStoreTest, NotServedOnceWhileTheWatchGoesOnReleasesNothing) {
  Play([&](ConsistencyStore& consistency) {
    Hold(consistency, "write", {Stored("103", "a")});
    collection_.HoldEvents();
    collection_.Put("a", "2");
    for (int i = 0; i < 3; ++i) collection_.FailNext({ErrorCode::kNotServed, "a proxy's page"});
    Pass(5min);
    EXPECT_THAT(Released(), IsEmpty());
  });
}

/// What a cache reaches while it is being added is not lost: nothing else may come for long.
TEST_F(ConsistencyStoreTest, CacheThatIsAddedLateHasGotToWhereItIs) {
  Play([&](ConsistencyStore& consistency) {
    ConsistencyStore late({.executor = executor_, .timers = timers_});
    late.Add(Maps(), cache_);
    Hold(late, "seen", {Stored("102", "b")});
    EXPECT_THAT(Released(), ElementsAre("seen"));
    EXPECT_EQ(consistency.waiting(), 0U);
  });
}

TEST_F(ConsistencyStoreTest, DestructionInTheMiddleOfAQuestionWaitsForItsEnd) {
  Play([&](ConsistencyStore&) {
    auto mine = std::make_unique<ConsistencyStore>(
        ConsistencyStore::Deps{.executor = executor_, .timers = timers_});
    mine->Add(Maps(), cache_);
    collection_.DelayAnswers(executor_.clock(), 5s);
    Hold(*mine, "never", {Ambiguous(1s)});
    Pass(4s);
    mine.reset();
    EXPECT_THAT(Released(), IsEmpty());
  });
}

}  // namespace
}  // namespace flyball::runtime
