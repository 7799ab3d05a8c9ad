/// Inputs that once went wrong, found by quantity_fuzz.
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/quantity.h"

namespace flyball::api {
namespace {

// The canonical form moved zeros into the exponent, beyond the one that is read.
TEST(QuantityRegression, WhatParsesCanBePrintedAndParsedAgain) {
  EXPECT_FALSE(Quantity::Parse("1000e4096"));
  EXPECT_FALSE(Quantity::Parse("1" + std::string(4080, '2') + "e5"));
  for (const std::string& text :
       {std::string("1e4096"), std::string("10e4095"), std::string("0.0001e4096"),
        std::string("0000e4096"), "1" + std::string(4000, '2') + "e5"}) {
    const auto quantity = Quantity::Parse(text);
    ASSERT_TRUE(quantity) << text << ": " << quantity.error().Describe();
    const auto again = Quantity::Parse(quantity->ToString());
    ASSERT_TRUE(again) << quantity->ToString() << ": " << again.error().Describe();
    EXPECT_EQ(*again, *quantity) << text;
  }
}

}  // namespace
}  // namespace flyball::api
