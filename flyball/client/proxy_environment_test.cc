#include "flyball/client/proxy_environment.h"

#include <map>

#include "gtest/gtest.h"

namespace flyball::client {
namespace {

using transport::Url;

Environment With(std::map<std::string, std::string> variables) {
  Environment environment;
  environment.variable = [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
  return environment;
}

/// "host:port" of the proxy, "direct", or what is wrong.
std::string Proxy(const Environment& environment, const std::string& server) {
  const auto proxy = ProxyFromEnvironment(environment, *Url::Parse(server));
  if (!proxy) return proxy.error().Describe();
  return *proxy ? (*proxy)->scheme + "://" + (*proxy)->Authority() : "direct";
}

TEST(ProxyFromEnvironment, IsTheOneForTheServersScheme) {
  const Environment both =
      With({{"HTTPS_PROXY", "http://secure:3128"}, {"HTTP_PROXY", "http://plain:3128"}});
  EXPECT_EQ(Proxy(both, "https://example.com:6443"), "http://secure:3128");
  EXPECT_EQ(Proxy(both, "http://example.com:8080"), "http://plain:3128");
  EXPECT_EQ(Proxy(With({{"HTTP_PROXY", "http://plain"}}), "https://example.com"), "direct");
  EXPECT_EQ(Proxy(With({}), "https://example.com"), "direct");
}

TEST(ProxyFromEnvironment, CountsForMoreInLowerCase) {
  EXPECT_EQ(Proxy(With({{"https_proxy", "http://lower"}, {"HTTPS_PROXY", "http://upper"}}),
                  "https://example.com"),
            "http://lower:80");
  EXPECT_EQ(
      Proxy(With({{"https_proxy", "http://p"}, {"no_proxy", "a"}, {"NO_PROXY", "b"}}), "https://b"),
      "http://p:80");
}

TEST(ProxyFromEnvironment, MayBeOfAnyKindAndWithoutAScheme) {
  const std::pair<std::string, std::string> cases[] = {
      {"proxy", "http://proxy:80"},
      {"proxy:3128", "http://proxy:3128"},
      {"10.0.0.1:3128", "http://10.0.0.1:3128"},
      {"https://proxy", "https://proxy:443"},
      {"socks5://user:secret@proxy", "socks5://proxy:1080"},
      {"socks5h://proxy/", "socks5h://proxy:1080"},
      {"http://user:secret@:3128", "malformed: HTTPS_PROXY: invalid URL: missing host"},
      {"ftp://user:secret@proxy",
       "unsupported: HTTPS_PROXY: invalid URL: scheme 'ftp' is not supported"},
  };
  for (const auto& [text, proxy] : cases) {
    EXPECT_EQ(Proxy(With({{"HTTPS_PROXY", text}}), "https://example.com"), proxy) << text;
  }
}

struct Exemption {
  std::string no_proxy;
  std::string host;
  bool exempt;
};

TEST(ProxyFromEnvironment, LeavesAloneWhatNoProxyNames) {
  const Exemption cases[] = {
      {"", "example.com", false},
      {"*", "example.com", true},
      {"other.com, *", "10.0.0.1", true},
      {"example.com", "example.com", true},
      {"example.com", "EXAMPLE.com", true},
      {"Example.COM ", "example.com", true},
      {"example.com", "api.example.com", true},
      {"example.com", "notexample.com", false},
      {".example.com", "api.example.com", true},
      {".example.com", "example.com", false},
      {"*.example.com", "api.example.com", true},
      {"*.example.com", "example.com", false},
      {"*example.com", "api.example.com", false},
      {"com", "example.com", true},
      {"example.com:6443", "example.com:6443", true},
      {"example.com:6443", "example.com:443", false},
      {"example.com:443", "example.com", true},
      {"example.com:", "example.com:6443", true},
      {":6443", "example.com:6443", false},
      {" , ,example.com,", "example.com", true},
      {"10.0.0.1", "10.0.0.1", true},
      {"10.0.0.1", "10.0.0.11", false},
      {"10.0.0.1:6443", "10.0.0.1:6443", true},
      {"10.0.0.1:6443", "10.0.0.1", false},
      {"0.0.1", "10.0.0.1", false},
      {"10.0.0.0/8", "10.1.2.3:6443", true},
      {"10.1.2.3/8", "10.9.9.9", true},
      {"10.0.0.0/8", "11.0.0.1", false},
      {"10.0.0.0/8", "10.example.com", false},
      {"10.0.0.0/33", "10.0.0.1", false},
      {"10.0.0.0/31", "10.0.0.1", true},
      {"10.0.0.0/31", "10.0.0.2", false},
      {"0.0.0.0/0", "10.0.0.1", true},
      {"0.0.0.0/0", "[fd00::1]", false},
      {"::/0", "10.0.0.1", false},
      {"::/0", "[fd00::1]", true},
      {"fd00::/8", "[fd12::1]:6443", true},
      {"fd00::/8", "[fe80::1]", false},
      {"fd00::1", "[fd00::1]", true},
      {"fd00::1", "[fd00:0:0::1]", true},
      {"[fd00::1]:6443", "[fd00::1]:6443", true},
      {"[fd00::1]:6443", "[fd00::1]", false},
      {"[fd00::1]", "[fd00::1]", false},  // as upstream, which takes this for a name
      {"::ffff:10.0.0.1", "10.0.0.1", true},
  };
  for (const Exemption& one : cases) {
    const Environment environment =
        With({{"HTTPS_PROXY", "http://proxy"}, {"NO_PROXY", one.no_proxy}});
    EXPECT_EQ(Proxy(environment, "https://" + one.host), one.exempt ? "direct" : "http://proxy:80")
        << one.no_proxy << " and " << one.host;
  }
}

TEST(ProxyFromEnvironment, IsNeverForThisMachine) {
  const Environment environment = With({{"HTTPS_PROXY", "http://proxy"}});
  for (const char* host :
       {"localhost:6443", "127.0.0.1:6443", "127.9.9.9", "[::1]:6443", "[::ffff:127.0.0.1]"}) {
    EXPECT_EQ(Proxy(environment, "https://" + std::string(host)), "direct") << host;
  }
  EXPECT_EQ(Proxy(environment, "https://localhost.example.com"), "http://proxy:80");
}

TEST(ProxyFromEnvironment, FindsRangesInEitherVariable) {
  const Environment environment = With(
      {{"https_proxy", "http://proxy"}, {"no_proxy", "a.com"}, {"NO_PROXY", "10.0.0.0/8,b.com"}});
  EXPECT_EQ(Proxy(environment, "https://10.0.0.1"), "direct");
  EXPECT_EQ(Proxy(environment, "https://b.com"), "http://proxy:80");
}

}  // namespace
}  // namespace flyball::client
