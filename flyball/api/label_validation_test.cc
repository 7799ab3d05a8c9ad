#include "flyball/api/label_validation.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

TEST(QualifiedName, IsANameWithAnOptionalDnsPrefix) {
  for (const char* good : {"app", "App.Kubernetes_io-name", "a", "9", "example.com/name",
                           "example.com/Name_1.x", "in", "1-2/3"}) {
    EXPECT_TRUE(ValidateQualifiedName(good)) << good;
  }
  for (const char* bad : {"", "/", "/name", "example.com/", "a/b/c", "-a", "a-", ".a", "a_", "a b",
                          "Example.com/name", "a..b/name", "ex_ample/name", "na\xc3\xafve"}) {
    EXPECT_FALSE(ValidateQualifiedName(bad)) << bad;
  }
}

TEST(QualifiedName, LimitsNameAndPrefixSeparately) {
  const std::string prefix(253, 'p');
  EXPECT_TRUE(ValidateQualifiedName(prefix + "/" + std::string(63, 'n')));
  EXPECT_EQ(ValidateQualifiedName(std::string(64, 'n')).error(),
            Error(ErrorCode::kInvalid, "the name is 64 bytes long, the limit is 63"));
  EXPECT_EQ(ValidateQualifiedName(prefix + "p/n").error(),
            Error(ErrorCode::kInvalid,
                  "the prefix before '/': the DNS name is 254 bytes long, the limit is 253"));
}

TEST(LabelValue, MayBeEmptyAndIsOtherwiseAName) {
  for (const char* good : {"", "a", "A.b_c-9", "007"}) EXPECT_TRUE(ValidateLabelValue(good));
  for (const char* bad : {"-1", "a ", "a/b", ".", "caf\xc3\xa9", "a\n"}) {
    EXPECT_FALSE(ValidateLabelValue(bad)) << bad;
  }
  EXPECT_TRUE(ValidateLabelValue(std::string(63, 'v')));
  EXPECT_FALSE(ValidateLabelValue(std::string(64, 'v')));
}

TEST(Dns1123Label, TellsDotsFromOtherMistakes) {
  EXPECT_TRUE(ValidateDns1123Label("kube-system"));
  EXPECT_TRUE(ValidateDns1123Label(std::string(63, 'a')));
  EXPECT_EQ(ValidateDns1123Label("a.b").error().message(), "dots are not allowed here");
  for (const std::string& bad : {std::string(), std::string("A"), std::string("a-"),
                                 std::string("-a"), std::string("a_b"), std::string(64, 'a')}) {
    EXPECT_FALSE(ValidateDns1123Label(bad)) << bad;
  }
}

TEST(Dns1123Subdomain, LimitsTheWholeAndNotItsSegments) {
  EXPECT_TRUE(ValidateDns1123Subdomain("web-0.example.com"));
  EXPECT_TRUE(ValidateDns1123Subdomain(std::string(100, 'a') + ".b"));
  EXPECT_TRUE(ValidateDns1123Subdomain(std::string(253, 'a')));
  for (const std::string& bad :
       {std::string(), std::string("."), std::string("a."), std::string(".a"), std::string("a..b"),
        std::string("a.-b"), std::string("a.B"), std::string(254, 'a')}) {
    EXPECT_FALSE(ValidateDns1123Subdomain(bad)) << bad;
  }
}

TEST(QuoteForMessage, EscapesWhatWouldBreakALogLine) {
  EXPECT_EQ(QuoteForMessage("plain caf\xc3\xa9"), "\"plain caf\\xc3\\xa9\"");
  EXPECT_EQ(QuoteForMessage(std::string_view("a\n\"\\\0", 5)), "\"a\\x0a\\\"\\\\\\x00\"");
  EXPECT_EQ(QuoteForMessage(std::string(200, 'x')), "\"" + std::string(120, 'x') + "...\"");
}

}  // namespace
}  // namespace flyball::api
