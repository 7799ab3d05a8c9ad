#include "flyball/endpoints/router.h"

#include <atomic>

#include "flyball/base/deterministic_executor.h"
#include "flyball/endpoints/review_server_fake.h"
#include "flyball/transport/fetch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using transport::Headers;
using Outcome = DeterministicExecutor::Report::Outcome;

const Headers kJson = {{"content-type", "application/json"},
                       {"x-content-type-options", "nosniff"},
                       {"cache-control", "no-cache, private"}};

class RouterTest : public testing::Test {
 protected:
  RouterTest() {
    server_.tokens["jane-token"].username = "jane";
    server_.allowed = {{"jane", "/metrics"}, {"jane", "/none"}, {"jane", "/broken"}};
    routes_.Add("/healthz", [](const Call&) { return PlainText(200, "ok"); });
    routes_.Add("/metrics", [](const Call& call) { return PlainText(200, call.user.name); });
    routes_.Add("/broken",
                [](const Call&) -> transport::Response { throw std::runtime_error("broken"); });
  }

  transport::Response Ask(transport::Request request) {
    std::optional<Result<transport::Response>> response;
    executor_.Start("client", [&] {
      response = transport::Fetch(router_, executor_.clock(), std::move(request));
    });
    EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
    return **std::move(response);
  }

  DeterministicExecutor executor_{1};
  FakeReviewServer server_;
  MetricRegistry registry_;
  AccessMetrics metrics_{registry_};
  client::RestClient rest_{{.transport = server_.transport(), .clock = executor_.clock()}, {}};
  ReviewDeps deps_{
      .client = client::Client(rest_), .clock = executor_.clock(), .random = [] { return 0.0; }};
  TokenReviews tokens_{deps_, {}};
  AccessReviews reviews_{deps_, {}};
  Authenticator authenticator_{
      {.clock = executor_.clock(),
       .authentication_info = [] { return std::make_shared<const ClusterAuthenticationInfo>(); },
       .tokens = &tokens_}};
  Authorizer authorizer_{*OpenPaths::Parse({"/healthz", "/readyz"}), &reviews_};
  RouteTable routes_;
  Router router_{{.executor = executor_,
                  .routes = routes_,
                  .authenticator = authenticator_,
                  .authorizer = authorizer_,
                  .metrics = metrics_},
                 {.most_at_once = 2, .most_waiting = 2}};
};

TEST_F(RouterTest, AnOpenPathIsAnsweredToAnybody) {
  const auto response = Ask({.target = "/healthz"});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "ok");
  EXPECT_THAT(response.headers, ElementsAre(std::pair("content-type", "text/plain; charset=utf-8"),
                                            std::pair("x-content-type-options", "nosniff"),
                                            std::pair("cache-control", "no-cache, private")));
}

TEST_F(RouterTest, AnOpenPathWithoutAPageIsNotFound) {
  const auto response = Ask({.target = "/readyz"});
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, "404 page not found\n");
}

TEST_F(RouterTest, AnonymousIsToldWhatItMayNot) {
  const auto response = Ask({.target = "/metrics?x=1"});
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.headers, kJson);
  EXPECT_EQ(response.body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
            R"("forbidden: User \"system:anonymous\" cannot get path \"/metrics\"","reason":)"
            R"("Forbidden","details":{},"code":403})"
            "\n");
}

TEST_F(RouterTest, TheAuthorizersReasonIsPassedOnAndMarkupIsNot) {
  server_.reason = "no role";
  const auto response = Ask({.method = "DELETE", .target = "/<b>"});
  EXPECT_THAT(response.body, HasSubstr(R"(cannot delete path \"/\u0026lt;b\u0026gt;\": no role)"));
}

TEST_F(RouterTest, ABadTokenIsUnauthorizedAlsoOnAnOpenPath) {
  for (const char* target : {"/metrics", "/healthz"}) {
    const auto response = Ask({.target = target, .headers = {{"authorization", "Bearer x"}}});
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(response.headers, (Headers{{"content-type", "application/json"},
                                         {"cache-control", "no-cache, private"}}));
    EXPECT_EQ(response.body,
              R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
              R"("Unauthorized","reason":"Unauthorized","code":401})"
              "\n");
  }
}

TEST_F(RouterTest, PeopleGetJsonThatTheyCanRead) {
  const auto response = Ask(
      {.target = "/metrics", .headers = {{"user-agent", "curl/8"}, {"authorization", "Bearer x"}}});
  EXPECT_EQ(response.body,
            "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n"
            "  \"status\": \"Failure\",\n  \"message\": \"Unauthorized\",\n"
            "  \"reason\": \"Unauthorized\",\n  \"code\": 401\n}");
}

TEST_F(RouterTest, WhoMayGetsThePageAndThePageKnowsWhoAsks) {
  const Headers jane = {{"authorization", "Bearer jane-token"}};
  EXPECT_EQ(Ask({.target = "/metrics", .headers = jane}).body, "jane");
  EXPECT_EQ(Ask({.target = "/none", .headers = jane}).status, 404);
  EXPECT_EQ(Ask({.target = "/broken", .headers = jane}).status, 500);
}

TEST_F(RouterTest, WithoutTheApiServerNobodyIsLetInByMistake) {
  server_.failures = {transport::FakeTransport::Answer::Broken({ErrorCode::kUnavailable, "gone"})};
  const auto response = Ask({.target = "/metrics"});
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, HasSubstr("Internal Server Error: \"/metrics\": "));
}

TEST_F(RouterTest, APathThatCannotBeReadIsABadRequest) {
  EXPECT_EQ(Ask({.target = "/%zz"}).status, 400);
}

TEST_F(RouterTest, WhatCameOfRequestsIsCounted) {
  Ask({.target = "/healthz"});
  Ask({.target = "/metrics"});
  Ask({.target = "/metrics", .headers = {{"authorization", "Bearer x"}}});
  const std::string text = registry_.Text();
  for (const char* line : {"authenticated_user_requests{username=\"other\"} 2\n",
                           "authentication_attempts{result=\"error\"} 1\n",
                           "authentication_attempts{result=\"success\"} 2\n",
                           "authorization_attempts_total{result=\"allowed\"} 1\n",
                           "authorization_attempts_total{result=\"no-opinion\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST_F(RouterTest, TooMuchAtOnceWaitsAndTheRestIsTurnedAwayButNoProbe) {
  routes_.Add("/metrics", [this](const Call&) {
    executor_.clock().SleepFor(1s);
    return PlainText(200, "slow");
  });
  const Headers jane = {{"authorization", "Bearer jane-token"}};
  std::vector<int> statuses;
  for (int i = 0; i < 6; ++i) {
    executor_.Start("client-" + std::to_string(i), [&] {
      const auto got =
          transport::Fetch(router_, executor_.clock(), {.target = "/metrics", .headers = jane});
      statuses.push_back(got->status);
    });
  }
  executor_.Start("kubelet", [&] {
    executor_.clock().SleepFor(500ms);
    const auto got = transport::Fetch(router_, executor_.clock(), {.target = "/healthz"});
    EXPECT_EQ(executor_.clock().WallNow() - DeterministicExecutor::Options().start, 500ms);
    EXPECT_EQ(got->status, 200);
  });
  EXPECT_EQ(executor_.RunUntilIdle().outcome, Outcome::kAllDone);
  EXPECT_THAT(statuses, ElementsAre(429, 429, 200, 200, 200, 200));
  EXPECT_EQ(executor_.clock().WallNow() - DeterministicExecutor::Options().start, 2s);
}

}  // namespace
}  // namespace flyball::endpoints
