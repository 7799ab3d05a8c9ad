#include "flyball/transport/http_transport.h"

#include <malloc.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <vector>

#include "flyball/transport/fetch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scripted/eventually.h"
#include "tests/scripted/server.h"

namespace flyball::transport {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class HttpTransportTest : public testing::Test {
 protected:
  HttpTransport::Options OptionsFor(const scripted::Server& server) {
    HttpTransport::Options options;
    options.server = *Url::Parse(server.url());
    options.tls = [roots = server.authority().certificate()] { return TlsOptions{.roots = roots}; };
    return options;
  }

  Result<Response> Get(Transport& transport, const std::string& target) {
    return Fetch(transport, clock_, {.target = target, .headers = {}, .body = {}, .timeout = 5s});
  }

  /// Until it holds, or for a few seconds.
  template <typename Condition>
  bool Eventually(Condition condition) {
    return scripted::Eventually(clock_, condition);
  }

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  Network network_{executor_};
};

void Echo(const scripted::Request& request) {
  request.Answer(200, request.method() + " " + request.target() + " " + request.body(),
                 {{"x-token", std::string(FindHeader(request.headers(), "authorization"))}});
}

TEST_F(HttpTransportTest, CarriesMethodTargetHeadersAndBodyThereAndBack) {
  for (const bool http2 : {true, false}) {
    const scripted::Server server(executor_, Echo, {.http2 = http2});
    HttpTransport transport(network_, OptionsFor(server));
    const auto response = Fetch(transport, clock_,
                                {.method = "POST",
                                 .target = "/api/v1/pods?limit=2",
                                 .headers = {{"authorization", "Bearer x"}},
                                 .body = "{}",
                                 .timeout = 5s});
    ASSERT_TRUE(response.has_value()) << response.error().Describe();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "POST /api/v1/pods?limit=2 {}");
    EXPECT_EQ(FindHeader(response->headers, "x-token"), "Bearer x");
  }
}

TEST_F(HttpTransportTest, IsCountedWhileItIsThereAndWhenItIsGone) {
  MetricRegistry registry;
  const auto text = [](int there, const std::string& gone) {
    return "# HELP rest_client_transport_cache_entries [ALPHA] Number of client transports in use; "
           "each has its own connections and TLS settings.\n"
           "# TYPE rest_client_transport_cache_entries gauge\n"
           "rest_client_transport_cache_entries " +
           std::to_string(there) + "\n" + gone +
           "# HELP rest_client_transport_cert_rotation_gc_calls_total [ALPHA] Number of "
           "certificate rotation tasks stopped when the transport they belonged to was closed.\n"
           "# TYPE rest_client_transport_cert_rotation_gc_calls_total counter\n"
           "rest_client_transport_cert_rotation_gc_calls_total 0\n"
           "# HELP rest_client_transport_create_calls_total [ALPHA] Number of client transports "
           "created, by result of the lookup in the transport cache.\n"
           "# TYPE rest_client_transport_create_calls_total counter\n"
           "rest_client_transport_create_calls_total{result=\"miss\"} 2\n";
  };
  {
    HttpTransport::Options options;
    options.metrics = TransportMetrics(registry);
    const HttpTransport one(network_, options);
    const HttpTransport two(network_, options);
    EXPECT_EQ(registry.Text(), text(2, ""));
  }
  EXPECT_EQ(registry.Text(),
            text(0,
                 "# HELP rest_client_transport_cache_gc_calls_total [ALPHA] Number of client "
                 "transports that were closed and collected, by result.\n"
                 "# TYPE rest_client_transport_cache_gc_calls_total counter\n"
                 "rest_client_transport_cache_gc_calls_total{result=\"deleted\"} 2\n"));
}

TEST_F(HttpTransportTest, SpeaksPlainHttpToAServerWithoutTls) {
  const scripted::Server server(executor_, Echo, {.tls = false, .http2 = false});
  HttpTransport transport(network_, OptionsFor(server));
  const auto response = Get(transport, "/healthz");
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->body, "GET /healthz ");
}

TEST_F(HttpTransportTest, SendsManyRequestsAtOnceOverOneConnection) {
  std::atomic<int> arrived = 0;
  std::vector<scripted::Request> held;  // the server's thread only
  const scripted::Server server(executor_, [&](const scripted::Request& request) {
    held.push_back(request);
    if (++arrived == 50) {
      for (const auto& one : held) one.Answer(200, one.target());
    }
  });
  HttpTransport transport(network_, OptionsFor(server));
  std::vector<PendingResponse> pending;
  for (int i = 0; i < 50; ++i) {
    pending.emplace_back(transport, clock_, Request{.target = "/" + std::to_string(i)});
  }
  for (int i = 0; i < 50; ++i) {
    const auto response = pending[static_cast<std::size_t>(i)].Wait();
    ASSERT_TRUE(response.has_value()) << response.error().Describe();
    EXPECT_EQ(response->body, "/" + std::to_string(i));
  }
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(HttpTransportTest, MakesAnotherConnectionWhereTheServerAllowsNoMoreStreams) {
  std::atomic<int> arrived = 0;
  std::vector<scripted::Request> held;
  const scripted::Server server(executor_,
                                [&](const scripted::Request& request) {
                                  held.push_back(request);
                                  if (++arrived == 10) {
                                    for (const auto& one : held) one.Answer(200, "");
                                  }
                                },
                                {.max_streams = 4});
  HttpTransport transport(network_, OptionsFor(server));
  std::vector<PendingResponse> pending;
  for (int i = 0; i < 10; ++i) {
    pending.emplace_back(transport, clock_, Request{.target = "/", .timeout = 10s});
  }
  for (auto& one : pending) EXPECT_TRUE(one.Wait().has_value());
  EXPECT_EQ(server.accepted(), 3);
}

TEST_F(HttpTransportTest, BodiesOfAnySizeComeWhole) {
  std::string large;
  large.resize(20'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 1000) large[i] = static_cast<char>('a' + i % 26);
  for (const bool http2 : {true, false}) {
    SCOPED_TRACE(http2);
    const scripted::Server server(
        executor_, [&](const scripted::Request& request) { request.Answer(200, request.body()); },
        {.http2 = http2});
    HttpTransport transport(network_, OptionsFor(server));
    const auto response =
        Fetch(transport, clock_, {.method = "PUT", .target = "/", .body = large, .timeout = 120s});
    ASSERT_TRUE(response.has_value()) << response.error().Describe();
    EXPECT_TRUE(response->body == large);
  }
}

TEST_F(HttpTransportTest, ASlowReaderStopsItsOwnStreamAndNoOther) {
  std::optional<scripted::Request> stream;
  std::atomic<bool> started = false;
  const scripted::Server server(executor_, [&](const scripted::Request& request) {
    if (request.target() != "/stream") return request.Answer(200, "quick");
    stream = request;
    request.Head(200);
    request.Data(std::string(8 << 20, 'x'));
    request.End();
    started = true;
  });
  HttpTransport transport(network_, OptionsFor(server));
  ResponseStream slow(transport, clock_, {.target = "/stream"});
  ASSERT_TRUE(slow.Head().has_value());
  ASSERT_TRUE(Eventually([&] { return started && stream->unsent() < (8U << 20); }));
  clock_.SleepFor(200ms);                 // lint: allow sleep: nothing tells when a window is full
  EXPECT_GT(stream->unsent(), 6U << 20);  // a window's worth has gone out, and no more
  const auto other = Get(transport, "/");
  ASSERT_TRUE(other.has_value()) << other.error().Describe();
  EXPECT_EQ(other->body, "quick");
  EXPECT_EQ(server.accepted(), 1);

  std::size_t size = 0;
  for (;;) {
    const auto bytes = slow.Read();
    ASSERT_TRUE(bytes.has_value()) << bytes.error().Describe();
    if (bytes->empty()) break;
    size += bytes->size();
  }
  EXPECT_EQ(size, 8U << 20);
}

TEST_F(HttpTransportTest, GivesUpWhenTheTimeIsUp) {
  for (const bool http2 : {true, false}) {
    const scripted::Server server(executor_, [](const scripted::Request&) {}, {.http2 = http2});
    HttpTransport transport(network_, OptionsFor(server));
    const auto response = Fetch(transport, clock_, {.target = "/", .timeout = 50ms});
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().code(), ErrorCode::kTimeout);
  }
}

TEST_F(HttpTransportTest, HasPatienceWithAnAnswerThatGoesOnIfThatIsAskedFor) {
  for (const TimeoutScope timeout_scope :
       {TimeoutScope::kExchange, TimeoutScope::kIdle, TimeoutScope::kHeaders}) {
    SCOPED_TRACE(static_cast<int>(timeout_scope));
    std::optional<scripted::Request> asked;
    std::atomic<bool> arrived = false;
    const scripted::Server server(executor_, [&](const scripted::Request& request) {
      request.Head(200);
      asked = request;
      arrived = true;
    });
    HttpTransport transport(network_, OptionsFor(server));
    PendingResponse pending(transport, clock_,
                            {.target = "/", .timeout = 300ms, .timeout_scope = timeout_scope});
    ASSERT_TRUE(Eventually([&] { return arrived.load(); }));
    for (int i = 0; i < 40 && !pending.Ready(); ++i) {
      asked->Data("x");
      clock_.SleepFor(20ms);
    }
    EXPECT_EQ(pending.Ready(), timeout_scope == TimeoutScope::kExchange);
    if (timeout_scope == TimeoutScope::kHeaders) asked->End();
    const auto response = pending.Wait();
    if (timeout_scope == TimeoutScope::kHeaders) {
      ASSERT_TRUE(response.has_value()) << response.error().Describe();
      EXPECT_EQ(response->body.size(), 40U);
    } else {
      ASSERT_FALSE(response.has_value());
      EXPECT_EQ(response.error().Describe(), "timeout: timed out reading the response");
    }
  }
}

TEST_F(HttpTransportTest, ACancelledRequestEndsAtOnceAndTheConnectionLivesOn) {
  const scripted::Server server(executor_, [](const scripted::Request& request) {
    if (request.target() == "/") request.Answer(200, "");
  });
  HttpTransport transport(network_, OptionsFor(server));
  PendingResponse pending(transport, clock_, {.target = "/never"});
  pending.Cancel();
  const auto response = pending.Wait();
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code(), ErrorCode::kCancelled);
  EXPECT_TRUE(Get(transport, "/").has_value());
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(HttpTransportTest, AResetStreamIsAnError) {
  const scripted::Server server(executor_,
                                [](const scripted::Request& request) { request.Reset(2); });
  HttpTransport transport(network_, OptionsFor(server));
  const auto broken = Get(transport, "/");
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().code(), ErrorCode::kIo);
  EXPECT_THAT(broken.error().message(), HasSubstr("INTERNAL_ERROR"));
}

TEST_F(HttpTransportTest, WhatTheServerRefusesIsSentAgainAFewTimes) {
  constexpr std::uint32_t kRefused = 7;
  std::atomic<int> asked = 0;
  const scripted::Server server(executor_, [&](const scripted::Request& request) {
    if (request.target() == "/never" || ++asked < 3) return request.Reset(kRefused);
    request.Answer(200, request.body());
  });
  HttpTransport transport(network_, OptionsFor(server));
  const auto third =
      Fetch(transport, clock_, {.method = "POST", .target = "/", .body = "once", .timeout = 5s});
  ASSERT_TRUE(third.has_value()) << third.error().Describe();
  EXPECT_EQ(third->body, "once");
  const auto never = Get(transport, "/never");
  ASSERT_FALSE(never.has_value());
  EXPECT_EQ(never.error().code(), ErrorCode::kUnavailable);
}

TEST_F(HttpTransportTest, AStreamThatIsCutShortIsAnErrorThoughTheServerCallsItNone) {
  const scripted::Server server(executor_, [](const scripted::Request& request) {
    request.Head(200);
    request.Data("half");
    request.Reset(0);
  });
  HttpTransport transport(network_, OptionsFor(server));
  const auto response = Get(transport, "/");
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code(), ErrorCode::kIo);
}

TEST_F(HttpTransportTest, AfterGoAwayStreamsEndInPeaceAndNewOnesGoElsewhere) {
  std::optional<scripted::Request> watch;
  const scripted::Server server(executor_, [&](const scripted::Request& request) {
    if (request.target() == "/watch") {
      watch = request;
      request.Head(200);
      request.GoAway();
    } else {
      request.Answer(200, std::to_string(request.connection()));
    }
  });
  HttpTransport transport(network_, OptionsFor(server));
  ResponseStream stream(transport, clock_, {.target = "/watch"});
  ASSERT_TRUE(stream.Head().has_value());
  std::string body;
  ASSERT_TRUE(Eventually([&] {
    const auto response = Get(transport, "/");
    if (response) body = response->body;
    return body == "2";
  }));
  watch->Data("still here");
  watch->End();
  const auto bytes = stream.Read();
  ASSERT_TRUE(bytes.has_value()) << bytes.error().Describe();
  EXPECT_EQ(*bytes, "still here");
  EXPECT_EQ(*stream.Read(), "");
  EXPECT_TRUE(Eventually([&] { return server.open() == 1; }));
}

TEST_F(HttpTransportTest, ARequestThatGoAwayLeavesOutGoesOverAnotherConnection) {
  const scripted::Server server(executor_, [](const scripted::Request& request) {
    if (request.connection() == 1) return request.GoAway(true);
    request.Answer(200, std::to_string(request.connection()));
  });
  HttpTransport transport(network_, OptionsFor(server));
  const auto response = Get(transport, "/");
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->body, "2");
}

TEST_F(HttpTransportTest, BytesThatAreNotHttpEndTheConnectionWithAReason) {
  for (const bool http2 : {true, false}) {
    const scripted::Server server(
        executor_, [](const scripted::Request& request) { request.Garbage("garbage!garbage!"); },
        {.http2 = http2});
    HttpTransport transport(network_, OptionsFor(server));
    const auto response = Get(transport, "/");
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().code(), ErrorCode::kIo);
    EXPECT_THAT(response.error().message(), HasSubstr("broke"));
  }
}

TEST_F(HttpTransportTest, HalfABodyIsAnError) {
  const scripted::Server server(
      executor_,
      [](const scripted::Request& request) {
        request.Garbage("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
      },
      {.http2 = false});
  HttpTransport transport(network_, OptionsFor(server));
  const auto response = Get(transport, "/");
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code(), ErrorCode::kIo);
}

TEST_F(HttpTransportTest, ABodyWithoutALengthLastsUntilTheServerCloses) {
  const scripted::Server server(
      executor_,
      [](const scripted::Request& request) { request.Garbage("HTTP/1.1 200 OK\r\n\r\nall"); },
      {.http2 = false});
  HttpTransport transport(network_, OptionsFor(server));
  const auto response = Get(transport, "/");
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->body, "all");
}

TEST_F(HttpTransportTest, AServerThatIsNotWhoItSaysIsNotTalkedTo) {
  const scripted::Server server(executor_, Echo, {.names = "DNS:elsewhere.example"});
  HttpTransport::Options options = OptionsFor(server);
  HttpTransport transport(network_, options);
  const auto response = Get(transport, "/");
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code(), ErrorCode::kUnauthorized);
  EXPECT_THAT(response.error().message(), HasSubstr("mismatch"));

  options.tls = [roots = server.authority().certificate()] {
    return TlsOptions{.roots = roots, .server_name = "elsewhere.example"};
  };
  HttpTransport by_name(network_, options);
  EXPECT_TRUE(Get(by_name, "/").has_value());

  options.tls = [] { return TlsOptions{.skip_server_check = true}; };
  HttpTransport careless(network_, options);
  EXPECT_TRUE(Get(careless, "/").has_value());
}

TEST_F(HttpTransportTest, AnAuthorityThatWeDoNotKnowIsNotTrusted) {
  const scripted::Server server(executor_, Echo);
  HttpTransport::Options options = OptionsFor(server);
  options.tls = [roots = scripted::Authority().certificate()] {
    return TlsOptions{.roots = roots};
  };
  HttpTransport transport(network_, options);
  const auto response = Get(transport, "/");
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code(), ErrorCode::kUnauthorized);
}

TEST_F(HttpTransportTest, ShowsItsCertificateAndARenewedOneOnNewConnections) {
  const scripted::Server server(
      executor_, [](const scripted::Request& request) { request.Answer(200, request.client()); },
      {.wants_client_certificate = true});
  std::atomic<int> asked = 0;
  HttpTransport::Options options = OptionsFor(server);
  options.tls = [&] {
    const auto mine = server.authority().Issue("client-" + std::to_string(++asked));
    return TlsOptions{.roots = server.authority().certificate(),
                      .certificate = mine.certificate,
                      .key = mine.key};
  };
  HttpTransport transport(network_, options);
  EXPECT_EQ(Get(transport, "/").value_or(Response()).body, "client-1");
  EXPECT_EQ(Get(transport, "/").value_or(Response()).body, "client-1");
  transport.Renew();
  EXPECT_EQ(Get(transport, "/").value_or(Response()).body, "client-2");
  EXPECT_TRUE(Eventually([&] { return server.open() == 1; }));
}

TEST_F(HttpTransportTest, AnUnreachableServerIsNamed) {
  HttpTransport::Options options;
  {
    const scripted::Server gone(executor_, Echo);
    options = OptionsFor(gone);
  }
  HttpTransport transport(network_, options);
  const auto response = Get(transport, "/");
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(response.error().message(),
            "connect to " + options.server.Authority() + ": Connection refused");
}

TEST_F(HttpTransportTest, APeerThatFallsSilentIsFoundOutByAPing) {
  const scripted::Server server(executor_, [](const scripted::Request& request) {
    request.Head(200);
    request.Data("event");
    if (request.connection() == 1) request.Freeze();
  });
  HttpTransport::Options options = OptionsFor(server);
  options.ping_after = 200ms;
  options.ping_timeout = 500ms;
  HttpTransport transport(network_, options);
  ResponseStream watch(transport, clock_, {.target = "/watch"});
  for (;;) {
    const auto bytes = watch.Read();
    if (bytes && !bytes->empty()) continue;
    ASSERT_FALSE(bytes.has_value());
    EXPECT_EQ(bytes.error().code(), ErrorCode::kIo);
    EXPECT_THAT(bytes.error().message(), HasSubstr("no answer to a ping"));
    break;
  }
  ResponseStream again(transport, clock_, {.target = "/watch"});
  EXPECT_EQ(again.Read().value_or(""), "event");
}

TEST_F(HttpTransportTest, ASilentPeerThatAnswersPingsStays) {
  const scripted::Server server(executor_,
                                [](const scripted::Request& request) { request.Head(200); });
  HttpTransport::Options options = OptionsFor(server);
  options.ping_after = 20ms;
  options.ping_timeout = 1s;
  HttpTransport transport(network_, options);
  ResponseStream watch(transport, clock_, {.target = "/watch"});
  ASSERT_TRUE(watch.Head().has_value());
  clock_.SleepFor(1200ms);  // lint: allow sleep: longer than a ping may take
  EXPECT_EQ(server.open(), 1);
}

TEST_F(HttpTransportTest, AnIdleConnectionIsClosedAfterAWhile) {
  const scripted::Server server(executor_, Echo);
  HttpTransport::Options options = OptionsFor(server);
  options.ping_after = 20ms;
  options.ping_timeout = 20ms;
  options.idle_timeout = 60ms;
  HttpTransport transport(network_, options);
  ASSERT_TRUE(Get(transport, "/").has_value());
  EXPECT_TRUE(Eventually([&] { return server.open() == 0 && transport.connections() == 0; }));
  EXPECT_TRUE(Get(transport, "/").has_value());
}

TEST_F(HttpTransportTest, BatchedReadsWaitAndHoldUpNoOtherRequest) {
  std::optional<scripted::Request> watched;  // on the server's thread
  const scripted::Server server(executor_, [&](const scripted::Request& request) {
    if (request.target() == "/watch") {
      watched = request;
      request.Head(200);
    } else {
      watched->Data(request.target());
      Echo(request);
    }
  });
  HttpTransport::Options options = OptionsFor(server);
  options.batching_pause = 1s;
  options.batch_interval = 1h;
  HttpTransport transport(network_, options);
  ResponseStream watch(transport, clock_, {.target = "/watch", .allow_batching = true});
  ASSERT_TRUE(watch.Head().has_value());

  // At first it is as quick as any.
  ASSERT_TRUE(Get(transport, "/one").has_value());
  EXPECT_EQ(watch.Read().value_or(""), "/one");
  EXPECT_EQ(transport.connections(), 2);

  // Then it reads what is there, and rests.
  clock_.SleepFor(1500ms);  // lint: allow sleep: longer than its hurry
  ASSERT_TRUE(Get(transport, "/two").has_value());
  EXPECT_EQ(watch.Read().value_or(""), "/two");
  ASSERT_TRUE(Get(transport, "/three").has_value());
  EXPECT_EQ(watch.TryRead(), std::nullopt);

  // Until somebody else comes who cannot wait.
  const ResponseStream other(transport, clock_, {.target = "/watch", .allow_batching = true});
  EXPECT_EQ(watch.Read().value_or(""), "/three");
}

TEST_F(HttpTransportTest, AHundredWatchesEndWithAnErrorWhenTheirConnectionDiesAndNoneLeaks) {
  scripted::Server server(executor_, [](const scripted::Request& request) { request.Head(200); });
  HttpTransport transport(network_, OptionsFor(server));
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  constexpr int kRounds = 1000;
  constexpr int kSettled = 100;
  std::ptrdiff_t files = 0;
  std::size_t heap = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::unique_ptr<ResponseStream>> watches;
    for (int i = 0; i < 100; ++i) {
      watches.push_back(
          std::make_unique<ResponseStream>(transport, clock_, Request{.target = "/watch"}));
    }
    for (auto& watch : watches) ASSERT_TRUE(watch->Head().has_value());
    ASSERT_EQ(server.accepted(), round + 1);
    if (round == kSettled) {
      files = open_files();
      heap = mallinfo2().uordblks;
    } else if (round == kRounds - 1) {
      EXPECT_EQ(open_files(), files);
      EXPECT_LT(mallinfo2().uordblks, heap + (256 << 10));
    }
    server.KillAll();
    for (auto& watch : watches) {
      const auto bytes = watch->Read();
      ASSERT_FALSE(bytes.has_value());
      ASSERT_EQ(bytes.error().code(), ErrorCode::kIo);
    }
    ASSERT_TRUE(Eventually([&] { return server.open() == 0 && transport.connections() == 0; }));
  }
}

TEST_F(HttpTransportTest, ClosingTheClientEndsWhatIsUnderWay) {
  const scripted::Server server(executor_, [](const scripted::Request&) {});
  auto transport = std::make_unique<HttpTransport>(network_, OptionsFor(server));
  PendingResponse pending(*transport, clock_, {.target = "/"});
  transport.reset();
  const auto response = pending.Wait();
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().code(), ErrorCode::kCancelled);
}

}  // namespace
}  // namespace flyball::transport
