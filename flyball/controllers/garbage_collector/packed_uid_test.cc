#include "flyball/controllers/garbage_collector/packed_uid.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace flyball::controllers::garbage_collector {
namespace {

TEST(PackedUid, AServersUidsComeBackAsTheyWere) {
  for (const char* const text :
       {"01234567-89ab-cdef-0123-456789abcdef", "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff", "d3adbeef-0042-4a0c-9b1e-7f00ff00aa55"}) {
    EXPECT_EQ(PackedUid::Of(text).ToString(), text);
  }
  EXPECT_EQ(PackedUid::Of("01234567-89ab-cdef-0123-456789abcdef"),
            (PackedUid{0x0123456789abcdefULL, 0x0123456789abcdefULL}));
}

TEST(PackedUid, WhatIsWrittenInAnyOtherWayIsAnotherUid) {
  std::set<PackedUid> uids;
  for (const char* const text :
       {"01234567-89ab-cdef-0123-456789abcdef", "01234567-89AB-cdef-0123-456789abcdef",
        "0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdeg",
        "01234567x89ab-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcdef0", "", "a",
        "b", "not-a-uid"}) {
    EXPECT_TRUE(uids.insert(PackedUid::Of(text)).second) << text;
  }
}

}  // namespace
}  // namespace flyball::controllers::garbage_collector
