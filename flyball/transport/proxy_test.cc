#include "tests/scripted/proxy.h"

#include "flyball/transport/fetch.h"
#include "flyball/transport/http_transport.h"
#include "gtest/gtest.h"
#include "tests/scripted/server.h"

namespace flyball::transport {
namespace {

using namespace std::chrono_literals;

class ProxyTest : public testing::Test {
 protected:
  Result<Response> GetThrough(const std::string& proxy_url) {
    HttpTransport::Options options;
    options.server = *Url::Parse(server_.url());
    options.proxy = *Url::Parse(proxy_url);
    options.tls = [this] { return TlsOptions{.roots = server_.authority().certificate()}; };
    HttpTransport transport(network_, options);
    return Fetch(transport, clock_, {.target = "/", .timeout = 5s});
  }

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  Network network_{executor_};
  scripted::Server server_{executor_, [](const scripted::Request& r) { r.Answer(200, "there"); }};
};

TEST_F(ProxyTest, AHttpProxyIsAskedForATunnel) {
  for (const auto& options :
       {scripted::ProxyOptions{}, scripted::ProxyOptions{.user = "u", .password = "p"}}) {
    const scripted::Proxy proxy(executor_, options);
    const auto response = GetThrough(proxy.url());
    ASSERT_TRUE(response.has_value()) << response.error().Describe();
    EXPECT_EQ(response->body, "there");
    EXPECT_EQ(proxy.tunnels(), 1);
    EXPECT_EQ(proxy.target(), "127.0.0.1:" + std::to_string(server_.port()));
  }
}

TEST_F(ProxyTest, ASocksProxyIsAskedForATunnel) {
  for (const auto& options :
       {scripted::ProxyOptions{.socks = true},
        scripted::ProxyOptions{.socks = true, .user = "u", .password = "p"}}) {
    const scripted::Proxy proxy(executor_, options);
    const auto response = GetThrough(proxy.url());
    ASSERT_TRUE(response.has_value()) << response.error().Describe();
    EXPECT_EQ(proxy.tunnels(), 1);
  }
}

TEST_F(ProxyTest, WhatAProxyRefusesIsSaidWithItsNameAndWithoutThePassword) {
  const scripted::Proxy http(executor_, {.refuses = true});
  const scripted::Proxy socks(executor_, {.socks = true, .refuses = true});
  const scripted::Proxy wants_login(executor_, {.user = "u", .password = "p"});
  const scripted::Proxy wants_other(executor_, {.socks = true, .user = "u", .password = "p"});
  const auto without_login = [](const scripted::Proxy& proxy) {
    const std::string url = proxy.url();
    return url.substr(0, url.find("//") + 2) + url.substr(url.find('@') + 1);
  };
  const std::tuple<std::string, std::string> cases[] = {
      {http.url(), "answered CONNECT with status 403"},
      {socks.url(), "not allowed"},
      {without_login(wants_login), "answered CONNECT with status 407"},
      {without_login(wants_other), "requires an unsupported authentication method"},
  };
  for (const auto& [url, reason] : cases) {
    const auto response = GetThrough(url);
    ASSERT_FALSE(response.has_value()) << url;
    EXPECT_EQ(response.error().code(), ErrorCode::kUnavailable);
    EXPECT_EQ(response.error().message(), "proxy " + Url::Parse(url)->Authority() + ": " + reason);
  }
}

}  // namespace
}  // namespace flyball::transport
