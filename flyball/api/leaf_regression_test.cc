/// Inputs that once went wrong, found by leaf_fuzz.
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/duration.h"
#include "flyball/api/int_or_string.h"
#include "flyball/api/time.h"
#include "flyball/api/utf8.h"

namespace flyball::api {
namespace {

// Messages quoted the text as it was, or cut it in the middle of a character.
TEST(LeafRegression, ErrorsAreUtf8WhateverTheText) {
  for (const std::string& text :
       {std::string("\xa6"), std::string(63, 'x') + "é", std::string("\xff%")}) {
    EXPECT_TRUE(IsValidUtf8(Time::Parse(text).error().Describe()));
    EXPECT_TRUE(IsValidUtf8(MicroTime::Parse(text).error().Describe()));
    EXPECT_TRUE(IsValidUtf8(ParseDuration(text).error().Describe()));
    EXPECT_TRUE(IsValidUtf8(IntOrString(text).ScaledValue(10, true).error().Describe()));
  }
}

}  // namespace
}  // namespace flyball::api
