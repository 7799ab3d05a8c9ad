// What changes something passes its client's fence; what reads does not.

#include "flyball/base/fake_clock.h"
#include "flyball/client/rest_client.h"
#include "flyball/transport/transport_fake.h"
#include "gtest/gtest.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;
using transport::FakeTransport;

class TestFence final : public transport::WriteFence {
 public:
  std::chrono::nanoseconds Left() const override { return left; }
  std::string WhyClosed() const override { return "no longer the leader"; }
  void Unsettled(SteadyTime until) const override { unsettled_until = until; }
  std::chrono::nanoseconds left = 12s;
  mutable SteadyTime unsettled_until = {};
};

class RequestFenceTest : public testing::Test {
 protected:
  Result<transport::Response> Do(const std::string& method, const std::string& query = {}) {
    return rest_.Do({.method = method, .path = "/pods", .query = query, .asked = method + " pods"});
  }
  transport::Request Sent() { return transport_.requests().back(); }

  FakeClock clock_;
  FakeTransport transport_{[](const auto&) { return FakeTransport::Answer::Of(200, ""); }};
  const std::shared_ptr<TestFence> fence_ = std::make_shared<TestFence>();
  RestClient rest_{{.transport = transport_, .clock = clock_, .fence = fence_}, {}};
};

TEST_F(RequestFenceTest, AWriteTellsTheServerHowLongItMayTake) {
  for (const char* const method : {"POST", "PUT", "PATCH", "DELETE"}) {
    ASSERT_TRUE(Do(method).has_value());
    EXPECT_EQ(Sent().target, "/pods?timeout=11000ms");
    EXPECT_EQ(Sent().timeout, 12s);
  }
  ASSERT_TRUE(Do("PATCH", "force=true").has_value());
  EXPECT_EQ(Sent().target, "/pods?force=true&timeout=11000ms");
  fence_->left = 2s;  // of a short lease
  ASSERT_TRUE(Do("POST").has_value());
  EXPECT_EQ(Sent().target, "/pods?timeout=1500ms");
}

TEST_F(RequestFenceTest, LeaseOfFifteenSecondsLeavesAWebhookItsTen) {
  // What is left of a lease before its next renewal is there: a retry period, and a request.
  fence_->left = 13'500ms - 2s - 100ms;
  ASSERT_TRUE(Do("POST").has_value());
  EXPECT_EQ(Sent().target, "/pods?timeout=10400ms");
}

TEST_F(RequestFenceTest, FenceKnowsUntilWhenAWriteInDoubtMayBeCarriedOut) {
  FakeTransport lost(
      [](const auto&) { return FakeTransport::Answer::Broken({ErrorCode::kIo, "it broke"}); });
  RestClient rest({.transport = lost, .clock = clock_, .fence = fence_}, {});
  const SteadyTime sent = clock_.SteadyNow();
  EXPECT_FALSE(rest.Do({.method = "POST", .path = "/pods", .asked = "create pods"}).has_value());
  EXPECT_EQ(fence_->unsettled_until, sent + 11s);

  // What was refused, and what only reads, leaves no doubt.
  fence_->unsettled_until = {};
  FakeTransport refuses([](const auto&) { return FakeTransport::Answer::Of(403, ""); });
  RestClient refused({.transport = refuses, .clock = clock_, .fence = fence_}, {});
  EXPECT_FALSE(refused.Do({.method = "POST", .path = "/pods", .asked = "create pods"}));
  EXPECT_FALSE(rest.Do({.path = "/pods", .asked = "list pods", .once = true}));
  EXPECT_EQ(fence_->unsettled_until, SteadyTime());
}

TEST_F(RequestFenceTest, AWriteMayLeaveOnlyWhileWhatItSaysIsTrue) {
  ASSERT_TRUE(Do("POST").has_value());
  const auto fence = Sent().fence;
  EXPECT_EQ(fence->Left(), 1s);
  fence_->left = 9s;
  EXPECT_FALSE(fence->IsOpen());
  EXPECT_EQ(fence->WhyClosed(), "it has waited for too long");
  fence_->left = 14s;  // there was a renewal
  EXPECT_TRUE(fence->IsOpen());
  fence_->left = 0s;
  EXPECT_EQ(fence->WhyClosed(), "no longer the leader");
}

TEST_F(RequestFenceTest, ReadingNeedsNoLeave) {
  fence_->left = 0s;
  ASSERT_TRUE(Do("GET").has_value());
  EXPECT_EQ(Sent().target, "/pods");
  EXPECT_EQ(Sent().fence, nullptr);
  EXPECT_EQ(Sent().timeout, 60s);
}

TEST_F(RequestFenceTest, NothingIsSentWhenThereIsNoTimeLeft) {
  // Less than a millisecond would be zero, which to the server means no limit.
  for (const std::chrono::nanoseconds left : {-1ns, 0ns, 1ns, 1'300'000ns}) {
    fence_->left = left;
    const auto response = Do("POST");
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().Describe(),
              "unavailable: POST pods: request not sent: no longer the leader");
  }
  EXPECT_TRUE(transport_.requests().empty());
  fence_->left = 1400us;
  ASSERT_TRUE(Do("POST").has_value());
  EXPECT_EQ(Sent().target, "/pods?timeout=1ms");
}

TEST_F(RequestFenceTest, ARequestThatGoesOnceIsNotRepeatedAndHasItsOwnTime) {
  FakeTransport busy(
      [](const auto&) { return FakeTransport::Answer::Of(429, "", {{"retry-after", "1"}}); });
  RestClient rest({.transport = busy, .clock = clock_}, {});
  const auto response =
      rest.Do({.path = "/pods", .asked = "get pods", .timeout = 5s, .once = true});
  EXPECT_EQ(response.error().code(), ErrorCode::kTooManyRequests);
  ASSERT_EQ(busy.requests().size(), 1U);
  EXPECT_EQ(busy.requests()[0].timeout, 5s);
}

}  // namespace
}  // namespace flyball::client
