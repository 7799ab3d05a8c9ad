#include "flyball/api/base64.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

TEST(Base64, EncodesWithPadding) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("a"), "YQ==");
  EXPECT_EQ(EncodeBase64("ab"), "YWI=");
  EXPECT_EQ(EncodeBase64("abc"), "YWJj");
  EXPECT_EQ(EncodeBase64("\xff\xfe\xfd\xfc"), "//79/A==");
}

TEST(Base64, ReadsBackEveryLength) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, HasAFormForUrls) {
  EXPECT_EQ(EncodeBase64Url("\xff\xfe\xfd\xfc"), "__79_A");
  EXPECT_EQ(DecodeBase64Url("__79_A"), "\xff\xfe\xfd\xfc");
  EXPECT_EQ(DecodeBase64Url("YWJj"), "abc");
  for (const char* text : {"//79/A", "YQ==", "YQ+", "Y", "Y Q"}) {
    EXPECT_FALSE(DecodeBase64Url(text).has_value()) << text;
  }
}

TEST(Base64, SkipsLineEndsAnywhere) {
  EXPECT_EQ(DecodeBase64("\r\nY\nW\rJ\nj\n"), "abc");
  EXPECT_EQ(DecodeBase64("YQ\n=\r=\n"), "a");
  EXPECT_EQ(DecodeBase64("\n\n"), "");
}

TEST(Base64, IgnoresLeftOverBits) { EXPECT_EQ(DecodeBase64("YR=="), "a"); }

TEST(Base64, RefusesBadPaddingAndForeignCharacters) {
  for (const char* text : {"Y", "YQ", "YQ=", "YWI", "YQ===", "YQ==YQ==", "=",
                           "Y===", "YWJj=", "YW J", "YW-_", "YQ==x", "YQ=x", "\xc3\xa4\xc3\xa4"}) {
    const Result<std::string> decoded = DecodeBase64(text);
    ASSERT_FALSE(decoded.has_value()) << text;
    EXPECT_EQ(decoded.error().code(), ErrorCode::kMalformed);
  }
}

}  // namespace
}  // namespace flyball::api
