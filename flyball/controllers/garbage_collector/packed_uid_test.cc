#include "flyball/controllers/garbage_collector/packed_uid.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace flyball::controllers::garbage_collector {
namespace {

TEST(PackedUid, AServersUidsComeBackAsTheyWere) {
  for (const char* const text :
       {"01234567-89ab-4def-8123-456789abcdef", "00000000-0000-4000-8000-000000000000",
        "ffffffff-ffff-4fff-bfff-ffffffffffff", "d3adbeef-0042-4a0c-9b1e-7f00ff00aa55"}) {
    EXPECT_EQ(PackedUid::Of(text).ToString(), text);
  }
  EXPECT_EQ(PackedUid::Of("01234567-89ab-4def-8123-456789abcdef"),
            (PackedUid{0x0123456789ab4defULL, 0x8123456789abcdefULL}));
}

TEST(PackedUid, WhatIsWrittenInAnyOtherWayIsAnotherUid) {
  std::set<PackedUid> uids;
  for (const char* const text :
       {"01234567-89ab-4def-8123-456789abcdef", "01234567-89AB-4def-8123-456789abcdef",
        "0123456789ab4def8123456789abcdef", "01234567-89ab-4def-8123-456789abcdeg",
        "01234567x89ab-4def-8123-456789abcdef", "01234567-89ab-4def-8123-456789abcdef0", "", "a",
        "b", "not-a-uid"}) {
    EXPECT_TRUE(uids.insert(PackedUid::Of(text)).second) << text;
  }
}

TEST(PackedUid, ATextThatIsNoUuidIsNeverOneOfAServersUids) {
  // Both lanes of an FNV-1a of the text have the bits of the UUID.
  EXPECT_NE(PackedUid::Of("forged-128"), PackedUid::Of("9f074a21-9c41-497c-9be3-e1b734c8b4f3"));

  for (int i = 0; i < 10'000; ++i) {
    EXPECT_FALSE(PackedUid::Of("text-" + std::to_string(i)).IsUuid());
  }
  const std::string uid = "d3adbeef-0042-4a0c-9b1e-7f00ff00aa55";
  EXPECT_TRUE(PackedUid::Of(uid).IsUuid());
  for (const std::string& other :
       {std::string("D3ADBEEF-0042-4A0C-9B1E-7F00FF00AA55"), "{" + uid + "}", "urn:uuid:" + uid,
        std::string("d3adbeef00424a0c9b1e7f00ff00aa55"), uid + " ", " " + uid,
        // No version that a server gives, or another variant.
        std::string("d3adbeef-0042-0a0c-9b1e-7f00ff00aa55"),
        std::string("d3adbeef-0042-4a0c-0b1e-7f00ff00aa55"),
        std::string("d3adbeef-0042-4a0c-fb1e-7f00ff00aa55")}) {
    EXPECT_NE(PackedUid::Of(other), PackedUid::Of(uid)) << other;
    EXPECT_FALSE(PackedUid::Of(other).IsUuid()) << other;
  }
}

TEST(PackedUid, ATextThatIsNoUuidIsTheSameUidEachTime) {
  EXPECT_EQ(PackedUid::Of("not-a-uid"), PackedUid::Of("not-a-uid"));
  EXPECT_EQ(std::hash<PackedUid>()(PackedUid::Of("not-a-uid")),
            std::hash<PackedUid>()(PackedUid::Of("not-a-uid")));
  EXPECT_TRUE(PackedUid::Of("not-a-uid").ToString().starts_with("hash:"));
}

}  // namespace
}  // namespace flyball::controllers::garbage_collector
