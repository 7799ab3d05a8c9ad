#include "flyball/up/view/styled_text.h"

#include <gtest/gtest.h>

namespace flyball::up {
namespace {

TEST(StyledText, WhatDoesNotFitIsCutAtACharacterAndMarked) {
  EXPECT_EQ(Fitted("straße", 6), "straße");
  EXPECT_EQ(Fitted("straße", 5), "stra…");
  EXPECT_EQ(Fitted("███", 2), "█…");
  EXPECT_EQ(Fitted("abc", 0), "");
}

TEST(StyledText, NothingMovesTheCursor) {
  EXPECT_EQ(Fitted("two\nlines\x1b[2J", 20), "twolines[2J");
  EXPECT_EQ(ColumnsOf("two\nlines"), 8);
}

TEST(StyledText, StylesTakeNoColumns) {
  StyledText text(10);
  text.Add("ok", Style::kGood).To(5).Add("and more");
  EXPECT_EQ(text.ToString(false), "ok   and …");
  EXPECT_EQ(text.ToString(true), "\x1b[32mok\x1b[0m   and …");
  EXPECT_EQ(text.left(), 0);
}

}  // namespace
}  // namespace flyball::up
