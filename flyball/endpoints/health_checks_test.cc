#include "flyball/endpoints/health_checks.h"

#include <string>

#include "flyball/base/fake_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

class HealthChecksTest : public testing::Test {
 protected:
  Call CallFor(const std::string& target) {
    target_ = *RequestTarget::Parse(target);
    return {request_, target_};
  }
  /// Status and body.
  std::string All(const std::string& target) { return Text(checks_.Answer(CallFor(target))); }
  std::string One(const std::string& target) { return Text(checks_.AnswerOne(CallFor(target))); }
  static std::string Text(const transport::Response& response) {
    EXPECT_EQ(response.headers, (transport::Headers{{"content-type", "text/plain; charset=utf-8"},
                                                    {"x-content-type-options", "nosniff"}}));
    return std::to_string(response.status) + " " + response.body;
  }

  static Result<> Good() { return {}; }
  static Result<> Bad() { return Fail(ErrorCode::kInternal, "the secret reason"); }

  transport::Request request_;
  RequestTarget target_;
  SliMetrics slis_{WallTime(std::chrono::seconds(1'700'000'000))};
  FakeClock clock_;
  std::shared_ptr<StringLogSink> log_ = std::make_shared<StringLogSink>();
  HealthChecks checks_{{.slis = &slis_, .log = Logger({.verbosity = 2}, clock_, log_)}};
};

TEST_F(HealthChecksTest, AProcessWithoutChecksPings) {
  EXPECT_EQ(All("/healthz"), "200 ok");
  EXPECT_EQ(All("/healthz?verbose"), "200 [+]ping ok\nhealthz check passed\n");
  EXPECT_EQ(One("/healthz/ping"), "200 ok");
}

TEST_F(HealthChecksTest, ChecksThatAreAddedTakeThePlaceOfThePing) {
  checks_.Add("leaderElection", Good);
  EXPECT_EQ(All("/healthz?verbose=true"), "200 [+]leaderElection ok\nhealthz check passed\n");
  checks_.Add("job-controller", Good);
  EXPECT_EQ(All("/healthz?verbose"),
            "200 [+]leaderElection ok\n[+]job-controller ok\nhealthz check passed\n");
  EXPECT_EQ(One("/healthz/ping"), "404 404 page not found\n");
}

TEST_F(HealthChecksTest, AFailureIsShownWithoutItsReasonAndLoggedWithIt) {
  checks_.Add("good", Good);
  checks_.Add("bad", Bad);
  EXPECT_EQ(All("/healthz"),
            "500 [+]good ok\n[-]bad failed: reason withheld\nhealthz check failed\n");
  EXPECT_THAT(log_->text(),
              testing::EndsWith("\"Health check failed\" check=\"bad\" reason=\"internal: the "
                                "secret reason\"\n"));
}

TEST_F(HealthChecksTest, ASingleCheckSaysWhyItFails) {
  checks_.Add("bad", Bad);
  EXPECT_EQ(One("/healthz/bad"), "500 internal server error: the secret reason\n");
}

TEST_F(HealthChecksTest, WhatIsExcludedIsNotChecked) {
  checks_.Add("good", Good);
  checks_.Add("bad", Bad);
  EXPECT_EQ(All("/healthz?exclude=bad"), "200 ok");
  EXPECT_EQ(All("/healthz?verbose&exclude=bad"),
            "200 [+]good ok\n[+]bad excluded: ok\nhealthz check passed\n");
}

TEST_F(HealthChecksTest, SaysWhatItCannotExclude) {
  checks_.Add("good", Good);
  EXPECT_EQ(All("/healthz?verbose&exclude=z%0A&exclude=a"),
            "200 [+]good ok\nwarn: some health checks cannot be excluded: no matches for "
            "\"a\",\"z\\n\"\nhealthz check passed\n");
}

TEST_F(HealthChecksTest, EveryCheckThatIsMadeIsCounted) {
  checks_.Add("good", Good);
  checks_.Add("bad", Bad);
  checks_.Answer(CallFor("/healthz"));
  checks_.Answer(CallFor("/healthz?exclude=good"));
  const auto page = slis_.Answer(CallFor("/metrics/slis"));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body,
            "# HELP kubernetes_healthcheck [STABLE] Result of the last run of a health check: 1 if "
            "it passed, 0 if it failed.\n"
            "# TYPE kubernetes_healthcheck gauge\n"
            "kubernetes_healthcheck{name=\"bad\",type=\"healthz\"} 0\n"
            "kubernetes_healthcheck{name=\"good\",type=\"healthz\"} 1\n"
            "# HELP kubernetes_healthchecks_total [STABLE] Number of health check runs by check "
            "name, type and status.\n"
            "# TYPE kubernetes_healthchecks_total counter\n"
            "kubernetes_healthchecks_total{name=\"bad\",status=\"error\",type=\"healthz\"} 2\n"
            "kubernetes_healthchecks_total{name=\"good\",status=\"success\",type=\"healthz\"} 1\n"
            "# HELP process_start_time_seconds [ALPHA] Time at which the process started, in "
            "seconds since the Unix epoch.\n"
            "# TYPE process_start_time_seconds gauge\n"
            "process_start_time_seconds 1.7e+09\n");
}

TEST_F(HealthChecksTest, TheCountsBeginAnewAfterADelete) {
  checks_.Answer(CallFor("/healthz"));
  request_.method = "DELETE";
  EXPECT_EQ(slis_.Answer(CallFor("/metrics/slis")).body, "metrics reset\n");
  request_.method = "GET";
  EXPECT_EQ(slis_.Answer(CallFor("/metrics/slis")).body, "");
}

}  // namespace
}  // namespace flyball::endpoints
