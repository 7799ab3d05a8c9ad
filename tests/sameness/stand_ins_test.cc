#include "tests/sameness/stand_ins.h"

#include "flyball/base/fake_clock.h"
#include "gtest/gtest.h"

namespace flyball::sameness {
namespace {

class StandInsTest : public testing::Test {
 protected:
  std::string Replaced(std::string_view text) {
    return stand_ins_.Replace(*api::Json::Parse(text)).ToString();
  }

  FakeClock clock_{WallTime(std::chrono::sys_days{std::chrono::year(2026) / 1 / 2})};
  StandIns stand_ins_{"clusterIP: 10.0.0.7, at: 2026-01-02T00:00:01Z", clock_};
};

TEST_F(StandInsTest, TheSameUidAlwaysGetsTheSameOne) {
  EXPECT_EQ(Replaced(R"({"uid":"01234567-89ab-cdef-0123-456789abcdef"})"),
            R"({"uid":"\u003cuid 1.1\u003e"})");
  EXPECT_EQ(Replaced(R"({"message":"not 11111111-89ab-cdef-0123-456789abcdef, but )"
                     R"(01234567-89ab-cdef-0123-456789abcdef"})"),
            R"({"message":"not \u003cuid 2.1\u003e, but \u003cuid 1.1\u003e"})");
}

TEST_F(StandInsTest, VersionsOfListsAreNotTold) {
  EXPECT_EQ(Replaced(R"({"items":[{"metadata":{"resourceVersion":"7"}}],)"
                     R"("metadata":{"resourceVersion":"9"}})"),
            R"({"items":[{"metadata":{"resourceVersion":"\u003cversion 1.1\u003e"}}],)"
            R"("metadata":{"resourceVersion":"\u003cversion of a list\u003e"}})");
}

TEST_F(StandInsTest, MomentsAreOfNowOrStay) {
  EXPECT_EQ(Replaced(R"({"a":"2026-01-02T00:00:30Z","b":"2020-01-02T00:00:30Z",)"
                     R"("c":"2026-01-02T00:00:01Z"})"),
            R"({"a":"\u003cnow\u003e","b":"2020-01-02T00:00:30Z","c":"2026-01-02T00:00:01Z"})");
}

TEST_F(StandInsTest, WhoWroteFirstIsNotToldButThatThoseWhoApplyComeFirst) {
  EXPECT_EQ(Replaced(R"({"managedFields":[{"manager":"d","operation":"Apply"},)"
                     R"({"manager":"c","operation":"Apply"},{"manager":"b","operation":"Update"},)"
                     R"({"manager":"a","operation":"Update"}],"other":["b","a"]})"),
            R"({"managedFields":[{"manager":"c","operation":"Apply"},)"
            R"({"manager":"d","operation":"Apply"},{"manager":"a","operation":"Update"},)"
            R"({"manager":"b","operation":"Update"}],"other":["b","a"]})");
  const std::string wrong = R"({"managedFields":[{"manager":"a","operation":"Update"},)"
                            R"({"manager":"b","operation":"Apply"}]})";
  EXPECT_EQ(Replaced(wrong), wrong);
}

TEST_F(StandInsTest, GeneratedNamesAreKnownAfterwards) {
  Replaced(R"({"metadata":{"generateName":"web-","name":"web-x7k2p"}})");
  EXPECT_EQ(Replaced(R"({"message":"pods \"web-x7k2p\" not found"})"),
            R"({"message":"pods \"web-\u003c5 letters, 1\u003e\" not found"})");
}

TEST_F(StandInsTest, AddressesThatTheScenarioNamesStay) {
  EXPECT_EQ(Replaced(R"({"clusterIP":"10.0.0.7","clusterIPs":["10.0.0.8"],"nodePort":30007})"),
            R"({"clusterIP":"10.0.0.7","clusterIPs":["\u003caddress 1.1\u003e"],)"
            R"("nodePort":"\u003cport 1.2\u003e"})");
}

}  // namespace
}  // namespace flyball::sameness
