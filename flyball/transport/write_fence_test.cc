#include "flyball/transport/write_fence.h"

#include <atomic>
#include <optional>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/http_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scripted/eventually.h"
#include "tests/scripted/server.h"

namespace flyball::transport {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class TestFence final : public WriteFence {
 public:
  TestFence(const Clock& clock, std::chrono::nanoseconds open_for)
      : clock_(clock), until_(clock.SteadyNow() + open_for) {}

  std::chrono::nanoseconds Left() const override { return until_.load() - clock_.SteadyNow(); }
  std::string WhyClosed() const override { return "closed by the test"; }
  void Close() { until_ = clock_.SteadyNow(); }

 private:
  const Clock& clock_;
  std::atomic<SteadyTime> until_;
};

class WriteFenceTest : public testing::Test {
 protected:
  std::unique_ptr<HttpTransport> TransportTo(const scripted::Server& server) {
    HttpTransport::Options options;
    options.server = *Url::Parse(server.url());
    options.tls = [roots = server.authority().certificate()] { return TlsOptions{.roots = roots}; };
    return std::make_unique<HttpTransport>(network_, std::move(options));
  }

  static Request Post(std::shared_ptr<const WriteFence> fence, std::string body = "{}") {
    return {.method = "POST",
            .target = "/post",
            .body = std::move(body),
            .timeout = 10s,
            .fence = std::move(fence)};
  }
  std::shared_ptr<TestFence> OpenFor(std::chrono::nanoseconds time) {
    return std::make_shared<TestFence>(clock_, time);
  }

  template <typename Condition>
  bool Eventually(Condition condition) {
    return scripted::Eventually(clock_, condition);
  }

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  Network network_{executor_};
};

std::string Describe(const Result<Response>& response) {
  return response ? std::to_string(response->status) : response.error().Describe();
}

TEST_F(WriteFenceTest, OpenFenceLetsARequestPassAndAClosedOneDoesNot) {
  for (const bool http2 : {true, false}) {
    std::atomic<int> posts = 0;
    const scripted::Server server(executor_,
                                  [&](const scripted::Request& request) {
                                    if (request.method() == "POST") ++posts;
                                    request.Answer(200, request.body());
                                  },
                                  {.http2 = http2});
    const auto transport = TransportTo(server);
    EXPECT_EQ(Describe(Fetch(*transport, clock_, Post(OpenFor(10s)))), "200");
    EXPECT_EQ(Describe(Fetch(*transport, clock_, Post(OpenFor(0s)))),
              "unavailable: request not sent: closed by the test");
    EXPECT_EQ(Describe(Fetch(*transport, clock_, {.target = "/get", .timeout = 10s})), "200");
    // The connection is none the worse for it.
    EXPECT_EQ(Describe(Fetch(*transport, clock_, Post(OpenFor(10s), "more"))), "200");
    EXPECT_EQ(posts, 2);
    EXPECT_EQ(server.accepted(), 1);
  }
}

TEST_F(WriteFenceTest, QueuedRequestIsNotSentAfterTheFenceHasClosed) {
  for (const bool http2 : {true, false}) {
    std::vector<scripted::Request> held;  // the server's thread only
    std::atomic<int> arrived = 0;
    std::vector<std::string> methods;
    const scripted::Server server(executor_,
                                  [&](const scripted::Request& request) {
                                    methods.push_back(request.method());
                                    if (methods.size() == 1) {
                                      held.push_back(request);
                                    } else {
                                      request.Answer(200, "");
                                    }
                                    ++arrived;
                                  },
                                  {.http2 = http2, .max_streams = 1});
    HttpTransport::Options options;
    options.server = *Url::Parse(server.url());
    options.tls = [roots = server.authority().certificate()] { return TlsOptions{.roots = roots}; };
    options.max_http1_connections = 1;
    HttpTransport transport(network_, std::move(options));
    PendingResponse first(transport, clock_, {.target = "/first", .timeout = 10s});
    ASSERT_TRUE(Eventually([&] { return arrived == 1; }));
    const auto fence = OpenFor(10s);
    std::vector<PendingResponse> waiting;
    if (!http2) waiting.emplace_back(transport, clock_, Post(fence));
    waiting.emplace_back(transport, clock_, Request{.target = "/get", .timeout = 10s});
    if (http2) {
      // It makes another connection for what does not fit: let that one be used up first.
      ASSERT_TRUE(Eventually([&] { return arrived == 2; }));
      fence->Close();
      waiting.insert(waiting.begin(), PendingResponse(transport, clock_, Post(fence)));
    } else {
      fence->Close();
      held.front().Answer(200, "");
    }
    EXPECT_EQ(Describe(waiting[0].Wait()), "unavailable: request not sent: closed by the test");
    EXPECT_EQ(Describe(waiting[1].Wait()), "200");
    EXPECT_EQ(methods, (std::vector<std::string>{"GET", "GET"}));
  }
}

/// A request whose head alone is as large as a head may be: 100 of them fill a socket that nobody
/// reads from.
Request Large(Request request) {
  for (int i = 0; i < 6; ++i) {
    request.headers.emplace_back("x-" + std::to_string(i), std::string(9000, 'x'));
  }
  return request;
}

class StalledConnection : public WriteFenceTest {
 protected:
  /// Over one connection, from which the server has ceased to read.
  void Stall() {
    ASSERT_EQ(Describe(Fetch(*transport_, clock_, {.target = "/", .timeout = 10s})), "200");
    unanswered_.emplace(*transport_, clock_, Request{.target = "/freeze", .timeout = 20s});
    ASSERT_TRUE(Eventually([&] { return frozen_.load(); }));
  }

  std::atomic<bool> frozen_ = false;
  std::atomic<int> posts_ = 0;
  scripted::Server server_{executor_, [this](const scripted::Request& request) {
                             if (request.method() == "POST") ++posts_;
                             if (request.target() == "/freeze") {
                               request.Freeze();
                               frozen_ = true;
                             } else {
                               request.Answer(200, "");
                             }
                           }};
  std::unique_ptr<HttpTransport> transport_ = TransportTo(server_);
  std::optional<PendingResponse> unanswered_;
};

TEST_F(StalledConnection, WhatWaitsBehindOthersIsNotSentOverAnotherConnectionEither) {
  ASSERT_NO_FATAL_FAILURE(Stall());
  std::vector<PendingResponse> before;
  for (int i = 0; i < 90; ++i) {
    before.emplace_back(*transport_, clock_, Large({.target = "/get", .timeout = 20s}));
  }
  const auto fence = OpenFor(20s);
  PendingResponse post(*transport_, clock_, Post(fence));
  clock_.SleepFor(100ms);  // the socket is full by now
  fence->Close();
  server_.KillAll();
  EXPECT_EQ(Describe(post.Wait()), "unavailable: request not sent: closed by the test");
  EXPECT_EQ(posts_, 0);
}

TEST_F(StalledConnection, IsResetIfTheFenceClosesInTheMiddleOfAWrite) {
  ASSERT_NO_FATAL_FAILURE(Stall());
  const auto fence = OpenFor(300ms);
  std::vector<PendingResponse> posts;
  for (int i = 0; i < 90; ++i) posts.emplace_back(*transport_, clock_, Large(Post(fence)));
  int broken = 0;
  int not_sent = 0;
  for (auto& post : posts) {
    const std::string how = Describe(post.Wait());
    if (how == "unavailable: request not sent: closed by the test") {
      ++not_sent;
    } else {
      EXPECT_THAT(how, HasSubstr("broke: its fence closed in a write"));
      ++broken;
    }
  }
  EXPECT_GT(broken, 0);
  EXPECT_GT(not_sent, 0);
  EXPECT_EQ(posts_, 0);  // nor does any arrive over the connection that takes its place
}

}  // namespace
}  // namespace flyball::transport
