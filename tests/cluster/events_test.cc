// Events on a real API server: created, counted up, combined, in series.

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "flyball/api/events/v1.h"
#include "flyball/base/timers.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/runtime/core_event_recorder.h"
#include "flyball/runtime/event_sink.h"
#include "flyball/runtime/series_event_recorder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/cluster_test.h"

namespace flyball::cluster {
namespace {

using runtime::EventType;
using testing::ElementsAre;

/// The value, or a failed test and a default one.
template <typename T>
T Must(Result<T> result) {
  if (result) return *std::move(result);
  ADD_FAILURE() << result.error().Describe();
  return T();
}

class EventsTest : public ClusterTest {
 protected:
  EventsTest() {
    map_.metadata.namespace_ = space_;
    map_.metadata.name = "map";
    map_ = Must(client_.Of<core::v1::ConfigMap>().Create(map_));
  }

  transport::HttpTransport::Options TransportOptions() {
    transport::HttpTransport::Options options;
    options.server = access_.server;
    options.tls = [this] { return credentials_->Tls(); };
    return options;
  }

  /// Ends the recording, and returns what the server has of it, the oldest first.
  template <typename Event>
  std::vector<Event> Written() {
    EXPECT_TRUE(sink_.Shutdown(clock().DeadlineAfter(std::chrono::seconds(30))));
    auto events = Must(client_.Of<Event>().ListIn(space_)).items;
    std::ranges::sort(events, {}, [](const Event& event) { return event.metadata.name; });
    return events;
  }

  const std::string space_ = NewNamespace();
  const client::AccessConfig access_ = Must(client::ToolAccess(
      Must(plane().WriteKubeconfig("events", {.token = plane().admin_token()})).string(), {}, {},
      {}));
  const std::unique_ptr<client::Credentials> credentials_ =
      *client::Credentials::Create(access_, {.clock = clock()});
  transport::HttpTransport transport_{network(), TransportOptions()};
  client::RestClient rest_{
      {.transport = transport_, .clock = clock(), .credentials = credentials_.get()}, {}};
  const client::Client client_{rest_};
  std::mt19937_64 random_;
  runtime::EventSink sink_{
      {.executor = executor(), .client = client_, .random = [this] { return random_(); }}};
  core::v1::ConfigMap map_;
};

TEST_F(EventsTest, AreCreatedThenCountedUpThenCombined) {
  runtime::CoreEventRecorder recorder(sink_, {.component = "tests"});
  for (int i = 0; i < 3; ++i) recorder.Event(map_, EventType::kNormal, "Read", "it was read");
  for (int i = 0; i < 12; ++i) {
    recorder.Event(map_, EventType::kWarning, "Torn", "at fold " + std::to_string(i));
  }
  const auto events = Written<core::v1::Event>();
  std::vector<std::string> lines;
  for (const auto& event : events) {
    lines.push_back(event.type + " " + event.reason + " " + std::to_string(event.count) + " " +
                    event.message);
    EXPECT_EQ(event.involvedObject, runtime::ReferenceTo(map_));
    EXPECT_EQ(event.source.component, "tests");
    EXPECT_FALSE(event.lastTimestamp < event.firstTimestamp);
  }
  EXPECT_THAT(lines, ElementsAre("Normal Read 3 it was read", "Warning Torn 1 at fold 0",
                                 "Warning Torn 1 at fold 1", "Warning Torn 1 at fold 2",
                                 "Warning Torn 1 at fold 3", "Warning Torn 1 at fold 4",
                                 "Warning Torn 1 at fold 5", "Warning Torn 1 at fold 6",
                                 "Warning Torn 1 at fold 7", "Warning Torn 1 at fold 8",
                                 "Warning Torn 3 (combined from similar events): at fold 11"));
}

TEST_F(EventsTest, StartASeriesWithTheSecond) {
  Timers timers(executor());
  runtime::SeriesEventRecorder recorder(sink_, timers,
                                        {.controller = "example.com/tests", .instance = "tests-1"});
  for (int i = 0; i < 3; ++i) {
    recorder.Event(map_, EventType::kNormal, "Read", "Reading", "it was read");
  }
  const auto events = Written<events::v1::Event>();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].regarding, runtime::ReferenceTo(map_));
  EXPECT_EQ(events[0].reportingController, "example.com/tests");
  EXPECT_EQ(events[0].action, "Reading");
  ASSERT_TRUE(events[0].series.has_value());
  EXPECT_EQ(events[0].series->count, 2);
}

TEST_F(EventsTest, AreGivenUpWhereTheirNamespaceIsGone) {
  MetricRegistry registry;
  runtime::EventSink sink({.executor = executor(),
                           .client = client_,
                           .random = [this] { return random_(); },
                           .metrics = runtime::EventMetrics(registry, "tests")});
  runtime::CoreEventRecorder recorder(sink, {.component = "tests"});
  core::v1::ConfigMap gone = map_;
  gone.metadata.namespace_ = "no-such-namespace";
  recorder.Event(gone, EventType::kNormal, "Read", "it was read");
  EXPECT_TRUE(sink.Shutdown(clock().DeadlineAfter(std::chrono::seconds(30))));
  EXPECT_THAT(registry.Text(),
              testing::HasSubstr(R"(events_dropped_total{name="tests",reason="refused"} 1)"));
}

}  // namespace
}  // namespace flyball::cluster
