#include "flyball/controllers/endpoint_slice/own_slices.h"

#include <gtest/gtest.h>

namespace flyball::controllers::endpoint_slice {
namespace {

OwnSlices::Slice At(std::int64_t generation) {
  OwnSlices::Slice slice;
  slice.metadata.uid = "uid";
  slice.metadata.generation = generation;
  return slice;
}

TEST(OwnSlices, WhatNobodyKnowsIsNews) {
  OwnSlices own;
  EXPECT_TRUE(own.IsNews(At(1)));
  EXPECT_TRUE(own.IsNewsThatItIsGone(At(1)));
}

TEST(OwnSlices, OwnWritesAreNoNews) {
  OwnSlices own;
  own.Wrote("uid", 1);
  EXPECT_FALSE(own.IsNews(At(1)));
  own.WillUpdate(At(1));
  EXPECT_FALSE(own.IsNews(At(2))) << "the server may be slow to answer";
  own.Wrote("uid", 2);
  EXPECT_FALSE(own.IsNews(At(2)));
  EXPECT_TRUE(own.IsNews(At(3)));
}

TEST(OwnSlices, WritesThatFailedLeaveItToOthers) {
  OwnSlices own;
  own.WillUpdate(At(1));
  own.DidNotWrite(At(1));
  EXPECT_TRUE(own.IsNews(At(2)));
}

TEST(OwnSlices, DeletionsAreNewsUnlessTheyAreOwn) {
  OwnSlices own;
  own.Wrote("uid", 1);
  own.WillDelete(At(1));
  EXPECT_FALSE(own.IsNewsThatItIsGone(At(1)));
  own.Wrote("uid", 1);
  EXPECT_TRUE(own.IsNewsThatItIsGone(At(1)));
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice
