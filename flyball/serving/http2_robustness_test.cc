#include <cstdint>
#include <string>
#include <string_view>
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
using namespace std::string_literals;
using transport::FakeTransport;
using transport::Request;

enum FrameType : std::uint8_t { kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kGoAway = 7 };
constexpr std::uint8_t kEndStream = 1;
constexpr std::uint8_t kEndHeaders = 4;

struct Frame {
  std::uint8_t type = 0xff;  ///< that of no frame: the connection was closed
  std::uint32_t stream = 0;
  std::string payload = {};
};

std::string Number(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string Bytes(FrameType type, std::uint8_t flags, std::uint32_t stream,
                  const std::string& payload) {
  return Number(static_cast<std::uint32_t>(payload.size())).substr(1) + static_cast<char>(type) +
         static_cast<char>(flags) + Number(stream) + payload;
}

/// HPACK for "GET", "http", "/" and the authority "a", by the static table.
const std::string kGet = "\x82\x86\x84\x41\x01"s + "a";

std::string Get(std::uint32_t stream) {
  return Bytes(kHeaders, kEndStream | kEndHeaders, stream, kGet);
}
std::string Reset(std::uint32_t stream) { return Bytes(kReset, 0, stream, Number(8)); }

/// A client that speaks HTTP/2 in plain text, frame by frame.
class RawHttp2Client : public RawClient {
 public:
  explicit RawHttp2Client(std::uint16_t port) : RawClient(port) {
    Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Bytes(kSettings, 0, 0, ""));
  }

  Frame ReadFrame() {
    const std::string head = Read(9);
    if (head.size() < 9) return {};
    const auto at = [&](int i) { return static_cast<std::uint8_t>(head[i]); };
    const std::size_t size = at(0) << 16 | at(1) << 8 | at(2);
    const auto stream = static_cast<std::uint32_t>(at(5) << 24 | at(6) << 16 | at(7) << 8 | at(8));
    return {at(3), stream, Read(size)};
  }
  /// The next of this type, or the end.
  Frame Next(FrameType type) {
    for (;;) {
      Frame frame = ReadFrame();
      if (frame.type == type || frame.type == 0xff) return frame;
    }
  }
  /// What the server says why it ends the connection.
  std::uint32_t EndReason() {
    const Frame goaway = Next(kGoAway);
    if (goaway.payload.size() < 8) return 0xffffffff;
    return static_cast<std::uint8_t>(goaway.payload[7]);
  }
};

class Http2RobustnessTest : public ServerTestBed {
 protected:
  std::unique_ptr<HttpServer> ListenPlain(transport::Transport& answers,
                                          const Limits& limits = {}) {
    return Listen(answers, {.tls = false, .limits = limits});
  }

  FakeTransport echo_{[](const Request& request) {
    return FakeTransport::Answer::Of(200, request.method + " " + request.target);
  }};
  HeldAnswers held_;
};

TEST_F(Http2RobustnessTest, SpeaksItInPlainTextToThoseWhoBeginWithIt) {
  const auto server = ListenPlain(echo_);
  RawHttp2Client client(server->port());
  EXPECT_TRUE(client.Send(Get(1)));
  const Frame head = client.Next(kHeaders);
  EXPECT_EQ(head.stream, 1);
  EXPECT_TRUE(head.payload.starts_with('\x88'));  // ":status: 200"
  EXPECT_EQ(client.Next(kData).payload, "GET /");
}

TEST_F(Http2RobustnessTest, RequestsBeyondTheLimitAreRefused) {
  const auto server = ListenPlain(held_, {.streams = 2});
  RawHttp2Client client(server->port());
  EXPECT_TRUE(client.Send(Get(1) + Get(3) + Get(5)));
  const Frame refused = client.Next(kReset);
  EXPECT_EQ(refused.stream, 5);
  EXPECT_EQ(refused.payload, Number(7));  // REFUSED_STREAM
  EXPECT_EQ(held_.size(), 2);
}

TEST_F(Http2RobustnessTest, WhatIsGivenUpInTheSameBreathIsNeverAsked) {
  const auto server = ListenPlain(held_);
  RawHttp2Client client(server->port());
  std::string flood;
  for (std::uint32_t stream = 1; stream < 20'000; stream += 2) flood += Get(stream) + Reset(stream);
  client.Send(flood);
  client.ReadAll();
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
  EXPECT_LT(held_.size(), 100);  // but where a read happened to end between the two
}

TEST_F(Http2RobustnessTest, WhoAsksAndGivesUpAgainAndAgainIsCutOff) {
  const auto server = ListenPlain(held_, {.streams = 10});
  RawHttp2Client client(server->port());
  ASSERT_TRUE(Eventually([&] { return server->connections() == 1; }));
  std::size_t asked = 0;
  for (std::uint32_t stream = 1; stream < 200 && server->connections() > 0; stream += 2) {
    if (!client.Send(Get(stream))) break;
    if (!Eventually([&] { return held_.size() > asked || server->connections() == 0; })) break;
    asked = held_.size();
    if (!client.Send(Reset(stream))) break;
  }
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
  EXPECT_LE(asked, 12);
  EXPECT_EQ(client.EndReason(), 11);  // ENHANCE_YOUR_CALM
}

TEST_F(Http2RobustnessTest, ARequestThatDoesNotComeToItsEndIsGivenUp) {
  const auto server = ListenPlain(held_, {.request = 20ms});
  RawHttp2Client client(server->port());
  EXPECT_TRUE(client.Send(Bytes(kHeaders, kEndHeaders, 1, "\x83" + kGet.substr(1)) +
                          Bytes(kData, 0, 1, "abc") + Get(3)));
  EXPECT_EQ(client.Next(kReset).stream, 1);
  ASSERT_TRUE(Eventually([&] { return held_.size() == 1; }));
  held_.last()->handler->OnHead({200, {}});  // the other one goes on
  held_.last()->handler->OnEnd({});
  EXPECT_EQ(client.Next(kHeaders).stream, 3);
}

TEST_F(Http2RobustnessTest, AnAnswerThatIsNotTakenIsGivenUpAndOthersGoOn) {
  const auto server = ListenPlain(held_, {.write = 20ms});
  RawHttp2Client client(server->port());
  EXPECT_TRUE(client.Send(Get(1) + Get(3)));
  ASSERT_TRUE(Eventually([&] { return held_.size() == 2; }));
  const auto idle = held_.held().at(0);
  const auto stuck = held_.held().at(1);
  idle->handler->OnHead({200, {}});
  idle->handler->OnData("a watch");
  stuck->handler->OnHead({200, {}});
  stuck->handler->OnData(std::string(60'000, 'x'));  // nearly all that may come unasked
  stuck->handler->OnData(std::string(60'000, 'x'));
  EXPECT_EQ(client.Next(kReset).stream, 3);
  EXPECT_TRUE(Eventually([&] { return stuck->cancelled.load(); }));
  EXPECT_FALSE(idle->cancelled.load());
  stuck->handler->OnEnd({});
  idle->handler->OnEnd({});
}

TEST_F(Http2RobustnessTest, WhoTakesNothingAtAllIsGivenUp) {
  const auto server = ListenPlain(held_, {.write = 20ms});
  RawHttp2Client client(server->port());
  // As large a window as can be, for the stream and for the connection.
  EXPECT_TRUE(client.Send(Bytes(kSettings, 0, 0, "\0\4\x7f\xff\xff\xff"s) +
                          Bytes(static_cast<FrameType>(8), 0, 0, Number(0x7fff0000))));
  // A server that gets no turn for 20 ms gives up an answer that was on its way, and not the
  // connection: then it takes another answer until the kernel takes no more.
  for (std::uint32_t stream = 1; stream < 40 && client.Send(Get(stream)); stream += 2) {
    const std::size_t asked = (stream + 1) / 2;
    const auto gone = [&] { return server->connections() == 0; };
    ASSERT_TRUE(Eventually([&] { return held_.size() == asked || gone(); }));
    if (held_.size() < asked) break;
    const auto answer = held_.last();
    answer->handler->OnHead({200, {}});
    answer->handler->OnData(std::string(16 << 20, 'x'));  // more than the kernel takes
    EXPECT_TRUE(Eventually([&] { return answer->cancelled.load(); }));
    answer->handler->OnEnd({});
  }
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
}

TEST_F(Http2RobustnessTest, TellsAClientThatAsksToGoOnWithItsBody) {
  const auto server = ListenPlain(held_);
  RawHttp2Client client(server->port());
  EXPECT_TRUE(
      client.Send(Bytes(kHeaders, kEndHeaders, 1,
                        "\x83" + kGet.substr(1) + "\0\x06"s + "expect" + "\x0c" + "100-continue")));
  EXPECT_EQ(client.Next(kHeaders).stream, 1);
  EXPECT_TRUE(client.Send(Bytes(kData, kEndStream, 1, "abc")));
  ASSERT_TRUE(Eventually([&] { return held_.size() == 1; }));
  EXPECT_EQ(held_.last()->request.body, "abc");
  EXPECT_EQ(held_.last()->request.headers, transport::Headers());
}

TEST_F(Http2RobustnessTest, BadRequestsAreResetAndTheConnectionGoesOn) {
  const auto server = ListenPlain(echo_);
  RawHttp2Client client(server->port());
  const std::string no_path = "\x82\x86\x41\x01"s + "a";
  EXPECT_TRUE(client.Send(Bytes(kHeaders, kEndStream | kEndHeaders, 1, no_path) + Get(3)));
  EXPECT_EQ(client.Next(kReset).stream, 1);
  EXPECT_EQ(client.Next(kHeaders).stream, 3);
  EXPECT_EQ(echo_.requests().size(), 1);
}

TEST_F(Http2RobustnessTest, WhatIsNotHttp2IsCutOffWithAReason) {
  const auto server = ListenPlain(echo_);
  for (const std::string& bytes : {
           std::string(1000, 'x'),
           Bytes(kData, 0, 1, "a body without a head"),
           Bytes(kHeaders, kEndHeaders, 1, "\xff\xff\xff\xff\xff\xff"),
           Bytes(kHeaders, 0, 1, kGet) + Get(3),
           Bytes(kSettings, 0, 0, "odd"),
       }) {
    RawHttp2Client client(server->port());
    EXPECT_TRUE(client.Send(bytes));
    const std::uint32_t reason = client.EndReason();
    EXPECT_TRUE(reason > 0 && reason < 14) << reason;
    EXPECT_EQ(client.ReadAll(), "");
  }
  EXPECT_TRUE(Eventually([&] { return server->connections() == 0; }));
}

TEST_F(Http2RobustnessTest, AHeadInManyFramesIsLimitedToo) {
  const auto server = ListenPlain(echo_, {.request_head = 4096});
  RawHttp2Client client(server->port());
  constexpr auto kContinuation = static_cast<FrameType>(9);
  const std::string more = "\0\x01x\x64"s + std::string(100, 'x');
  std::string bytes = Bytes(kHeaders, kEndStream, 1, kGet);
  for (int i = 0; i < 7; ++i) bytes += Bytes(kContinuation, 0, 1, more + more + more + more + more);
  bytes += Bytes(kContinuation, kEndHeaders, 1, more + more + more + more + more);
  EXPECT_TRUE(client.Send(bytes));
  const Frame head = client.Next(kHeaders);
  EXPECT_EQ(head.stream, 1);
  EXPECT_FALSE(head.payload.starts_with('\x88'));
  EXPECT_TRUE(echo_.requests().empty());
}

}  // namespace
}  // namespace flyball::serving
