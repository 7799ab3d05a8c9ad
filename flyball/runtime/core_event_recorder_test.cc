#include "flyball/runtime/core_event_recorder.h"

#include <string>

#include "flyball/api/apps/v1.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/view_decode.h"
#include "flyball/api/views.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/event_recorder_fake.h"
#include "flyball/runtime/event_server_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

core::v1::Pod MakePod() {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "shop";
  pod.metadata.name = "web";
  pod.metadata.uid = "f00d";
  pod.metadata.resourceVersion = "7";
  return pod;
}

core::v1::ObjectReference ReferenceToPod() {
  core::v1::ObjectReference reference;
  reference.kind = "Pod";
  reference.apiVersion = "v1";
  reference.namespace_ = "shop";
  reference.name = "web";
  reference.uid = "f00d";
  reference.resourceVersion = "7";
  return reference;
}

TEST(ObjectReference, IsTheSameForEveryFormOfAnObject) {
  const core::v1::Pod pod = MakePod();
  const core::v1::ObjectReference wanted = ReferenceToPod();
  EXPECT_EQ(ReferenceTo(pod), wanted);
  EXPECT_EQ(ReferenceTo(wanted), wanted);
  EXPECT_EQ(ReferenceTo(*api::Json::Parse(R"({"kind":"Pod","apiVersion":"v1","metadata":)"
                                          R"({"name":"web","namespace":"shop","uid":"f00d",)"
                                          R"("resourceVersion":"7"}})")),
            wanted);
  api::ViewDecoder decoder;
  const auto view = decoder.Decode<views::Pod>(*api::EncodeProtobuf(pod));
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(ReferenceTo(**view), wanted);
}

TEST(ObjectReference, BelievesAnObjectThatSaysItsKind) {
  apps::v1::Deployment object;
  EXPECT_EQ(ReferenceTo(object).apiVersion, "apps/v1");
  EXPECT_EQ(ReferenceTo(object).kind, "Deployment");
  object.kind = "Rollout";
  object.apiVersion = "example.com/v1";
  EXPECT_EQ(ReferenceTo(object).apiVersion, "example.com/v1");
  EXPECT_EQ(ReferenceTo(object).kind, "Rollout");
}

TEST(FakeEventRecorder, KeepsWhatIsRecorded) {
  FakeEventRecorder recorder;
  recorder.Event(MakePod(), EventType::kWarning, "Failed", "no luck", {{"a", "b"}});
  EXPECT_THAT(recorder.lines(), ElementsAre("Warning Failed: no luck"));
  EXPECT_THAT(recorder.recorded(),
              ElementsAre(Occurrence{
                  ReferenceToPod(), EventType::kWarning, "Failed", "no luck", {{"a", "b"}}}));
}

class CoreEventRecorderTest : public testing::Test {
 protected:
  void Record(const std::string& reason, const std::string& message) {
    recorder_.Event(MakePod(), EventType::kNormal, reason, message);
    executor_.Drain();
  }
  void Sleep(std::chrono::nanoseconds span) {
    EXPECT_EQ(executor_.RunFor(span).outcome, DeterministicExecutor::Report::Outcome::kAllDone);
  }

  MetricRegistry registry_;
  DeterministicExecutor executor_{1};
  FakeEventServer server_{executor_.clock()};
  EventSink sink_{{.executor = executor_,
                   .client = server_.client(),
                   .random = [] { return std::uint64_t{1}; },
                   .metrics = EventMetrics(registry_, "test")}};
  CoreEventRecorder recorder_{sink_, {.component = "tests"}};
};

constexpr char kFirst[] =
    R"(POST /api/v1/namespaces/shop/events {"kind":"Event","apiVersion":"v1","metadata":)"
    R"({"name":"web.18867251edfa0000","namespace":"shop"},"involvedObject":{"kind":"Pod",)"
    R"("namespace":"shop","name":"web","uid":"f00d","apiVersion":"v1","resourceVersion":"7"},)"
    R"("reason":"Started","message":"it runs","source":{"component":"tests"},)"
    R"("firstTimestamp":"2026-01-01T00:00:00Z","lastTimestamp":"2026-01-01T00:00:00Z","count":1,)"
    R"("type":"Normal","eventTime":null,"reportingComponent":"tests","reportingInstance":""})";

TEST_F(CoreEventRecorderTest, CreatesAnEventAndThenCountsItUp) {
  Record("Started", "it runs");
  Sleep(seconds(5));
  Record("Started", "it runs");
  EXPECT_THAT(server_.requests(),
              ElementsAre(kFirst,
                          "PATCH /api/v1/namespaces/shop/events/web.18867251edfa0000 "
                          R"({"count":2,"lastTimestamp":"2026-01-01T00:00:05Z",)"
                          R"("message":"it runs"})"));
}

TEST_F(CoreEventRecorderTest, CreatesAgainWhatTheServerHasForgotten) {
  Record("Started", "it runs");
  server_.objects().clear();
  Record("Started", "it runs");
  ASSERT_EQ(server_.requests().size(), 3U);
  EXPECT_THAT(server_.requests()[2],
              AllOf(StartsWith(R"(POST /api/v1/namespaces/shop/events {"kind":"Event",)"
                               R"("apiVersion":"v1","metadata":{"name":"web.18867251edfa0000",)"
                               R"("namespace":"shop"})"),
                    HasSubstr(R"("count":2)")));
}

TEST_F(CoreEventRecorderTest, GivesEventsOfTheSameMomentDifferentNames) {
  Record("Started", "it runs");
  Record("Started", "it runs well");
  ASSERT_EQ(server_.requests().size(), 2U);
  EXPECT_THAT(server_.requests()[1], HasSubstr(R"("name":"web.18867251edfa0001")"));
  Sleep(seconds(1));
  Record("Started", "it runs later");
  EXPECT_THAT(server_.requests().back(), HasSubstr(R"("name":"web.188672522994ca00")"));
}

TEST_F(CoreEventRecorderTest, DecidesOnceHoweverOftenItTries) {
  server_.Fail({FakeEventServer::Unreachable(), FakeEventServer::Unreachable()});
  Record("Started", "it runs");
  EXPECT_THAT(server_.requests(), ElementsAre(kFirst, kFirst, kFirst));
}

TEST_F(CoreEventRecorderTest, LeavesAnEventThatWasWrittenThoughTheAnswerWasLost) {
  server_.Fail({FakeEventServer::Answer::Broken(Error(ErrorCode::kIo, "reset")),
                FakeEventServer::Refusal(409, "AlreadyExists")});
  Record("Started", "it runs");
  EXPECT_THAT(server_.requests(), ElementsAre(kFirst, kFirst));
}

TEST_F(CoreEventRecorderTest, GivesUpOnANamespaceThatIsBeingDeleted) {
  server_.Fail({FakeEventServer::Refusal(403, "Forbidden",
                                         R"({"causes":[{"reason":"NamespaceTerminating"}]})")});
  Record("Started", "it runs");
  EXPECT_THAT(server_.requests(), ElementsAre(kFirst));
}

TEST_F(CoreEventRecorderTest, KeepsEventsAboutWhatHasNoNamespaceInDefault) {
  core::v1::Node node;
  node.metadata.name = "node-1";
  recorder_.Event(node, EventType::kWarning, "NodeNotReady", "gone", {{"a", "b"}});
  executor_.Drain();
  ASSERT_EQ(server_.requests().size(), 1U);
  EXPECT_THAT(server_.requests()[0],
              AllOf(StartsWith("POST /api/v1/namespaces/default/events "),
                    HasSubstr(R"("namespace":"default","annotations":{"a":"b"}},"involvedObject":)"
                              R"({"kind":"Node","name":"node-1","apiVersion":"v1"})"),
                    HasSubstr(R"("type":"Warning")")));
}

TEST_F(CoreEventRecorderTest, NamesAnEventByLotWhereTheObjectsNameIsNoName) {
  core::v1::ObjectReference role;
  role.name = "system:node";
  recorder_.Event(role, EventType::kNormal, "Bound", "");
  executor_.Drain();
  EXPECT_TRUE(server_.objects().contains(
      "/api/v1/namespaces/default/events/00000000-0000-4001-8000-000000000001"));
}

TEST_F(CoreEventRecorderTest, CountsWhatTheSpamFilterDrops) {
  for (int i = 0; i < 28; ++i) Record("Started", "it runs");
  EXPECT_EQ(server_.requests().size(), 25U);
  EXPECT_THAT(registry_.Text(), HasSubstr(R"(events_dropped_total{name="test",reason="spam"} 3)"));
}

}  // namespace
}  // namespace flyball::runtime
