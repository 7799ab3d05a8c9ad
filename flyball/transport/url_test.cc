#include "flyball/transport/url.h"

#include "gtest/gtest.h"

namespace flyball::transport {
namespace {

TEST(Url, IsTakenApart) {
  const auto url = Url::Parse("https://[fd00::1]:6443/prefix/");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(*url, (Url{"https", "", "", "fd00::1", 6443, "/prefix"}));
  EXPECT_EQ(url->Authority(), "[fd00::1]:6443");
}

TEST(Url, HasThePortOfItsSchemeIfItNamesNone) {
  EXPECT_EQ(Url::Parse("HTTPS://example.com")->port, 443);
  EXPECT_EQ(Url::Parse("http://example.com/")->port, 80);
  EXPECT_EQ(Url::Parse("socks5://example.com")->port, 1080);
}

TEST(Url, MayLeaveTheSchemeToTheCaller) {
  EXPECT_EQ(*Url::Parse("10.0.0.1:8080", "http"), (Url{"http", "", "", "10.0.0.1", 8080, ""}));
}

TEST(Url, OfAProxyHasAUserWithEscapes) {
  const auto url = Url::Parse("http://me%40home:p%3Aw@proxy:3128");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->user, "me@home");
  EXPECT_EQ(url->password, "p:w");
}

TEST(Url, SaysWhatIsWrongWithoutThePassword) {
  const std::pair<const char*, const char*> cases[] = {
      {"example.com", "invalid URL: missing scheme, for example https://"},
      {"ftp://example.com", "invalid URL: scheme 'ftp' is not supported"},
      {"https://", "invalid URL: missing host"},
      {"https://me:secret@", "invalid URL: missing host"},
      {"https://host:port", "invalid URL: invalid port after ':'"},
      {"https://me:secret", "invalid URL: invalid port after ':'"},
      {"https://host:0", "invalid URL: invalid port after ':'"},
      {"https://host:65536", "invalid URL: invalid port after ':'"},
      {"https://[::1", "invalid URL: missing ']' in host"},
      {"https://[::1]x", "invalid URL: unexpected text after ']'"},
      {"https://a b", "invalid URL: invalid character in host name"},
      {"https://%zz@host", "invalid URL: invalid URL escape"},
      {"https://host/?x", "invalid URL: query and fragment are not allowed"},
  };
  for (const auto& [text, wanted] : cases) {
    const auto url = Url::Parse(text);
    ASSERT_FALSE(url.has_value()) << text;
    EXPECT_EQ(url.error().message(), wanted) << text;
  }
}

}  // namespace
}  // namespace flyball::transport
