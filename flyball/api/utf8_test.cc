#include "flyball/api/utf8.h"

#include <string>

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

TEST(Utf8, AcceptsEveryLengthOfCharacterAtEveryOffset) {
  for (const char* text : {"", "a", "\u00e4", "\u20ac", "\U0001f600", "\u0080", "\u07ff", "\u0800",
                           "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"}) {
    for (std::size_t offset = 0; offset < 20; ++offset) {
      EXPECT_TRUE(IsValidUtf8(std::string(offset, 'x') + text + "yyyyyyyyyy"));
      EXPECT_TRUE(IsValidUtf8(std::string(offset, 'x') + text));
    }
  }
  EXPECT_TRUE(IsValidUtf8(std::string(3, '\0')));
}

TEST(Utf8, RefusesMalformedBytesAtEveryOffset) {
  for (const char* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3x", "\xe0\x9f\xbf", "\xe2\x82",
        "\xe2\x82x", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98",
        "\xf0\x9f\x98x", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    for (std::size_t offset = 0; offset < 20; ++offset) {
      EXPECT_FALSE(IsValidUtf8(std::string(offset, 'x') + text));
      EXPECT_FALSE(IsValidUtf8(std::string(offset, 'x') + text + "yyyyyyyyyy"));
    }
  }
}

TEST(Utf8, ShowsBytesThatAreNoCharacterAsOne) {
  EXPECT_EQ(ToValidUtf8("plain"), "plain");
  EXPECT_EQ(ToValidUtf8("gr\u00fc\u00df"), "gr\u00fc\u00df");
  EXPECT_EQ(ToValidUtf8("a\xff\xc3z"), "a\uFFFD\uFFFDz");
  EXPECT_EQ(ToValidUtf8("\xe2\x82"), "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace flyball::api
