#include "tests/parity/portrait.h"

#include "flyball/api/base64.h"
#include "gmock/gmock.h"

namespace flyball::parity {
namespace {

using api::Json;

constexpr const char* kFirst = "11111111-89ab-cdef-0123-456789abcdef";
constexpr const char* kSecond = "22222222-89ab-cdef-0123-456789abcdef";

WorldObject Object(const std::string& reference, const std::string& json) {
  return {*Reference::Parse(reference), std::make_shared<Json>(*Json::Parse(json))};
}
std::string Text(std::string_view json) { return Json::Parse(json)->ToString(); }

class PortraitTest : public testing::Test {
 protected:
  std::string Drawn(const World& world, const std::string& checkpoint = "made") {
    return portraitist_.Draw(world, checkpoint, now_).ToString();
  }
  static std::string Pod(const std::string& uid, const std::string& name, const char* phase) {
    return R"({"metadata":{"generateName":"web-","name":")" + name + R"(","uid":")" + uid +
           R"("},"phase":")" + phase + R"("})";
  }

  const WallTime now_{std::chrono::sys_days{std::chrono::year(2026) / 1 / 2}};
  Portraitist portraitist_{{.scenario = "clusterIP: 10.0.0.7", .texts = {{"PEM", "<authority>"}}}};
};

TEST_F(PortraitTest, UidsSayWhoseTheyAre) {
  const std::string uid = kFirst;
  EXPECT_EQ(Drawn({.present = {Object("secrets/a in shop",
                                      R"({"metadata":{"name":"a","uid":")" + uid + R"("}})"),
                               Object("pods/b in shop", R"({"metadata":{"name":"b","uid":"-"},
                                      "owner":")" + uid + R"("})")}}),
            Text(R"({"events":{},
                     "pods/b in shop":{"metadata":{"name":"b","uid":"-"},
                                       "owner":"<uid of secrets/a in shop>","since":"made"},
                     "secrets/a in shop":{"metadata":{"name":"a",
                                          "uid":"<uid of secrets/a in shop>"},"since":"made"}})"));
}

TEST_F(PortraitTest, GeneratedNamesAreNumberedByWhatTheObjectsLookLike) {
  const World one{.present = {Object("pods/web-aaaaa in s", Pod(kFirst, "web-aaaaa", "Running")),
                              Object("pods/web-zzzzz in s", Pod(kSecond, "web-zzzzz", "Failed"))}};
  const World other{
      .present = {Object("pods/web-bbbbb in s", Pod(kSecond, "web-bbbbb", "Failed")),
                  Object("pods/web-ccccc in s", Pod(kFirst, "web-ccccc", "Running"))}};
  EXPECT_EQ(Drawn(one), Drawn(other));
  EXPECT_THAT(Drawn(one), testing::HasSubstr(R"("pods/web-\u003c1\u003e in s":{"metadata":)"));
}

TEST_F(PortraitTest, ANameThatStandsInAUidByChanceIsLeftThere) {
  const std::string uid = "048032fc-7b59-46b5-afdb-1188d4409786";
  EXPECT_THAT(Drawn({.present = {Object("pods/db-1 in s", R"({"metadata":{"generateName":"db-",
                                        "name":"db-1","uid":")" +
                                                              uid + R"("}})")}}),
              testing::HasSubstr(R"("uid":"\u003cuid of pods/db-\u003c1\u003e in s\u003e")"));
}

TEST_F(PortraitTest, NamesOfPodsThatWereRefusedAreNotTold) {
  const auto says = [this](const std::string& message) {
    return Drawn({.present = {Object(
                      "replicasets.apps/web in s",
                      R"({"metadata":{"name":"web","uid":"-"},"message":")" + message + R"("})")}});
  };
  EXPECT_EQ(says("no pod web-bcd24: full"), says("no pod web-<refused>: full"));
  EXPECT_EQ(says("not web-bcd24"), says("not web-<refused>"));
  // A longer name is that of something else, and so is one with a letter that is never made up.
  EXPECT_THAT(says("web-bcd24-7 web-bcd249 web-bcda2"),
              testing::HasSubstr("web-bcd24-7 web-bcd249 web-bcda2"));
}

TEST_F(PortraitTest, WhatWasReplacedIsNotWhatStayed) {
  const auto named = [](const char* uid) {
    return Object("pods/a", std::string(R"({"metadata":{"name":"a","uid":")") + uid + R"("}})");
  };
  const std::string before = Drawn({.present = {named(kFirst)}}, "before");
  EXPECT_EQ(Drawn({.present = {named(kFirst)}}, "after"), before);
  EXPECT_EQ(Drawn({.present = {named(kSecond)}, .past = {named(kFirst)}}, "after"),
            Text(R"({"events":{},"pods/a":{"metadata":{"name":"a","uid":"<uid of pods/a>"},
                                           "since":"after"}})"));
}

TEST_F(PortraitTest, NothingIsLeftOfMomentsAndVersionsAndWhoWroteFirst) {
  const auto drawn = [this](const char* metadata) {
    return Drawn({.present = {Object("pods/a", std::string(R"({"metadata":)") + metadata + "}")}});
  };
  EXPECT_EQ(drawn(R"({"uid":"-","resourceVersion":"7","at":"2026-01-02T00:00:01Z","on":"2026-01-02",
                      "managedFields":[{"manager":"b","time":"x"},{"manager":"a"}]})"),
            Text(R"({"events":{},"pods/a":{"metadata":{"uid":"-","at":"<time>","on":"<today>",
                     "managedFields":[{"manager":"a"},{"manager":"b"}]},"since":"made"}})"));
}

TEST_F(PortraitTest, TokensShowWhatTheySay) {
  const std::string token = api::EncodeBase64Url(R"({"alg":"ES256","kid":"x"})") + "." +
                            api::EncodeBase64Url(R"({"sub":"a"})") + ".signature";
  EXPECT_EQ(Drawn({.present = {Object("secrets/a", R"({"ca":"PEM","token":")" +
                                                       api::EncodeBase64(token) + R"("})")}}),
            Text(R"({"events":{},"secrets/a":{"ca":"<authority>","since":"made",
                "token":"<token {\"alg\":\"ES256\",\"kid\":\"\\u003ckey\\u003e\"}{\"sub\":\"a\"}>"}})"));
}

TEST_F(PortraitTest, AddressesThatTheScenarioNamesStay) {
  EXPECT_EQ(Drawn({.present = {Object("services/a", R"({"clusterIP":"10.0.0.7","nodePort":30001,
                                       "clusterIPs":["10.0.0.7","10.0.0.8"]})")}}),
            Text(R"({"events":{},"services/a":{"clusterIP":"10.0.0.7","nodePort":"<port>",
                     "clusterIPs":["10.0.0.7","<address>"],"since":"made"}})"));
}

TEST_F(PortraitTest, EndpointsHaveNoOrder) {
  const auto slice = [this](const std::string& endpoints) {
    return Drawn({.present = {Object("endpointslices.discovery.k8s.io/web in s",
                                     R"({"metadata":{"name":"web","uid":"-"},"addressType":"IPv4",
                                         "endpoints":[)" +
                                         endpoints + "]}")}});
  };
  EXPECT_EQ(slice(R"({"zone":"a"},{"zone":"b"})"), slice(R"({"zone":"b"},{"zone":"a"})"));
  EXPECT_NE(slice(R"({"zone":"a"},{"zone":"b"})"), slice(R"({"zone":"a"},{"zone":"a"})"));
}

TEST_F(PortraitTest, TaintsHaveNoOrder) {
  const auto drawn = [this](const std::string& taints) {
    return Drawn(
        {.present = {Object("nodes/n", R"({"kind":"Node","spec":{"taints":[)" + taints + "]}}")}});
  };
  EXPECT_EQ(drawn(R"({"key":"a"},{"key":"b"})"), drawn(R"({"key":"b"},{"key":"a"})"));
  EXPECT_NE(drawn(R"({"key":"a"},{"key":"b"})"), drawn(R"({"key":"a"})"));
}

TEST_F(PortraitTest, SubsetsHaveAnOrderWhereTheirAddressesAreTheScenarios) {
  const auto drawn = [this](const std::string& subsets) {
    return Drawn({.present = {Object("endpoints/web in shop",
                                     R"({"kind":"Endpoints","subsets":[)" + subsets + "]}")}});
  };
  const std::string one = R"({"addresses":[{"ip":"10.1.0.1","name":"one"},)";
  EXPECT_EQ(
      drawn(one + R"({"ip":"10.1.0.2","name":"two"}]},{"addresses":[{"ip":"10.1.0.3"}]})"),
      drawn(R"({"addresses":[{"ip":"10.1.0.1"}]},)"
            R"({"addresses":[{"ip":"10.1.0.2","name":"two"},{"ip":"10.1.0.3","name":"one"}]})"));
  EXPECT_NE(drawn(R"({"addresses":[{"ip":"10.0.0.7","name":"a"},{"ip":"10.0.0.7","name":"b"}]})"),
            drawn(R"({"addresses":[{"ip":"10.0.0.7","name":"b"},{"ip":"10.0.0.7","name":"a"}]})"));
}

TEST_F(PortraitTest, WhatEndpointsWereChangedForIsLeftOut) {
  const auto drawn = [this](const std::string& annotations, const std::string& fields) {
    return Drawn(
        {.present = {Object("endpointslices.discovery.k8s.io/web in s",
                            R"({"metadata":{"name":"web","uid":"-")" + annotations +
                                R"(,"managedFields":[{"fieldsV1":{"f:metadata":{"f:labels":{})" +
                                fields + R"(}}}]},"addressType":"IPv4"})")}});
  };
  const std::string trigger = "endpoints.kubernetes.io/last-change-trigger-time";
  EXPECT_EQ(drawn(R"(,"generation":3,"annotations":{")" + trigger + R"(":"2026-01-02T00:00:00Z"})",
                  R"(,"f:annotations":{".":{},"f:)" + trigger + R"(":{}})"),
            drawn(R"(,"generation":4)", ""));
  EXPECT_NE(drawn(R"(,"annotations":{"note":"stays"})", ""), drawn("", ""));
}

TEST_F(PortraitTest, WhatTheServerSaysOnItsOwnIsNotTheManagers) {
  const auto event = [](const std::string& who) {
    return Object("events/a in shop", R"({"reason":"Odd","reportingComponent":")" + who +
                                          R"(","involvedObject":{"kind":"Service","name":"web"}})");
  };
  EXPECT_EQ(Drawn({.present = {event("ipallocator-repair-controller")}}), R"({"events":{}})");
  EXPECT_THAT(Drawn({.present = {event("endpoint-controller")}}), testing::HasSubstr("Odd"));
}

TEST_F(PortraitTest, EventsAreToldOnce) {
  const auto event = [](const std::string& name, const std::string& count) {
    return Object("events/" + name + " in s", R"({"metadata":{"name":")" + name +
                                                  R"("},"reason":"Failed","message":"it did",
                      "involvedObject":{"kind":"Pod","name":"a","resourceVersion":"7"},"count":)" +
                                                  count + "}");
  };
  EXPECT_EQ(Drawn({.present = {event("a.1", "1"), event("a.2", "5")}}),
            Text(R"({"events":{"Failed of Pod/a: it did":{"reason":"Failed","message":"it did",
                     "involvedObject":{"kind":"Pod","name":"a"}}}})"));
}

}  // namespace
}  // namespace flyball::parity
