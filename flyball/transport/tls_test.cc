#include "flyball/transport/tls.h"

#include "gtest/gtest.h"
#include "tests/scripted/certificates.h"

namespace flyball::transport {
namespace {

std::string MessageOf(const TlsOptions& options) {
  const auto checked = CheckTlsOptions(options);
  return checked ? "" : checked.error().message();
}

TEST(TlsOptions, SayWhatIsWrongWithThem) {
  const scripted::Authority authority;
  const auto mine = authority.Issue("me");
  const auto other = authority.Issue("other");
  EXPECT_EQ(MessageOf({}), "");
  EXPECT_EQ(
      MessageOf(
          {.roots = authority.certificate(), .certificate = mine.certificate, .key = mine.key}),
      "");
  EXPECT_EQ(MessageOf({.certificate = mine.certificate, .key = other.key}),
            "client private key does not match the client certificate");
  EXPECT_EQ(MessageOf({.certificate = mine.certificate}), "client certificate has no private key");
  EXPECT_EQ(MessageOf({.key = mine.key}), "client private key has no certificate");
  EXPECT_TRUE(MessageOf({.certificate = mine.certificate, .key = "x"})
                  .starts_with("client private key is not valid PEM: "));
  EXPECT_TRUE(MessageOf({.certificate = "x", .key = mine.key})
                  .starts_with("client certificate is not valid PEM: "));
  EXPECT_TRUE(MessageOf({.roots = "x"}).starts_with("CA certificate is not valid PEM: "));
}

}  // namespace
}  // namespace flyball::transport
