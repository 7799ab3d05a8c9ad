#include "flyball/runtime/event_sink.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/event_server_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Outcome = DeterministicExecutor::Report::Outcome;

class EventSinkTest : public testing::Test {
 protected:
  EventSinkTest() { MakeSink({.name = "test", .capacity = 3}); }

  void MakeSink(EventSink::Options options) {
    // A quarter of all bits.
    sink_ =
        std::make_unique<EventSink>(EventSink::Deps{.executor = executor_,
                                                    .client = server_.client(),
                                                    .random = [] { return std::uint64_t{1} << 62; },
                                                    .log = log_,
                                                    .metrics = EventMetrics(registry_, "test")},
                                    std::move(options));
  }

  /// An event that fails with these, and then is written.
  EventSink::Work Work(const std::string& name, std::vector<Error> failures = {},
                       std::chrono::nanoseconds takes = {}) {
    return {.write = [this, name, failures = std::move(failures), takes,
                      tries = std::size_t{0}]() mutable -> Result<> {
              if (takes.count() > 0) executor_.clock().SleepFor(takes);
              tried_.push_back(At() + name);
              if (tries == failures.size()) return {};
              return std::unexpected(failures[tries++]);
            },
            .reason = "Tested",
            .about = {"shop", name}};
  }
  static std::vector<Error> Broken(std::size_t times) {
    return std::vector<Error>(times, Error(ErrorCode::kIo, "connection reset"));
  }
  std::string At() {
    const auto passed = executor_.clock().SteadyNow() - start_;
    return std::to_string(std::chrono::duration_cast<milliseconds>(passed).count()) + "ms ";
  }
  double Dropped(const std::string& reason) const {
    const std::string series = R"(events_dropped_total{name="test",reason=")" + reason + "\"} ";
    const std::string text = registry_.Text();
    return std::stod(text.substr(text.find(series) + series.size()));
  }

  MetricRegistry registry_;
  DeterministicExecutor executor_{1};
  const SteadyTime start_ = executor_.clock().SteadyNow();
  std::shared_ptr<StringLogSink> logged_ = std::make_shared<StringLogSink>();
  Logger log_{{.verbosity = 4}, executor_.clock(), logged_};
  FakeEventServer server_{executor_.clock()};
  std::unique_ptr<EventSink> sink_;
  std::vector<std::string> tried_;  // "2500ms a"
};

TEST_F(EventSinkTest, WritesInOrderAndHasNoTaskWhileThereIsNothingToWrite) {
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  for (const char* name : {"a", "b", "c"}) sink_->Add(Work(name));
  EXPECT_THAT(tried_, IsEmpty());
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  sink_->Add(Work("d"));
  executor_.Drain();
  EXPECT_THAT(tried_, ElementsAre("0ms a", "0ms b", "0ms c", "0ms d"));
}

TEST_F(EventSinkTest, HoldsEverythingWhileTheServerCannotBeReached) {
  sink_->Add(Work("a", {Error(ErrorCode::kUnavailable, ""), Error(ErrorCode::kTimeout, ""),
                        Error(ErrorCode::kMalformed, "")}));
  sink_->Add(Work("b"));
  executor_.Drain();
  EXPECT_THAT(tried_, ElementsAre("0ms a", "2500ms a", "12500ms a", "22500ms a", "22500ms b"));
}

TEST_F(EventSinkTest, GivesUpAfterTwelveTries) {
  sink_->Add(Work("a", Broken(100)));
  sink_->Add(Work("b"));
  executor_.Drain();
  EXPECT_EQ(tried_.size(), 13U);
  EXPECT_EQ(tried_.back(), "102500ms b");
  EXPECT_EQ(Dropped("unreachable"), 1);
  EXPECT_THAT(
      logged_->text(),
      HasSubstr(R"x("Unable to write event (retry limit exceeded!)" )x"
                R"x(err="i/o: connection reset" event="Tested" object="shop/a" tries=12)x"));
}

TEST_F(EventSinkTest, DropsWhatTheServerRefuses) {
  for (const ErrorCode code : {ErrorCode::kInvalid, ErrorCode::kTooManyRequests}) {
    sink_->Add(Work("a", {Error(code, "no")}));
  }
  executor_.Drain();
  EXPECT_EQ(tried_.size(), 2U);
  EXPECT_EQ(Dropped("refused"), 2);
  EXPECT_THAT(logged_->text(), HasSubstr("Server rejected event (will not retry!)"));
}

TEST_F(EventSinkTest, TriesAgainAfterAServerErrorThatSaysRetryAfter) {
  for (const ErrorCode code : {ErrorCode::kInternal, ErrorCode::kServerTimeout}) {
    Error later(code, "etcdserver: leader changed");
    sink_->Add(Work("a", {later}));
    later.set_detail({.retry_after = seconds(1)});
    sink_->Add(Work("b", {later}));
    executor_.Drain();
  }
  EXPECT_EQ(tried_.size(), 6U);
  EXPECT_EQ(Dropped("refused"), 2);
}

TEST_F(EventSinkTest, MakesNoNoiseOfRefusalsThatAreAMatterOfCourse) {
  sink_->Add(Work("a", {Error(ErrorCode::kAlreadyExists, "again")}));
  Error terminating(ErrorCode::kForbidden, "being terminated");
  terminating.set_detail({.causes = {{"NamespaceTerminating", "metadata.namespace", ""}}});
  sink_->Add(Work("b", {terminating}));
  executor_.Drain();
  EXPECT_EQ(tried_.size(), 2U);
  EXPECT_THAT(logged_->text(), IsEmpty());
}

TEST_F(EventSinkTest, DropsAndCountsWhatThereIsNoRoomForAndSaysSoOnceAMinute) {
  for (int i = 0; i < 10; ++i) sink_->Add(Work("a"));
  EXPECT_EQ(Dropped("overflow"), 7);
  EXPECT_THAT(logged_->text(),
              HasSubstr(R"("Unable to record event: too many queued events, dropped event" )"
                        R"(event="Tested" object="shop/a" sink="test" dropped=1)"
                        "\n"));
  logged_->Clear();
  executor_.Drain();
  EXPECT_EQ(tried_.size(), 3U);
  EXPECT_EQ(executor_.RunFor(seconds(60)).outcome, Outcome::kAllDone);
  for (int i = 0; i < 10; ++i) sink_->Add(Work("b"));
  EXPECT_THAT(logged_->text(), HasSubstr("dropped=7\n"));
  EXPECT_THAT(logged_->text(), Not(HasSubstr("dropped=1\n")));
  executor_.Drain();
}

TEST_F(EventSinkTest, WritesTheRestWhenItIsShutDown) {
  bool flushed = false;
  sink_->Add(Work("a", Broken(1)));
  sink_->Add(Work("b", Broken(5)));
  executor_.Start("owner", [&] {
    executor_.clock().SleepFor(seconds(1));
    flushed = sink_->Shutdown(executor_.clock().DeadlineAfter(seconds(5)));
    sink_->Add(Work("late"));
  });
  executor_.Drain();
  EXPECT_TRUE(flushed);
  // Tried once more, at once.
  EXPECT_THAT(tried_, ElementsAre("0ms a", "1000ms a", "1000ms b"));
  EXPECT_EQ(Dropped("shutdown"), 2);
}

TEST_F(EventSinkTest, DoesNotWaitBeyondTheDeadlineOfAShutdown) {
  bool flushed = true;
  sink_->Add(Work("a", {}, seconds(20)));
  sink_->Add(Work("b"));
  executor_.Start("owner", [&] {
    executor_.clock().SleepFor(seconds(1));
    flushed = sink_->Shutdown(executor_.clock().DeadlineAfter(seconds(5)));
    EXPECT_EQ(executor_.clock().SteadyNow() - start_, seconds(6));
    sink_.reset();  // waits for what is under way
    EXPECT_EQ(executor_.clock().SteadyNow() - start_, seconds(20));
  });
  executor_.Drain();
  EXPECT_FALSE(flushed);
  EXPECT_EQ(tried_.size(), 1U);
  EXPECT_EQ(Dropped("shutdown"), 1);
}

TEST_F(EventSinkTest, SurvivesARunThatIsAbandoned) {
  sink_->Add(Work("a", Broken(5)));
  EXPECT_EQ(executor_.RunFor(seconds(1)).outcome, Outcome::kTimeIsUp);
  executor_.Abandon();
  sink_.reset();
}

TEST(EventSinkThreads, WritesOrCountsEveryEventOfManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  RealClock clock;
  ElasticExecutor executor(clock);
  FakeEventServer server(clock);
  EventSink sink({.executor = executor, .client = server.client(), .random = [] { return 1U; }},
                 {.name = "test", .capacity = std::size_t{kThreads} * kEach});
  int written = 0;  // by one task at a time
  std::atomic<int> recording = kThreads;
  for (int i = 0; i < kThreads; ++i) {
    executor.Start("recorder", [&] {
      for (int event = 0; event < kEach; ++event) {
        sink.Add({.write = [&written]() -> Result<> {
                    ++written;
                    return {};
                  },
                  .reason = "Tested",
                  .about = {}});
      }
      if (--recording > 0) return;
      EXPECT_TRUE(sink.Shutdown(SteadyTime::max()));
    });
  }
  executor.Drain();
  EXPECT_EQ(written, kThreads * kEach);
}

}  // namespace
}  // namespace flyball::runtime
