#include "flyball/api/resource_version.h"

#include <gtest/gtest.h>

namespace flyball::api {
namespace {

TEST(ResourceVersion, ComparesAsNumbersOfAnyLength) {
  EXPECT_EQ(CompareResourceVersions("9", "10"), std::strong_ordering::less);
  EXPECT_EQ(CompareResourceVersions("10", "10"), std::strong_ordering::equal);
  EXPECT_EQ(CompareResourceVersions("0", "1"), std::strong_ordering::less);
  EXPECT_EQ(CompareResourceVersions("123456789012345678901234567890", "99999999999999999999"),
            std::strong_ordering::greater);
}

TEST(ResourceVersion, OfWhatIsNotANumberNothingIsKnown) {
  for (const char* text : {"", "abc", "1a", "-1", "+1", " 1", "01", "1.0"}) {
    EXPECT_EQ(CompareResourceVersions(text, "1"), std::nullopt) << text;
    EXPECT_EQ(CompareResourceVersions("1", text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace flyball::api
