#include "flyball/runtime/event_correlator.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using core::v1::Event;
using std::chrono::minutes;
using std::chrono::seconds;

class EventCorrelatorTest : public testing::Test {
 protected:
  static Event MakeEvent(const std::string& reason, const std::string& message) {
    Event event;
    event.metadata.name = "web.1";
    event.metadata.namespace_ = "shop";
    event.metadata.annotations["a"] = "b";
    event.involvedObject.kind = "Pod";
    event.involvedObject.namespace_ = "shop";
    event.involvedObject.name = "web";
    event.source.component = event.reportingComponent = "tests";
    event.type = "Normal";
    event.reason = reason;
    event.message = message;
    event.count = 1;
    event.firstTimestamp = event.lastTimestamp = api::Time::FromUnix(1000);
    return event;
  }
  Moment Now() const {
    return {WallTime(seconds(1000)) + passed_, SteadyTime(seconds(1)) + passed_};
  }
  std::optional<EventWrite> Correlate(const Event& event) {
    return correlator_.Correlate(event, Now());
  }

  EventCorrelator correlator_;
  std::chrono::nanoseconds passed_ = {};
};

TEST_F(EventCorrelatorTest, CreatesWhatIsNewAsItIs) {
  const Event event = MakeEvent("Started", "it began");
  EXPECT_EQ(Correlate(event), (EventWrite{event, ""}));
}

TEST_F(EventCorrelatorTest, CountsUpWhatComesAgainUnderItsFirstName) {
  Event first = MakeEvent("Started", "it <began>");
  Correlate(first);
  first.metadata.resourceVersion = "7";
  correlator_.Learn(first);
  Event again = MakeEvent("Started", "it <began>");
  again.metadata.name = "web.2";
  again.firstTimestamp = again.lastTimestamp = api::Time::FromUnix(2000);
  const auto write = Correlate(again);
  Event wanted = first;
  wanted.count = 2;
  wanted.lastTimestamp = again.lastTimestamp;
  EXPECT_EQ(write, (EventWrite{wanted, R"({"count":2,"lastTimestamp":"1970-01-01T00:33:20Z",)"
                                       R"("message":"it \u003cbegan\u003e"})"}));
}

TEST_F(EventCorrelatorTest, CombinesFromTheTenthMessageOn) {
  for (int i = 1; i <= 9; ++i)
    EXPECT_EQ(Correlate(MakeEvent("Failed", std::to_string(i)))->patch, "");
  const auto tenth = Correlate(MakeEvent("Failed", "10"));
  Event wanted = MakeEvent("Failed", "(combined from similar events): 10");
  wanted.metadata.name = "web.e8d4a51000";
  wanted.metadata.annotations.clear();
  wanted.reportingComponent.clear();
  EXPECT_EQ(tenth, (EventWrite{wanted, ""}));

  passed_ = minutes(10);
  const auto eleventh = Correlate(MakeEvent("Failed", "11"));
  EXPECT_EQ(eleventh->patch, R"({"count":2,"lastTimestamp":"1970-01-01T00:26:40Z",)"
                             R"("message":"(combined from similar events): 11"})");
  // What had an event of its own goes on having it.
  EXPECT_EQ(Correlate(MakeEvent("Failed", "3"))->event.message, "3");
}

TEST_F(EventCorrelatorTest, ForgetsSimilarEventsAfterTenMinutesWithoutOne) {
  for (int i = 1; i <= 10; ++i) Correlate(MakeEvent("Failed", std::to_string(i)));
  passed_ = minutes(10) + std::chrono::nanoseconds(1);
  EXPECT_EQ(Correlate(MakeEvent("Failed", "11"))->event.message, "11");
}

TEST_F(EventCorrelatorTest, WritesTwentyFiveAndThenOneInFiveMinutes) {
  int written = 0;
  for (int i = 0; i < 100; ++i) written += Correlate(MakeEvent("Failed", "again")) ? 1 : 0;
  EXPECT_EQ(written, 25);
  passed_ = minutes(5);
  const auto write = Correlate(MakeEvent("Failed", "again"));
  ASSERT_TRUE(write);
  EXPECT_EQ(write->event.count, 101);
  EXPECT_FALSE(Correlate(MakeEvent("Failed", "again")));
  // Another type, and another object, have budgets of their own.
  Event warning = MakeEvent("Failed", "again");
  warning.type = "Warning";
  EXPECT_TRUE(Correlate(warning));
  Event other = MakeEvent("Failed", "again");
  other.involvedObject.name = "db";
  EXPECT_TRUE(Correlate(other));
}

TEST_F(EventCorrelatorTest, LetsTheFirstOfAReasonThroughWhenTheBudgetIsUsedUp) {
  for (int i = 0; i < 30; ++i) Correlate(MakeEvent("Failed", "again"));
  EXPECT_EQ(Correlate(MakeEvent("Killing", "stopping")),
            (EventWrite{MakeEvent("Killing", "stopping"), ""}));
  EXPECT_FALSE(Correlate(MakeEvent("Killing", "stopping")));
  EXPECT_FALSE(Correlate(MakeEvent("Killing", "stopping in another way")));
}

TEST(EventCorrelatorMemory, IsBounded) {
  EventCorrelator correlator({.memory = 2});
  const Moment now{WallTime(seconds(1)), SteadyTime(seconds(1))};
  const auto patch_of = [&](const std::string& name) {
    Event event;
    event.involvedObject.name = name;
    event.count = 1;
    return correlator.Correlate(event, now)->patch;
  };
  EXPECT_EQ(patch_of("a"), "");
  EXPECT_EQ(patch_of("b"), "");
  EXPECT_NE(patch_of("a"), "");
  EXPECT_EQ(patch_of("c"), "");  // in place of b
  EXPECT_NE(patch_of("a"), "");
  EXPECT_EQ(patch_of("b"), "");
}

}  // namespace
}  // namespace flyball::runtime
