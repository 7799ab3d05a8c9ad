#include "flyball/serving/http_server.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/serving/internal/held_answers.h"
#include "flyball/serving/internal/server_test_bed.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/transport_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::serving {
namespace {

using namespace std::chrono_literals;
using transport::FakeTransport;
using transport::Fetch;
using transport::FindHeader;
using transport::Headers;
using transport::PendingResponse;
using transport::Request;
using transport::Response;
using transport::ResponseStream;

/// What holds for both versions of HTTP, over TLS.
class HttpServerTest : public ServerTestBed, public testing::WithParamInterface<bool> {
 protected:
  std::unique_ptr<HttpServer> ListenHere(transport::Transport& answers, const Limits& limits = {}) {
    return Listen(answers, {.http2 = GetParam(), .limits = limits});
  }
  Result<Response> Get(transport::Transport& transport, const std::string& target) {
    return Fetch(transport, clock_, {.target = target, .timeout = 60s});
  }
  /// A request that has come to `answers`, which has none yet.
  std::shared_ptr<HeldAnswers::Held> Await(HeldAnswers& answers, std::size_t count = 1) {
    EXPECT_TRUE(Eventually([&] { return answers.size() >= count; }));
    return answers.held().at(count - 1);
  }
};

INSTANTIATE_TEST_SUITE_P(, HttpServerTest, testing::Bool(),
                         [](const auto& which) { return which.param ? "Http2" : "Http1"; });

/// Dates are different each time.
Headers Undated(Headers headers) {
  EXPECT_EQ(FindHeader(headers, "date").size(), 29) << "such as Sun, 06 Nov 1994 08:49:37 GMT";
  std::erase_if(headers, [](const auto& header) { return header.first == "date"; });
  return headers;
}

FakeTransport::Answer Echo(const Request& request) {
  return FakeTransport::Answer::Of(
      200, request.method + " " + request.target + " " + request.body,
      {{"x-asked", std::string(FindHeader(request.headers, "x-ask"))}});
}

TEST_P(HttpServerTest, CarriesMethodTargetHeadersAndBodyThereAndBack) {
  FakeTransport answers(Echo);
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  const auto response = Fetch(*client, clock_,
                              {.method = "POST",
                               .target = "/api/v1/pods?limit=2",
                               .headers = {{"x-ask", "yes"}, {"accept", "application/json"}},
                               .body = "{}",
                               .timeout = 60s});
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "POST /api/v1/pods?limit=2 {}");
  EXPECT_EQ(Undated(response->headers), (Headers{{"x-asked", "yes"}, {"content-length", "28"}}));
  const Request got = answers.requests().back();
  EXPECT_EQ(got.headers, (Headers{{"x-ask", "yes"}, {"accept", "application/json"}}));
  EXPECT_EQ(got.peer, nullptr);
}

TEST_P(HttpServerTest, AnswersManyRequestsAtOnceAndOneAfterTheOther) {
  FakeTransport answers(Echo);
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  for (int round = 0; round < 3; ++round) {
    std::vector<PendingResponse> pending;
    for (int i = 0; i < 100; ++i) {
      pending.emplace_back(*client, clock_,
                           Request{.target = "/" + std::to_string(i), .timeout = 60s});
    }
    for (int i = 0; i < 100; ++i) {
      const auto response = pending[i].Wait();
      ASSERT_TRUE(response.has_value()) << response.error().Describe();
      EXPECT_EQ(response->body, "GET /" + std::to_string(i) + " ");
    }
  }
  EXPECT_TRUE(Eventually([&] { return server->connections() == client->connections(); }));
}

TEST_P(HttpServerTest, HandsOnAnAnswerPieceByPiece) {
  HeldAnswers answers;
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  ResponseStream stream(*client, clock_, {.target = "/watch"});
  const auto held = Await(answers);
  held->handler->OnHead({200, {{"content-type", "application/json"}}});
  const auto head = stream.Head();
  ASSERT_TRUE(head.has_value()) << head.error().Describe();
  EXPECT_EQ(FindHeader(head->headers, "content-type"), "application/json");
  EXPECT_EQ(FindHeader(head->headers, "content-length"), "");
  for (const std::string event : {"one", "two", "three"}) {
    held->handler->OnData(event);
    EXPECT_EQ(stream.Read().value_or("broken"), event);
  }
  held->handler->OnEnd({});
  EXPECT_EQ(stream.Read().value_or("broken"), "");
  EXPECT_EQ(held->consumed, 11);
  EXPECT_FALSE(held->cancelled);
}

TEST_P(HttpServerTest, ALargeAnswerArrivesWhole) {
  std::string large(20 << 20, 'x');
  for (std::size_t i = 0; i < large.size(); i += 1000) large[i] = static_cast<char>('a' + i % 26);
  FakeTransport answers([&](const Request&) { return FakeTransport::Answer::Of(200, large); });
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  const auto response = Get(*client, "/");
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_TRUE(response->body == large);
}

TEST_P(HttpServerTest, ALargeRequestArrivesWholeAndATooLargeOneDoesNot) {
  FakeTransport answers(Echo);
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  for (const auto& [size, status] : {std::pair(3 << 20, 200), std::pair((3 << 20) + 1, 413)}) {
    const std::string body(size, 'x');
    const auto response =
        Fetch(*client, clock_, {.method = "PUT", .target = "/", .body = body, .timeout = 60s});
    ASSERT_TRUE(response.has_value()) << response.error().Describe();
    EXPECT_EQ(response->status, status);
    EXPECT_TRUE(status != 200 || response->body == "PUT / " + body);
  }
  EXPECT_EQ(answers.requests().size(), 1);
}

TEST_P(HttpServerTest, WhatAReaderHasNotTakenIsNotAcknowledged) {
  HeldAnswers answers;
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  ResponseStream slow(*client, clock_, {.target = "/slow"});
  const auto held = Await(answers);
  held->handler->OnHead({200, {}});
  const std::string piece(1 << 20, 'x');
  constexpr std::size_t kPieces = 32;  // more than sockets hold
  for (std::size_t i = 0; i < kPieces; ++i) held->handler->OnData(piece);
  held->handler->OnEnd({});
  ASSERT_TRUE(slow.Head().has_value());

  // The others are not held up.
  PendingResponse quick(*client, clock_, {.target = "/quick", .timeout = 60s});
  const auto other = Await(answers, 2);
  other->handler->OnHead({200, {}});
  other->handler->OnData("here");
  other->handler->OnEnd({});
  const auto response = quick.Wait();
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->body, "here");
  EXPECT_LT(held->consumed, kPieces << 20);

  std::size_t total = 0;
  for (;;) {
    const auto more = slow.Read();
    ASSERT_TRUE(more.has_value()) << more.error().Describe();
    if (more->empty()) break;
    total += more->size();
  }
  EXPECT_EQ(total, kPieces << 20);
  EXPECT_TRUE(Eventually([&] { return held->consumed == kPieces << 20; }));
}

TEST_P(HttpServerTest, ARequestThatIsGivenUpIsCancelled) {
  HeldAnswers answers;
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  {
    const ResponseStream stream(*client, clock_, {.target = "/watch"});
    Await(answers)->handler->OnHead({200, {}});
  }
  const auto held = answers.last();
  EXPECT_TRUE(Eventually([&] { return held->cancelled.load(); }));
  // Whoever answers may be in the middle of it.
  held->handler->OnData("too late");
  held->handler->OnEnd(Fail(ErrorCode::kCancelled, "given up"));
  held->handler->OnData("far too late");
}

TEST_P(HttpServerTest, AClientThatGoesCancelsItsRequests) {
  HeldAnswers answers;
  const auto server = ListenHere(answers);
  auto client = Client(*server);
  const ResponseStream stream(*client, clock_, {.target = "/watch"});
  const auto held = Await(answers);
  client.reset();
  EXPECT_TRUE(Eventually([&] { return held->cancelled.load(); }));
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
}

TEST_P(HttpServerTest, AnAnswerThatFailsBeforeItsHeadSaysSoWithoutTheReason) {
  FakeTransport answers([](const Request& request) {
    return FakeTransport::Answer::Broken(
        {request.target == "/busy" ? ErrorCode::kUnavailable : ErrorCode::kIo, "a secret"});
  });
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  for (const auto& [target, status] : {std::pair("/busy", 503), std::pair("/broken", 500)}) {
    const auto response = Get(*client, target);
    ASSERT_TRUE(response.has_value()) << response.error().Describe();
    EXPECT_EQ(response->status, status);
    EXPECT_EQ(response->body, "the server could not answer\n");
  }
}

TEST_P(HttpServerTest, AnAnswerThatFailsLaterIsNotTakenForAWholeOne) {
  HeldAnswers answers;
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  ResponseStream stream(*client, clock_, {.target = "/list"});
  const auto held = Await(answers);
  held->handler->OnHead({200, {}});
  held->handler->OnData("half");
  EXPECT_EQ(stream.Read().value_or("broken"), "half");
  held->handler->OnEnd(Fail(ErrorCode::kIo, "the disk is gone"));
  const auto end = stream.Read();
  ASSERT_FALSE(end.has_value());
  EXPECT_EQ(end.error().code(), ErrorCode::kIo);
}

TEST_P(HttpServerTest, AnswersWithoutABodyHaveNone) {
  FakeTransport answers([](const Request& request) {
    return FakeTransport::Answer::Of(request.target == "/none" ? 204 : 200, "body");
  });
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  const auto none = Get(*client, "/none");
  ASSERT_TRUE(none.has_value()) << none.error().Describe();
  EXPECT_EQ(none->status, 204);
  EXPECT_EQ(none->body, "");
  EXPECT_EQ(Undated(none->headers), Headers());
  const auto head = Fetch(*client, clock_, {.method = "HEAD", .target = "/head", .timeout = 60s});
  ASSERT_TRUE(head.has_value()) << head.error().Describe();
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(Undated(head->headers), (Headers{{"content-length", "4"}}));
  EXPECT_EQ(Get(*client, "/")->body, "body");
}

TEST_P(HttpServerTest, AnAnswerCannotSayMoreThanOne) {
  FakeTransport answers([](const Request&) {
    return FakeTransport::Answer::Of(200, "body",
                                     {{"content-length", "100"},
                                      {"connection", "close"},
                                      {"transfer-encoding", "chunked"},
                                      {"x-evil", "a\r\ncontent-length: 0"},
                                      {"x-good", "kept"}});
  });
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  for (int i = 0; i < 2; ++i) {
    const auto response = Get(*client, "/");
    ASSERT_TRUE(response.has_value()) << response.error().Describe();
    EXPECT_EQ(Undated(response->headers), (Headers{{"x-good", "kept"}, {"content-length", "4"}}));
    EXPECT_EQ(response->body, "body");
  }
}

TEST_P(HttpServerTest, ATooLargeHeadIsRefused) {
  FakeTransport answers(Echo);
  const auto server = ListenHere(answers, {.request_head = 4096});
  const auto client = Client(*server);
  const auto response =
      Fetch(*client, clock_,
            {.target = "/", .headers = {{"x-large", std::string(5000, 'x')}}, .timeout = 60s});
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->status, 431);
  EXPECT_TRUE(answers.requests().empty());
}

TEST_P(HttpServerTest, NamesThoseWhoHaveACertificateOfOurs) {
  FakeTransport answers(Echo);
  const auto server = ListenHere(answers);
  const auto now = clock_.WallNow();
  const auto stranger = CertificateAuthority::Make("another", now);
  const CertificateSubject jane{.common_name = "jane", .organizations = {"devs", "system:masters"}};
  CertificateSubject expired = jane;
  expired.valid_for = -60s;
  const transport::PeerIdentity known{"jane", {"devs", "system:masters"}};
  const struct {
    Certificate identity;
    const transport::PeerIdentity* peer;
  } cases[] = {{*authority_.Issue(jane, now), &known},
               {*stranger->Issue(jane, now), nullptr},
               {*authority_.Issue(expired, now), nullptr},
               {certificate_, nullptr},  // a server's
               {{}, nullptr}};
  for (const auto& [identity, peer] : cases) {
    const auto client = Client(*server, identity);
    ASSERT_TRUE(Get(*client, "/").has_value());
    const Request got = answers.requests().back();
    ASSERT_EQ(got.peer != nullptr, peer != nullptr);
    EXPECT_TRUE(peer == nullptr || *got.peer == *peer);
  }
}

TEST_P(HttpServerTest, NewConnectionsAreMetWithTheNewCertificate) {
  FakeTransport answers(Echo);
  const auto server = ListenHere(answers);
  const auto before = Client(*server);
  ASSERT_TRUE(Get(*before, "/").has_value());
  const auto other = *CertificateAuthority::Make("other", clock_.WallNow());
  const auto issued =
      other.Issue({.common_name = "server", .names = {"127.0.0.1"}}, clock_.WallNow());
  ASSERT_TRUE(server->UseTls({.certificate = *issued}).has_value());
  EXPECT_TRUE(Get(*before, "/").has_value());
  const auto after = Get(*Client(*server), "/");
  ASSERT_FALSE(after.has_value());
  EXPECT_EQ(after.error().code(), ErrorCode::kUnauthorized);
  EXPECT_FALSE(server->UseTls({.certificate = {"x", "y"}}).has_value());
}

TEST_P(HttpServerTest, AStopWaitsForAnswersThatAreUnderWay) {
  HeldAnswers answers;
  const auto server = ListenHere(answers);
  const auto client = Client(*server);
  PendingResponse pending(*client, clock_, {.target = "/list", .timeout = 60s});
  const auto held = Await(answers);
  std::atomic<bool> stopped = false;
  executor_.Start("stop", [&] {
    server->Stop(10s);
    stopped = true;
  });
  // Once it has begun to stop, nothing more is handed over.
  EXPECT_TRUE(Eventually([&] {
    const auto before = answers.size();
    PendingResponse refused(*client, clock_, {.target = "/late", .timeout = 200ms});
    return !refused.Wait().has_value() && answers.size() == before;
  }));
  held->handler->OnHead({200, {}});
  held->handler->OnData("in time");
  held->handler->OnEnd({});
  const auto response = pending.Wait();
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->body, "in time");
  EXPECT_TRUE(Eventually([&] { return stopped.load(); }));
  EXPECT_EQ(server->connections(), 0);
}

TEST_P(HttpServerTest, AStopCutsWhatDoesNotEndInTime) {
  HeldAnswers answers;
  auto server = ListenHere(answers);
  const auto client = Client(*server);
  ResponseStream stream(*client, clock_, {.target = "/watch"});
  const auto held = Await(answers);
  held->handler->OnHead({200, {}});
  held->handler->OnData("one");
  EXPECT_EQ(stream.Read().value_or("broken"), "one");
  server->Stop(20ms);
  EXPECT_TRUE(held->cancelled);
  EXPECT_FALSE(stream.Read().has_value());
  server.reset();
  held->handler->OnData("nobody is there");
  held->handler->OnEnd(Fail(ErrorCode::kCancelled, "given up"));
}

TEST_P(HttpServerTest, AnIdleConnectionIsClosed) {
  FakeTransport answers(Echo);
  const auto server = ListenHere(answers, {.idle = 20ms});
  const auto client = Client(*server);
  ASSERT_TRUE(Get(*client, "/").has_value());
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
  EXPECT_TRUE(Get(*client, "/").has_value());
}

TEST_P(HttpServerTest, StandsInFrontOfAnotherServer) {
  FakeTransport answers(Echo);
  const auto behind = Listen(answers);
  const auto between = Client(*behind);
  const auto server = ListenHere(*between);
  const auto client = Client(*server);
  const auto response =
      Fetch(*client, clock_, {.method = "POST", .target = "/a?b", .body = "{}", .timeout = 60s});
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->body, "POST /a?b {}");
}

class HttpServerListenTest : public ServerTestBed {};

TEST_F(HttpServerListenTest, SpeaksPlainTextWhereThereIsNoTls) {
  FakeTransport answers(Echo);
  const auto server = Listen(answers, {.tls = false});
  const auto client = Client(*server);
  const auto response = Fetch(*client, clock_, {.target = "/healthz", .timeout = 60s});
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->body, "GET /healthz ");
  EXPECT_FALSE(server->UseTls({.certificate = certificate_}).has_value());
}

TEST_F(HttpServerListenTest, SaysWhyItCannotListen) {
  FakeTransport answers(Echo);
  const auto first = Listen(answers);
  const auto message = [&](HttpServer::Options options) {
    const auto server = HttpServer::Listen(network_, answers, std::move(options));
    return server ? "" : server.error().message();
  };
  EXPECT_EQ(message({.port = first->port()}),
            "failed to listen on 127.0.0.1:" + std::to_string(first->port()) +
                ": Address already in use");
  EXPECT_EQ(message({.address = "localhost"}), "invalid IP address 'localhost'");
  EXPECT_EQ(message({.tls = TlsOptions{.certificate = {certificate_.certificate_pem, ""}}}),
            "server certificate has no private key");
}

}  // namespace
}  // namespace flyball::serving
