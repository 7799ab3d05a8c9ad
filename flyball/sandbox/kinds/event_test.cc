#include "flyball/sandbox/internal/server_fixture.h"

namespace flyball::sandbox {
namespace {

/// Events are stored once and served by two groups.
class EventTest : public ServerFixture {
 protected:
  static constexpr const char* kOlder = "/api/v1/namespaces/default/events";
  static constexpr const char* kNewer = "/apis/events.k8s.io/v1/namespaces/default/events";

  /// The object without what differs from run to run.
  static std::string Without(const Response& response, std::string_view members) {
    api::Json::Object object = *response.body.If<api::Json::Object>();
    for (std::size_t at = 0; at < members.size();) {
      const auto end = std::min(members.find(' ', at), members.size());
      object.erase(members.substr(at, end - at));
      at = end + 1;
    }
    return api::Json(std::move(object)).ToString();
  }

  const std::string kStarted =
      R"({"metadata":{"name":"web.1"},"eventTime":"2024-01-02T03:04:05.000006Z",)"
      R"("regarding":{"kind":"Node","name":"n"},"reason":"Started","note":"it runs",)"
      R"("type":"Normal","action":"Start","reportingController":"example.com/c",)"
      R"("reportingInstance":"c-0"})";
};

TEST_F(EventTest, WhatTheNewerGroupMakesTheOlderOneShows) {
  ASSERT_EQ(Post(kNewer, kStarted).status, 201);
  EXPECT_EQ(Without(Get(std::string(kOlder) + "/web.1"), "metadata"),
            R"({"action":"Start","apiVersion":"v1","eventTime":"2024-01-02T03:04:05.000006Z",)"
            R"("firstTimestamp":null,"involvedObject":{"kind":"Node","name":"n"},"kind":"Event",)"
            R"("lastTimestamp":null,"message":"it runs","reason":"Started",)"
            R"("reportingComponent":"example.com/c","reportingInstance":"c-0","source":{},)"
            R"("type":"Normal"})");
}

TEST_F(EventTest, WhatTheOlderGroupMakesTheNewerOneShows) {
  const auto made = Post(
      kOlder,
      R"({"metadata":{"name":"Old_name"},"involvedObject":{"kind":"Pod","namespace":"default"},)"
      R"("message":"m","source":{"component":"kubelet"},"count":3,)"
      R"("firstTimestamp":"2024-01-02T03:04:05Z","lastTimestamp":"2024-01-02T03:04:06Z"})");
  ASSERT_EQ(made.status, 201) << made.body.ToString();
  EXPECT_EQ(Without(Get(std::string(kNewer) + "/Old_name"), "metadata"),
            R"({"apiVersion":"events.k8s.io/v1","deprecatedCount":3,)"
            R"("deprecatedFirstTimestamp":"2024-01-02T03:04:05Z",)"
            R"("deprecatedLastTimestamp":"2024-01-02T03:04:06Z",)"
            R"("deprecatedSource":{"component":"kubelet"},"eventTime":null,"kind":"Event",)"
            R"("note":"m","regarding":{"kind":"Pod","namespace":"default"}})");
}

TEST_F(EventTest, EachGroupSelectsByItsOwnNames) {
  Post(kNewer, kStarted);
  const auto count = [&](const std::string& target) {
    const auto list = Get(target);
    const api::Json* const items = list.body.Find("items");
    return items == nullptr ? -1 : static_cast<int>(items->If<api::Json::Array>()->size());
  };
  EXPECT_EQ(count(std::string(kNewer) + "?fieldSelector=regarding.kind=Node"), 1);
  EXPECT_EQ(count(std::string(kNewer) + "?fieldSelector=regarding.kind=Pod"), 0);
  EXPECT_EQ(count(std::string(kOlder) + "?fieldSelector=involvedObject.kind=Node"), 1);
  EXPECT_EQ(count(std::string(kOlder) + "?fieldSelector=source=example.com/c"), 1);
  EXPECT_EQ(Get(std::string(kNewer) + "?fieldSelector=involvedObject.kind=Node").At("message"),
            "field label not supported: involvedObject.kind");
}

TEST_F(EventTest, OnlyTheNewerGroupIsStrict) {
  const std::string event =
      R"({"metadata":{"name":"Bad_one"},"type":"Normal","count":2,"deprecatedCount":2})";
  EXPECT_EQ(Post(kOlder, event).status, 201);
  EXPECT_EQ(
      Post(kNewer, event).At("message"),
      "Event \"Bad_one\" is invalid: [metadata.name: Invalid value: \"Bad_one\": a lowercase "
      "RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
      "must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
      "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), "
      "eventTime: Required value, count: Invalid value: \"\": needs to be unset]");
}

TEST_F(EventTest, OfAnEventOnlyTheSeriesGoesOnInTheNewerGroup) {
  Post(kNewer, kStarted);
  const std::string path = std::string(kNewer) + "/web.1";
  EXPECT_EQ(MergePatch(path, R"({"note":"x","regarding":{"kind":"Pod"}})").At("message"),
            "Event \"web.1\" is invalid: [involvedObject: Invalid value: "
            "{\"Kind\":\"Pod\",\"Namespace\":\"\",\"Name\":\"n\",\"UID\":\"\",\"APIVersion\":\"\","
            "\"ResourceVersion\":\"\",\"FieldPath\":\"\"}: field is immutable, message: Invalid "
            "value: \"x\": field is immutable]");
  EXPECT_EQ(
      MergePatch(path, R"({"series":{"count":2,"lastObservedTime":"2024-01-02T03:05:05.000000Z"}})")
          .At("series"),
      R"({"count":2,"lastObservedTime":"2024-01-02T03:05:05.000000Z"})");
  EXPECT_EQ(MergePatch(std::string(kOlder) + "/web.1", R"({"message":"x"})").At("message"), "x");
}

TEST_F(EventTest, ABodyOfTheOtherGroupIsRefused) {
  EXPECT_EQ(Post(kOlder, R"({"apiVersion":"events.k8s.io/v1","kind":"Event"})").At("message"),
            "the API version in the data (events.k8s.io/v1) does not match the expected API "
            "version (v1)");
}

}  // namespace
}  // namespace flyball::sandbox
