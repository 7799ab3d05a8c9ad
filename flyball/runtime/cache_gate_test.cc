#include "flyball/runtime/cache_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class CacheGateTest : public testing::Test {
 protected:
  static client::Resource Maps() { return client::Resource::Of<core::v1::ConfigMap>(); }
  static Write Stored(const std::string& version) {
    return {.resource = Maps(), .resource_version = version};
  }
  static Write Deleted(const std::string& name) {
    return {
        .kind = Write::Kind::kDeleted, .resource = Maps(), .key = {"default", name}, .uid = "u"};
  }

  /// A test with a gate that knows one cache, which is at version 102.
  void Play(const std::function<void(CacheGate& gate)>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      collection_.Put("a", "1");
      collection_.Put("b", "1");
      cache::InformerCore::Options options;
      options.reflector.name = "configmaps";
      const auto cache = std::make_shared<cache::InformerCore>(
          collection_.MakeSource(),
          cache::Reflector::Deps{executor_, timers_, [] { return 0.5; }, {}}, options);
      CacheGate gate({.timers = timers_});
      gate.Add(Maps(), cache);
      cache->Start();
      Pass();
      test(gate);
      cache->Stop();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1));
    EXPECT_TRUE(done) << report.Describe();
  }
  /// Lets the cache follow.
  void Pass(std::chrono::nanoseconds span = 1s) { executor_.clock().SleepFor(span); }
  void Hold(CacheGate& gate, const std::string& name, std::vector<Write> writes) {
    gate.WhenSeen(std::move(writes), [this, name](const CacheGate::Shown& shown) {
      released_.push_back(shown.passed_over ? name + ", passed over" : name);
    });
  }
  std::vector<std::string> Released() { return std::exchange(released_, {}); }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  cache::FakeCollection collection_;
  std::vector<std::string> released_;
};

TEST_F(CacheGateTest, WhatTheCacheShowsIsNotWaitedFor) {
  Play([&](CacheGate& gate) {
    Hold(gate, "seen", {Stored("99"), Stored("102"), Deleted("never there"), Stored("no number")});
    EXPECT_THAT(Released(), ElementsAre("seen"));
    EXPECT_EQ(gate.waiting(), 0U);
  });
}

TEST_F(CacheGateTest, EachIsReleasedAtItsVersionWhoeverCameFirst) {
  Play([&](CacheGate& gate) {
    Hold(gate, "fifth", {Stored("105")});
    Hold(gate, "third", {Stored("103")});
    Hold(gate, "thousandth", {Stored("1000")});
    Hold(gate, "both", {Stored("104"), Stored("103")});
    EXPECT_THAT(Released(), IsEmpty());
    collection_.Put("a", "2");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("third"));
    collection_.Put("a", "3");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("both"));
    collection_.Put("a", "4");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("fifth"));
    EXPECT_EQ(gate.waiting(), 1U);
  });
}

TEST_F(CacheGateTest, ADeletionIsSeenWhenTheObjectIsGoneAndHoldsUpNoVersion) {
  Play([&](CacheGate& gate) {
    Hold(gate, "deletion", {Deleted("a")});
    Hold(gate, "deletion and write", {Stored("103"), Deleted("b")});
    Hold(gate, "write", {Stored("103")});
    collection_.Put("c", "1");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("write"));
    collection_.Delete("a");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("deletion"));
    collection_.Delete("b");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("deletion and write"));
    EXPECT_EQ(gate.waiting(), 0U);
  });
}

TEST_F(CacheGateTest, WhatIsSeenSinceAllWasReadAnewMayHaveBeenPassedOver) {
  Play([&](CacheGate& gate) {
    Hold(gate, "made and deleted", {Stored("103")});
    Hold(gate, "deleted by us", {Deleted("a")});
    collection_.EndWatches();
    collection_.Put("c", "1");
    collection_.Delete("c");
    collection_.Delete("a");
    collection_.Compact();
    Pass(10s);
    EXPECT_THAT(Released(), UnorderedElementsAre("made and deleted, passed over", "deleted by us"));
    Hold(gate, "told late", {Stored("104")});
    EXPECT_THAT(Released(), ElementsAre("told late, passed over"));

    Hold(gate, "since then", {Stored("106")});
    collection_.Put("d", "1");
    Pass();
    EXPECT_THAT(Released(), ElementsAre("since then"));
  });
}

TEST_F(CacheGateTest, NobodyWaitsLongerThanAMinute) {
  Play([&](CacheGate& gate) {
    Hold(gate, "first", {Stored("107")});
    Pass(30s);
    Hold(gate, "second", {Stored("107")});
    Pass(31s);
    EXPECT_THAT(Released(), ElementsAre("first"));
    Pass(30s);
    EXPECT_THAT(Released(), ElementsAre("second"));
    EXPECT_EQ(gate.waiting(), 0U);
  });
}

}  // namespace
}  // namespace flyball::runtime
