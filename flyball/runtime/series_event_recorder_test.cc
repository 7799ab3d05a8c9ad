#include "flyball/runtime/series_event_recorder.h"

#include <memory>
#include <string>

#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/event_server_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Outcome = DeterministicExecutor::Report::Outcome;

class SeriesEventRecorderTest : public testing::Test {
 protected:
  SeriesEventRecorderTest() {
    pod_.kind = "Pod";
    pod_.namespace_ = "shop";
    pod_.name = "web";
  }

  void Record() {
    recorder_->Event(pod_, EventType::kNormal, "Backup", "BackingUp", "copied");
    static_cast<void>(Run(seconds(1)));
  }
  DeterministicExecutor::Report Run(std::chrono::nanoseconds span) {
    return executor_.RunFor(span);
  }
  /// The requests since this was asked last.
  std::vector<std::string> News() {
    const auto& all = server_.requests();
    std::vector<std::string> news(all.begin() + static_cast<std::ptrdiff_t>(seen_), all.end());
    seen_ = all.size();
    return news;
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  FakeEventServer server_{executor_.clock()};
  EventSink sink_{{.executor = executor_, .client = server_.client(), .random = [] {
                     return std::uint64_t{1};
                   }}};
  std::unique_ptr<SeriesEventRecorder> recorder_ = std::make_unique<SeriesEventRecorder>(
      sink_, timers_, SeriesEventRecorder::Origin{"example.com/backup", "backup-1"});
  core::v1::ObjectReference pod_;
  std::size_t seen_ = 0;
};

constexpr char kCreate[] =
    R"(POST /apis/events.k8s.io/v1/namespaces/shop/events {"kind":"Event",)"
    R"("apiVersion":"events.k8s.io/v1","metadata":{"name":"web.18867251edfa0000",)"
    R"("namespace":"shop"},"eventTime":"2026-01-01T00:00:00.000000Z",)"
    R"("reportingController":"example.com/backup","reportingInstance":"backup-1",)"
    R"("action":"BackingUp","reason":"Backup","regarding":{"kind":"Pod","namespace":"shop",)"
    R"("name":"web"},"note":"copied","type":"Normal","deprecatedSource":{},)"
    R"("deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null})";

std::string Patch(int count, const std::string& time) {
  return "PATCH /apis/events.k8s.io/v1/namespaces/shop/events/web.18867251edfa0000 "
         R"({"series":{"count":)" +
         std::to_string(count) + R"(,"lastObservedTime":"2026-01-01T)" + time + R"("}})";
}

TEST_F(SeriesEventRecorderTest, WritesTheFirstAndTheSecondAndThenTheEndOfASeries) {
  for (int i = 0; i < 4; ++i) Record();
  EXPECT_THAT(News(), ElementsAre(kCreate, Patch(2, "00:00:01.000000Z")));
  EXPECT_EQ(Run(minutes(6)).outcome, Outcome::kTimeIsUp);
  EXPECT_THAT(News(), IsEmpty());  // its last is not six minutes ago
  EXPECT_EQ(Run(minutes(7)).outcome, Outcome::kAllDone);
  EXPECT_THAT(News(), ElementsAre(Patch(4, "00:00:03.000000Z")));
  Record();
  EXPECT_THAT(News(), ElementsAre(HasSubstr("POST ")));
}

TEST_F(SeriesEventRecorderTest, ForgetsAnEventThatStaysAlone) {
  Record();
  EXPECT_EQ(Run(minutes(13)).outcome, Outcome::kAllDone);
  EXPECT_THAT(News(), ElementsAre(kCreate));
}

TEST_F(SeriesEventRecorderTest, RefreshesASeriesThatGoesOn) {
  for (int i = 0; i < 16; ++i) {
    Record();
    Run(minutes(2));
  }
  // Every half an hour.
  EXPECT_THAT(News(),
              ElementsAre(kCreate, Patch(2, "00:02:01.000000Z"), Patch(15, "00:28:14.000000Z")));
}

TEST_F(SeriesEventRecorderTest, TakesAnotherNoteForTheSameEventButNotAnotherObject) {
  Record();
  recorder_->Event(pod_, EventType::kNormal, "Backup", "BackingUp", "copied in another way");
  Run(seconds(1));
  EXPECT_THAT(News(), ElementsAre(kCreate, Patch(2, "00:00:01.000000Z")));
  SeriesOccurrence other;
  other.what.about = pod_;
  other.action = "BackingUp";
  other.related = pod_;
  recorder_->Record(other);
  Run(seconds(1));
  EXPECT_THAT(News(), ElementsAre(HasSubstr(R"("related":{"kind":"Pod","namespace":"shop",)"
                                            R"("name":"web"})")));
}

TEST_F(SeriesEventRecorderTest, KeepsASeriesUntilItsEndIsWritten) {
  Record();
  Record();
  News();
  server_.Fail({FakeEventServer::Unreachable()});
  Run(minutes(12));
  EXPECT_THAT(News(), ElementsAre(Patch(2, "00:00:01.000000Z")));
  EXPECT_EQ(Run(minutes(7)).outcome, Outcome::kAllDone);
  EXPECT_THAT(News(), ElementsAre(Patch(2, "00:00:01.000000Z")));
}

TEST_F(SeriesEventRecorderTest, StartsASeriesOnAnEventThatComesWhileItIsPatched) {
  Record();
  News();
  server_.Fail({FakeEventServer::NotFound(server_.objects().begin()->first)});
  Record();
  const auto news = News();
  ASSERT_EQ(news.size(), 3U);
  EXPECT_EQ(news[0], Patch(2, "00:00:01.000000Z"));
  EXPECT_THAT(news[1], HasSubstr("POST "));
  EXPECT_EQ(news[2], news[0]);
}

TEST_F(SeriesEventRecorderTest, MayGoBeforeWhatItRecordedIsWritten) {
  recorder_->Event(pod_, EventType::kNormal, "Backup", "BackingUp", "copied");
  recorder_.reset();
  executor_.Drain();
  EXPECT_THAT(News(), ElementsAre(kCreate));
}

}  // namespace
}  // namespace flyball::runtime
