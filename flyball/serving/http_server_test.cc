#include "flyball/serving/http_server.h"

#include <string>

#include "flyball/serving/internal/server_test_bed.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/transport_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::serving {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using transport::FakeTransport;
using transport::Fetch;
using transport::FindHeader;
using transport::Headers;
using transport::Request;
using transport::Response;

class HttpServerTest : public ServerTestBed {
 protected:
  Result<Response> Get(transport::Transport& transport, const std::string& target) {
    return Fetch(transport, clock_, {.target = target, .timeout = 5s});
  }
};

FakeTransport::Answer Echo(const Request& request) {
  return FakeTransport::Answer::Of(
      200, request.method + " " + request.target + " " + request.body,
      {{"x-asked", std::string(FindHeader(request.headers, "x-ask"))}});
}

TEST_F(HttpServerTest, CarriesMethodTargetHeadersAndBodyThereAndBack) {
  FakeTransport answers(Echo);
  for (const bool http2 : {true, false}) {
    const auto server = Listen(answers, {.http2 = http2});
    const auto client = Client(*server);
    const auto response = Fetch(*client, clock_,
                                {.method = "POST",
                                 .target = "/api/v1/pods?limit=2",
                                 .headers = {{"x-ask", "yes"}, {"accept", "application/json"}},
                                 .body = "{}",
                                 .timeout = 5s});
    ASSERT_TRUE(response.has_value()) << response.error().Describe();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "POST /api/v1/pods?limit=2 {}");
    EXPECT_EQ(response->headers,
              (Headers{{"x-asked", "yes"}, {"content-length", std::to_string(28)}}));
    const Request got = answers.requests().back();
    EXPECT_EQ(got.headers, (Headers{{"x-ask", "yes"}, {"accept", "application/json"}}));
    EXPECT_EQ(got.peer, nullptr);
  }
}

TEST_F(HttpServerTest, SpeaksPlainTextWhereThereIsNoTls) {
  FakeTransport answers(Echo);
  const auto server = Listen(answers, {.tls = false});
  const auto client = Client(*server);
  const auto response = Get(*client, "/healthz");
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->body, "GET /healthz ");
}

}  // namespace
}  // namespace flyball::serving
