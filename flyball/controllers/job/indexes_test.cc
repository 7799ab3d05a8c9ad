#include "flyball/controllers/job/indexes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::controllers::job {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Read(std::string_view text, std::int64_t count = 100) {
  return Indexes::Parse(text, count).ToString();
}

TEST(Indexes, AreWrittenInAsFewWordsAsThereAreGaps) {
  EXPECT_EQ(Indexes().ToString(), "");
  EXPECT_EQ(Indexes({7}).ToString(), "7");
  EXPECT_EQ(Indexes({3, 4}).ToString(), "3,4");
  EXPECT_EQ(Indexes({3, 4, 5}).ToString(), "3-5");
  EXPECT_EQ(Indexes({0, 2, 3, 4, 9, 10, 12}).ToString(), "0,2-4,9,10,12");
}

TEST(Indexes, AreReadBackAsTheyWereWritten) {
  for (const char* const text : {"", "0", "0,1", "0-2", "1,3-5,7,8,10-99"}) {
    EXPECT_EQ(Read(text), text);
  }
  EXPECT_EQ(Read("0,1,2,3"), "0-3");
}

TEST(Indexes, ThoseThatAJobHasNotAreLeftOut) {
  EXPECT_EQ(Read("0-9", 5), "0-4");
  EXPECT_EQ(Read("0,5-9", 5), "0");
  EXPECT_EQ(Read("3-4", 4), "3");
  EXPECT_EQ(Read("0-9", 0), "");
}

TEST(Indexes, WhatMakesNoSenseIsLeftOut) {
  EXPECT_EQ(Read("a,1"), "1");
  EXPECT_EQ(Read("1-b,2"), "2");
  EXPECT_EQ(Read(",,4,"), "4");
  EXPECT_EQ(Read("-1,6"), "6");
  EXPECT_EQ(Read("5-3,8"), "8");
  EXPECT_EQ(Read("99999999999999999999,2"), "2");
  EXPECT_EQ(Read("1-2-9"), "1,2");
  EXPECT_EQ(Read("+3,+-4"), "3");
  EXPECT_EQ(Read("5,1-2,6"), "1,2,5,6");
}

TEST(Indexes, CanBePutTogether) {
  EXPECT_EQ(Indexes({1, 2}).With(Indexes({3, 7})).ToString(), "1-3,7");
  EXPECT_EQ(Indexes::Parse("0-5,9", 20).With(Indexes::Parse("2-3,7-12", 20)).ToString(),
            "0-5,7-12");
  EXPECT_EQ(Indexes().With(Indexes({4})), Indexes({4}));
  EXPECT_EQ(Indexes({4}).With(Indexes()), Indexes({4}));
}

TEST(Indexes, AreCountedAndFound) {
  const Indexes some = Indexes::Parse("0,2-4,9", 20);
  EXPECT_EQ(some.total(), 5);
  EXPECT_EQ(Indexes().total(), 0);
  for (const int in : {0, 2, 3, 4, 9}) EXPECT_TRUE(some.Has(in)) << in;
  for (const int out : {1, 5, 8, 10}) EXPECT_FALSE(some.Has(out)) << out;
  EXPECT_EQ(some.InCommonWith(Indexes::Parse("3-9", 20)), 3);
  EXPECT_EQ(some.InCommonWith(some), 5);
  EXPECT_EQ(some.InCommonWith(Indexes({1, 5})), 0);
}

TEST(Indexes, TheFirstOnesThatAreMissing) {
  const Indexes some = Indexes::Parse("0,2-4,9", 20);
  EXPECT_THAT(some.FirstMissing(3, 20), ElementsAre(1, 5, 6));
  EXPECT_THAT(some.FirstMissing(100, 11), ElementsAre(1, 5, 6, 7, 8, 10));
  EXPECT_THAT(some.FirstMissing(0, 20), IsEmpty());
  EXPECT_THAT(some.FirstMissing(5, 1), IsEmpty());
  EXPECT_THAT(Indexes().FirstMissing(2, 5), ElementsAre(0, 1));
}

}  // namespace
}  // namespace flyball::controllers::job
