#include "flyball/endpoints/authentication/token_reviews.h"

#include <atomic>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/fake_clock.h"
#include "flyball/endpoints/review_server_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using namespace std::chrono_literals;
using Answer = transport::FakeTransport::Answer;

const Answer kInternal = Answer::Of(
    500, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError"})");

class TokenReviewsTest : public testing::Test {
 protected:
  TokenReviewsTest() {
    authentication::v1::UserInfo& jane = server_.tokens["jane-token"];
    jane.username = "jane";
    jane.uid = "42";
    jane.groups = {"devs"};
    jane.extra["scopes"] = {"a", "b"};
    clock_.SkipWaits();
  }

  ErrorCode CodeOf(const std::string& token) {
    const auto user = reviews_.Authenticate(token);
    EXPECT_FALSE(user);
    return user ? ErrorCode::kInternal : user.error().code();
  }
  std::size_t asked() const { return server_.token_reviews.size(); }

  const User jane_{
      .name = "jane", .uid = "42", .groups = {"devs"}, .extra = {{"scopes", {"a", "b"}}}};
  FakeReviewServer server_;
  FakeClock clock_;
  MetricRegistry metrics_;
  const AccessMetrics access_metrics_{metrics_};
  client::RestClient rest_{{.transport = server_.transport(), .clock = clock_}, {}};
  TokenReviews reviews_{{.client = client::Client(rest_),
                         .clock = clock_,
                         .random = [] { return 0.5; },
                         .metrics = access_metrics_.token_reviews},
                        {},
                        access_metrics_.token_cache};
};

TEST_F(TokenReviewsTest, TheServerSaysWhoseATokenIs) {
  EXPECT_EQ(reviews_.Authenticate("jane-token"), jane_);
  ASSERT_EQ(asked(), 1U);
  FakeReviewServer::TokenReview expected;
  expected.spec.token = "jane-token";
  EXPECT_EQ(server_.token_reviews[0], expected);
}

TEST_F(TokenReviewsTest, AnAnswerIsKeptForTenSeconds) {
  EXPECT_EQ(reviews_.Authenticate("jane-token"), jane_);
  clock_.Advance(9999ms);
  EXPECT_EQ(reviews_.Authenticate("jane-token"), jane_);
  EXPECT_EQ(asked(), 1U);
  clock_.Advance(1ms);
  server_.tokens.clear();
  EXPECT_EQ(CodeOf("jane-token"), ErrorCode::kUnauthorized);
  EXPECT_EQ(asked(), 2U);
}

TEST_F(TokenReviewsTest, ARefusalIsKeptUnlessItHasAReason) {
  EXPECT_EQ(CodeOf("bad"), ErrorCode::kUnauthorized);
  EXPECT_EQ(CodeOf("bad"), ErrorCode::kUnauthorized);
  EXPECT_EQ(asked(), 1U);
  server_.why_not = "[invalid bearer token, token lookup failed]";
  const auto refused = reviews_.Authenticate("worse");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Error(ErrorCode::kUnauthorized, server_.why_not));
  EXPECT_EQ(CodeOf("worse"), ErrorCode::kUnauthorized);
  EXPECT_EQ(asked(), 3U);
}

TEST_F(TokenReviewsTest, AsksAgainLaterAndLaterWhereTheServerStumbles) {
  server_.failures = {kInternal, Answer::Broken({ErrorCode::kIo, "reset"}), kInternal, kInternal};
  const SteadyTime start = clock_.SteadyNow();
  EXPECT_EQ(reviews_.Authenticate("jane-token"), jane_);
  EXPECT_EQ(asked(), 5U);
  EXPECT_EQ(clock_.SteadyNow() - start, 550ms + 825ms + 1237500us + 1856250us);
}

TEST_F(TokenReviewsTest, GivesUpAfterFiveAttemptsAndRemembersNothing) {
  server_.failures = {5, kInternal};
  EXPECT_EQ(CodeOf("jane-token"), ErrorCode::kInternal);
  EXPECT_EQ(asked(), 5U);
  EXPECT_EQ(reviews_.Authenticate("jane-token"), jane_);
}

TEST_F(TokenReviewsTest, DoesNotAskAgainWhereItMayNot) {
  server_.failures = {Answer::Of(403, R"({"kind":"Status","reason":"Forbidden"})"),
                      Answer::Broken({ErrorCode::kUnavailable, "connection refused"})};
  EXPECT_EQ(CodeOf("jane-token"), ErrorCode::kForbidden);
  EXPECT_EQ(CodeOf("jane-token"), ErrorCode::kUnavailable);
  EXPECT_EQ(asked(), 2U);
  EXPECT_THAT(
      metrics_.Text(),
      testing::AllOf(
          testing::HasSubstr("apiserver_delegated_authn_request_total{code=\"403\"} 1\n"),
          testing::HasSubstr("apiserver_delegated_authn_request_total{code=\"<error>\"} 1\n")));
}

TEST_F(TokenReviewsTest, CountsWhatIsRememberedAndWhatIsAskedFor) {
  EXPECT_EQ(reviews_.Authenticate("jane-token"), jane_);
  EXPECT_EQ(reviews_.Authenticate("jane-token"), jane_);
  EXPECT_EQ(CodeOf("nobodys"), ErrorCode::kUnauthorized);
  server_.failures = {Answer::Of(403, R"({"kind":"Status","reason":"Forbidden"})")};
  EXPECT_EQ(CodeOf("another"), ErrorCode::kForbidden);
  const std::string prefix = "authentication_token_cache_";
  EXPECT_THAT(metrics_.Text(),
              testing::AllOf(
                  testing::HasSubstr(prefix + "active_fetch_count{status=\"blocked\"} 0\n" +
                                     prefix + "active_fetch_count{status=\"in_flight\"} 0\n"),
                  testing::HasSubstr(prefix + "fetch_total{status=\"error\"} 1\n" + prefix +
                                     "fetch_total{status=\"ok\"} 2\n"),
                  testing::HasSubstr(prefix + "request_duration_seconds_count{status=\"hit\"} 1\n"),
                  testing::HasSubstr(prefix + "request_total{status=\"hit\"} 1\n" + prefix +
                                     "request_total{status=\"miss\"} 3\n")));
}

/// Passes requests on after some time.
class SlowTransport final : public transport::Transport {
 public:
  SlowTransport(transport::Transport& next, Executor& executor)
      : next_(next), executor_(executor) {}

  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override {
    executor_.Start("answer", [this, request, handler] {
      executor_.clock().SleepFor(3s);
      next_.Send(request, handler);
    });
    return std::make_shared<Exchange>();
  }

 private:
  class Exchange final : public transport::Exchange {
    void Cancel() override {}
    void Consumed(std::size_t) override {}
  };

  transport::Transport& next_;
  Executor& executor_;
};

TEST(TokenReviews, ManyWithOneTokenAskOnce) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    DeterministicExecutor executor(seed);
    FakeReviewServer server;
    server.tokens["a"].username = "anna";
    server.tokens["b"].username = "bert";
    SlowTransport slow(server.transport(), executor);
    client::RestClient rest({.transport = slow, .clock = executor.clock()}, {});
    TokenReviews reviews(
        {.client = client::Client(rest), .clock = executor.clock(), .random = [] { return 0.0; }},
        {});
    int known = 0;
    for (int i = 0; i < 8; ++i) {
      executor.Start("request-" + std::to_string(i), [&, i] {
        const auto user = reviews.Authenticate(i % 2 == 0 ? "a" : "b");
        known += user && user->name == (i % 2 == 0 ? "anna" : "bert") ? 1 : 0;
      });
    }
    EXPECT_EQ(executor.RunUntilIdle().outcome, DeterministicExecutor::Report::Outcome::kAllDone);
    EXPECT_EQ(known, 8);
    EXPECT_EQ(server.token_reviews.size(), 2U);
  }
}

}  // namespace
}  // namespace flyball::endpoints
