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
      {"example.com", "not a URL: no scheme, such as https://"},
      {"ftp://example.com", "not a URL: scheme 'ftp'"},
      {"https://", "not a URL: no host"},
      {"https://me:secret@", "not a URL: no host"},
      {"https://host:port", "not a URL: no port behind the ':'"},
      {"https://me:secret", "not a URL: no port behind the ':'"},
      {"https://host:0", "not a URL: no port behind the ':'"},
      {"https://host:65536", "not a URL: no port behind the ':'"},
      {"https://[::1", "not a URL: '[' without ']'"},
      {"https://[::1]x", "not a URL: text behind ']'"},
      {"https://a b", "not a URL: a character that hosts do not have"},
      {"https://%zz@host", "not a URL: a bad %-escape"},
      {"https://host/?x", "not a URL: a query or fragment where there can be none"},
  };
  for (const auto& [text, wanted] : cases) {
    const auto url = Url::Parse(text);
    ASSERT_FALSE(url.has_value()) << text;
    EXPECT_EQ(url.error().message(), wanted) << text;
  }
}

}  // namespace
}  // namespace flyball::transport
