#include <atomic>
#include <string>
#include <vector>

#include "flyball/serving/internal/held_answers.h"
#include "flyball/serving/internal/raw_client.h"
#include "flyball/serving/internal/server_test_bed.h"
#include "flyball/transport/transport_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::serving {
namespace {

using namespace std::chrono_literals;
using transport::FakeTransport;
using transport::Headers;
using transport::Request;

FakeTransport::Answer EchoRequest(const Request& request) {
  return FakeTransport::Answer::Of(200, request.method + " " + request.target + " " + request.body);
}

/// What a server says to bytes that no client of ours would send.
class Http1RobustnessTest : public ServerTestBed {
 protected:
  std::unique_ptr<HttpServer> ListenPlain(transport::Transport& answers,
                                          const Limits& limits = {}) {
    return Listen(answers, {.tls = false, .limits = limits});
  }
  /// The answer to a request that ends the connection.
  std::string LastAnswerTo(const HttpServer& server, const std::string& bytes) {
    RawClient client(server.port());
    EXPECT_TRUE(client.Send(bytes));
    client.SendNoMore();
    return client.ReadAll();
  }

  FakeTransport echo_{EchoRequest};
};

std::string Refusal(const std::string& reason) {
  return "HTTP/1.1 " + reason + "\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: " +
         std::to_string(reason.size() - 3) + "\r\nconnection: close\r\n\r\n" + reason.substr(4) +
         "\n";
}

TEST_F(Http1RobustnessTest, RefusesWhatIsNotARequest) {
  const auto server = ListenPlain(echo_, {.request_body = 1000, .request_head = 2000});
  const struct {
    std::string bytes;
    std::string reason;
  } cases[] = {
      {"\r\n\r\n\r\n", "400 Bad Request"},
      {"hello\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/1.1\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", "400 Bad Request"},
      {"GET nowhere HTTP/1.1\r\nhost: a\r\n\r\n", "400 Bad Request"},
      {"CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/1.1\r\nhost: a\r\nbad name: b\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/1.1\r\nhost : a\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/1.1\r\nhost: a\r\nx: \x01\r\n\r\n", "400 Bad Request"},
      {"GET / HTTP/1.1\nhost: a\n\n", "505 HTTP Version Not Supported"},
      {"GET / HTTP/7.3\r\nhost: a\r\n\r\n", "505 HTTP Version Not Supported"},
      {"GET / HTTP/1.1\r\nhost: a\r\nexpect: tea\r\n\r\n", "417 Expectation Failed"},
      {"PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n", "400 Bad Request"},
      {"PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
       "400 Bad Request"},
      {"PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: "
       "chunked\r\n\r\n0\r\n\r\n",
       "400 Bad Request"},
      {"PUT / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: "
       "1\r\n\r\n0\r\n\r\n",
       "400 Bad Request"},
      {"PUT / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip\r\n\r\n", "501 Not Implemented"},
      {"PUT / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "400 Bad Request"},
      {"PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 1001\r\n\r\n", "413 Payload Too Large"},
      {"PUT / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3ea\r\n" +
           std::string(1002, 'x'),
       "413 Payload Too Large"},
      {"GET / HTTP/1.1\r\nhost: a\r\nx: " + std::string(2000, 'x'),
       "431 Request Header Fields Too Large"},
      {"GET /" + std::string(3000, 'x'), "431 Request Header Fields Too Large"},
  };
  for (const auto& [bytes, reason] : cases) {
    EXPECT_EQ(LastAnswerTo(*server, bytes), Refusal(reason)) << bytes;
  }
  EXPECT_TRUE(echo_.requests().empty());
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
}

TEST_F(Http1RobustnessTest, AnswersRequestsThatWereSentTogetherInTheirOrder) {
  const auto server = ListenPlain(echo_);
  RawClient client(server->port());
  std::string bytes;
  std::string answers;
  for (int i = 0; i < 2000; ++i) {
    const std::string path = "/" + std::to_string(i);
    const std::string body = "POST " + path + " x";
    bytes += "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";
    answers +=
        "HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  EXPECT_TRUE(client.Send(bytes));
  EXPECT_EQ(client.ReadUntil(answers.substr(answers.rfind("POST"))), answers);
}

TEST_F(Http1RobustnessTest, ARequestMayComeByteByByteAndInChunks) {
  const auto server = ListenPlain(echo_);
  RawClient client(server->port());
  const std::string bytes =
      "PATCH /a HTTP/1.1\r\nHost: a\r\nX-Some: thing \r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Late: x\r\n\r\n";
  for (const char byte : bytes) EXPECT_TRUE(client.Send({&byte, 1}));
  const std::string answer = "HTTP/1.1 200 OK\r\ncontent-length: 14\r\n\r\nPATCH /a abcde";
  EXPECT_EQ(client.ReadUntil("abcde"), answer);
  ASSERT_FALSE(echo_.requests().empty());
  EXPECT_EQ(echo_.requests().back().headers, (Headers{{"x-some", "thing"}}));
}

TEST_F(Http1RobustnessTest, ABodyOfNoChunksMayComeByteByByte) {
  const auto server = ListenPlain(echo_);
  RawClient client(server->port());
  const std::string bytes =
      "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Late: x\r\n\r\n";
  for (const char byte : bytes) EXPECT_TRUE(client.Send({&byte, 1}));
  EXPECT_EQ(client.ReadUntil("PUT /a "), "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nPUT /a ");
}

TEST_F(Http1RobustnessTest, TellsAClientThatAsksToGoOnWithItsBody) {
  const auto server = ListenPlain(echo_, {.request_body = 10});
  RawClient client(server->port());
  EXPECT_TRUE(client.Send(
      "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_TRUE(client.Send("ab"));
  EXPECT_EQ(client.ReadUntil("ab"), "HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nPUT / ab");
  EXPECT_TRUE(client.Send(
      "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n"));
  EXPECT_THAT(client.ReadUntil("\r\n"), "HTTP/1.1 413 Payload Too Large\r\n");
}

TEST_F(Http1RobustnessTest, ServesTheOldVersionWithoutChunks) {
  HeldAnswers answers;
  const auto server = ListenPlain(answers);
  RawClient client(server->port());
  EXPECT_TRUE(client.Send("GET http://a.example/b?c HTTP/1.0\r\n\r\n"));
  ASSERT_TRUE(Eventually([&] { return answers.size() == 1; }));
  const auto held = answers.last();
  EXPECT_EQ(held->request.target, "/b?c");
  held->handler->OnHead({200, {}});
  held->handler->OnData("one");
  EXPECT_EQ(client.ReadUntil("one"), "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\none");
  held->handler->OnData("two");
  held->handler->OnEnd({});
  EXPECT_EQ(client.ReadAll(), "two");
}

TEST_F(Http1RobustnessTest, ClosesWhenAClientSaysSo) {
  const auto server = ListenPlain(echo_);
  RawClient client(server->port());
  EXPECT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  EXPECT_EQ(client.ReadAll(),
            "HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nGET / ");
}

TEST_F(Http1RobustnessTest, AClientThatSaysNoMoreIsNotWaitedFor) {
  HeldAnswers answers;
  const auto server = ListenPlain(answers);
  RawClient client(server->port());
  EXPECT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  ASSERT_TRUE(Eventually([&] { return answers.size() == 1; }));
  client.SendNoMore();
  EXPECT_TRUE(Eventually([&] { return answers.last()->cancelled.load(); }));
  EXPECT_EQ(client.ReadAll(), "");
}

TEST_F(Http1RobustnessTest, AClientMayBeAheadByALittleOnly) {
  HeldAnswers answers;
  const auto server = ListenPlain(answers);
  RawClient client(server->port());
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  std::string ahead;
  while (ahead.size() < 32 << 20) ahead += request;  // more than sockets hold
  std::atomic<bool> ended = false;
  executor_.Start("sender", [&] {
    EXPECT_FALSE(client.Send(ahead));
    ended = true;
  });
  for (std::size_t i = 1; i < 5; ++i) {
    ASSERT_TRUE(Eventually([&] { return answers.size() == i; }));
    answers.last()->handler->OnHead({200, {}});
    EXPECT_EQ(answers.size(), i);
    answers.last()->handler->OnEnd({});
  }
  server->Stop();
  EXPECT_TRUE(Eventually([&] { return ended.load(); }));
}

TEST_F(Http1RobustnessTest, SlowClientsAreGivenUp) {
  const auto server = ListenPlain(echo_, {.handshake = 20ms, .request = 20ms});
  RawClient silent(server->port());
  RawClient slow(server->port());
  EXPECT_TRUE(slow.Send("GET / HT"));
  RawClient slower(server->port());
  EXPECT_TRUE(slower.Send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc"));
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_EQ(slow.ReadAll(), "");
  EXPECT_EQ(slower.ReadAll(), "");
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
}

TEST_F(Http1RobustnessTest, WhoStopsReadingIsGivenUp) {
  HeldAnswers answers;
  const auto server = ListenPlain(answers, {.write = 20ms});
  RawClient client(server->port());
  EXPECT_TRUE(client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  ASSERT_TRUE(Eventually([&] { return answers.size() == 1; }));
  const auto held = answers.last();
  held->handler->OnHead({200, {}});
  held->handler->OnData("idle for longer than that, and nothing is wrong");
  EXPECT_NE(client.ReadUntil("wrong"), "");
  EXPECT_FALSE(Eventually([&] { return held->cancelled.load(); }, 100ms));
  held->handler->OnData(std::string(16 << 20, 'x'));  // more than the kernel takes
  EXPECT_TRUE(Eventually([&] { return held->cancelled.load(); }));
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
  held->handler->OnEnd({});
}

TEST_F(Http1RobustnessTest, ConnectionsBeyondTheLimitWait) {
  const auto server = ListenPlain(echo_, {.connections = 2});
  RawClient one(server->port());
  RawClient two(server->port());
  RawClient three(server->port());
  ASSERT_TRUE(Eventually([&] { return server->connections() == 2; }));
  EXPECT_TRUE(three.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  one.Close();
  EXPECT_EQ(three.ReadUntil("\r\n"), "HTTP/1.1 200 OK\r\n");
}

TEST_F(Http1RobustnessTest, ServesOthersAfterGarbageInsteadOfTls) {
  const auto server = Listen(echo_);
  for (const std::string_view bytes :
       {std::string_view("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        std::string_view("\x16\x03\x01\xff", 4), std::string_view("\0\0\0\0\0\0\0\0", 8),
        std::string_view("")}) {
    RawClient client(server->port());
    EXPECT_TRUE(client.Send(bytes));
    client.SendNoMore();
    client.ReadAll();
  }
  for (int i = 0; i < 50; ++i) const RawClient comes_and_goes(server->port());
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
  RawClient half(server->port());
  EXPECT_TRUE(half.Send(std::string_view("\x16\x03\x01\x00", 4)));
}

}  // namespace
}  // namespace flyball::serving
