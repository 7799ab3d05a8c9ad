#include "flyball/endpoints/authorization/authorizer.h"

#include "flyball/base/fake_clock.h"
#include "flyball/endpoints/review_server_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using namespace std::chrono_literals;
using Answer = transport::FakeTransport::Answer;

TEST(OpenPaths, AreWholePathsOrPrefixes) {
  const auto open = OpenPaths::Parse({"/healthz", "livez", "/debug/*", "/"});
  ASSERT_TRUE(open);
  for (const char* path : {"/healthz", "/livez", "/debug/", "/debug/pprof/heap", "/"}) {
    EXPECT_TRUE(open->Contains(path)) << path;
  }
  for (const char* path : {"/healthz/", "/healthz/ping", "/debug", "/metrics", "//"}) {
    EXPECT_FALSE(open->Contains(path)) << path;
  }
}

TEST(OpenPaths, AStarStandsAtTheEnd) {
  EXPECT_EQ(OpenPaths::Parse({"/a*b"}).error(),
            Error(ErrorCode::kInvalid, "only trailing * allowed in \"a*b\""));
  EXPECT_TRUE(OpenPaths::Parse({"*"})->Contains("/anything"));
}

class AuthorizerTest : public testing::Test {
 protected:
  AuthorizerTest() {
    server_.allowed = {{"jane", "/metrics"}};
    clock_.SkipWaits();
  }

  Result<Verdict> Ask(const std::string& user, const std::string& path,
                      const std::vector<std::string>& groups = {}) {
    return authorizer_.Authorize({{.name = user, .groups = groups}, "get", path});
  }
  std::size_t asked() const { return server_.access_reviews.size(); }

  FakeReviewServer server_;
  FakeClock clock_;
  client::RestClient rest_{{.transport = server_.transport(), .clock = clock_}, {}};
  AccessReviews reviews_{
      {.client = client::Client(rest_), .clock = clock_, .random = [] { return 0.0; }},
      {.allowed_ttl = 10s, .refused_ttl = 5s}};
  Authorizer authorizer_{*OpenPaths::Parse({"/healthz"}), &reviews_};
};

TEST_F(AuthorizerTest, SomeMayWithoutAnybodyBeingAsked) {
  EXPECT_EQ(Ask("root", "/metrics", {"a", "system:masters"}), Verdict{Decision::kAllowed});
  EXPECT_EQ(Ask("system:anonymous", "/healthz"), Verdict{Decision::kAllowed});
  EXPECT_EQ(asked(), 0U);
}

TEST_F(AuthorizerTest, TheServerIsToldAllAboutTheUser) {
  const User jane{
      .name = "jane", .uid = "42", .groups = {"devs"}, .extra = {{"scopes", {"a", "b"}}}};
  EXPECT_EQ(authorizer_.Authorize({jane, "get", "/metrics"}), Verdict{Decision::kAllowed});
  FakeReviewServer::AccessReview expected;
  expected.spec.user = "jane";
  expected.spec.uid = "42";
  expected.spec.groups = {"devs"};
  expected.spec.extra["scopes"] = {"a", "b"};
  expected.spec.nonResourceAttributes.emplace();
  expected.spec.nonResourceAttributes->path = "/metrics";
  expected.spec.nonResourceAttributes->verb = "get";
  ASSERT_EQ(asked(), 1U);
  EXPECT_EQ(server_.access_reviews[0], expected);
}

TEST_F(AuthorizerTest, AnswersAreKeptForAWhile) {
  server_.reason = "no such role";
  EXPECT_EQ(Ask("jane", "/metrics"), Verdict{Decision::kAllowed});
  EXPECT_EQ(Ask("anna", "/metrics"), (Verdict{Decision::kNoOpinion, "no such role"}));
  EXPECT_EQ(asked(), 2U);
  server_.allowed = {{"anna", "/metrics"}};
  clock_.Advance(4999ms);
  EXPECT_EQ(Ask("anna", "/metrics"), (Verdict{Decision::kNoOpinion, "no such role"}));
  EXPECT_EQ(asked(), 2U);
  clock_.Advance(1ms);
  EXPECT_EQ(Ask("anna", "/metrics"), Verdict{Decision::kAllowed});
  EXPECT_EQ(Ask("jane", "/metrics"), Verdict{Decision::kAllowed});
  clock_.Advance(5s);
  EXPECT_EQ(Ask("jane", "/metrics"), (Verdict{Decision::kNoOpinion, "no such role"}));
  EXPECT_EQ(asked(), 4U);
}

TEST_F(AuthorizerTest, NothingIsKeptForPathsOfAttackers) {
  const std::string path(10'000, '/');
  EXPECT_EQ(Ask("jane", path), Verdict{Decision::kNoOpinion});
  EXPECT_EQ(Ask("jane", path), Verdict{Decision::kNoOpinion});
  EXPECT_EQ(asked(), 2U);
}

TEST_F(AuthorizerTest, ADenialIsOne) {
  server_.denies = true;
  EXPECT_EQ(Ask("anna", "/metrics"), Verdict{Decision::kDenied});
}

TEST_F(AuthorizerTest, WhatCannotBeFoundOutIsAnErrorAndIsNotKept) {
  server_.failures = {Answer::Broken({ErrorCode::kUnavailable, "connection refused"})};
  const auto verdict = Ask("jane", "/metrics");
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(Ask("jane", "/metrics"), Verdict{Decision::kAllowed});
}

TEST(Authorizer, WithoutAnApiServerOnlyThoseMay) {
  const Authorizer authorizer(*OpenPaths::Parse({"/healthz"}), nullptr);
  EXPECT_EQ(authorizer.Authorize({{.name = "jane"}, "get", "/metrics"}),
            Verdict{Decision::kNoOpinion});
  EXPECT_EQ(authorizer.Authorize({{.name = "jane"}, "get", "/healthz"}),
            Verdict{Decision::kAllowed});
}

}  // namespace
}  // namespace flyball::endpoints
