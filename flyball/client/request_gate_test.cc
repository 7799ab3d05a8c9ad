// What changes something passes its client's gate; what reads does not.

#include "flyball/base/fake_clock.h"
#include "flyball/client/rest_client.h"
#include "flyball/transport/transport_fake.h"
#include "gtest/gtest.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;
using transport::FakeTransport;

class TestGate final : public transport::SendGate {
 public:
  std::chrono::nanoseconds Left() const override { return left; }
  std::string WhyClosed() const override { return "no longer the leader"; }
  std::chrono::nanoseconds left = 12s;
};

class RequestGateTest : public testing::Test {
 protected:
  Result<transport::Response> Do(const std::string& method, const std::string& query = {}) {
    return rest_.Do({.method = method, .path = "/pods", .query = query, .asked = method + " pods"});
  }
  transport::Request Sent() { return transport_.requests().back(); }

  FakeClock clock_;
  FakeTransport transport_{[](const auto&) { return FakeTransport::Answer::Of(200, ""); }};
  const std::shared_ptr<TestGate> gate_ = std::make_shared<TestGate>();
  RestClient rest_{{.transport = transport_, .clock = clock_, .gate = gate_}, {}};
};

TEST_F(RequestGateTest, AWriteTellsTheServerHowLongItMayTake) {
  for (const char* const method : {"POST", "PUT", "PATCH", "DELETE"}) {
    ASSERT_TRUE(Do(method).has_value());
    EXPECT_EQ(Sent().target, "/pods?timeout=9000ms");
    EXPECT_EQ(Sent().timeout, 12s);
  }
  ASSERT_TRUE(Do("PATCH", "force=true").has_value());
  EXPECT_EQ(Sent().target, "/pods?force=true&timeout=9000ms");
}

TEST_F(RequestGateTest, AWriteMayLeaveOnlyWhileWhatItSaysIsTrue) {
  ASSERT_TRUE(Do("POST").has_value());
  const auto gate = Sent().gate;
  EXPECT_EQ(gate->Left(), 3s);
  gate_->left = 9s;
  EXPECT_FALSE(gate->IsOpen());
  EXPECT_EQ(gate->WhyClosed(), "it has waited for too long");
  gate_->left = 14s;  // there was a renewal
  EXPECT_TRUE(gate->IsOpen());
  gate_->left = 0s;
  EXPECT_EQ(gate->WhyClosed(), "no longer the leader");
}

TEST_F(RequestGateTest, ReadingNeedsNoLeave) {
  gate_->left = 0s;
  ASSERT_TRUE(Do("GET").has_value());
  EXPECT_EQ(Sent().target, "/pods");
  EXPECT_EQ(Sent().gate, nullptr);
  EXPECT_EQ(Sent().timeout, 60s);
}

TEST_F(RequestGateTest, NothingIsSentWhenThereIsNoTimeLeft) {
  // Less than a millisecond would be zero, which to the server means no limit.
  for (const std::chrono::nanoseconds left : {-1ns, 0ns, 1ns, 1'300'000ns}) {
    gate_->left = left;
    const auto response = Do("POST");
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().Describe(),
              "unavailable: POST pods: not sent: no longer the leader");
  }
  EXPECT_TRUE(transport_.requests().empty());
  gate_->left = 1400us;
  ASSERT_TRUE(Do("POST").has_value());
  EXPECT_EQ(Sent().target, "/pods?timeout=1ms");
}

TEST_F(RequestGateTest, ARequestThatGoesOnceIsNotRepeatedAndHasItsOwnTime) {
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
