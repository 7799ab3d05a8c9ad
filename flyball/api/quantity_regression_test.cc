/// Inputs that once went wrong, found by quantity_fuzz.
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/quantity.h"

namespace flyball::api {
namespace {

// The canonical form moves zeros into the exponent, which has to stay within 32 bits.
TEST(QuantityRegression, WhatParsesCanBePrintedAndParsedAgain) {
  for (const std::string& text :
       {std::string("1e4096"), std::string("1000e4096"), std::string("0.0001e4096"),
        std::string("0000e4096"), "1" + std::string(4080, '2') + "e5",
        std::string("1000e2147483647"), "1" + std::string(5000, '0') + "e2147483647"}) {
    const auto quantity = Quantity::Parse(text);
    ASSERT_TRUE(quantity) << text << ": " << quantity.error().Describe();
    const auto again = Quantity::Parse(quantity->ToString());
    ASSERT_TRUE(again) << quantity->ToString() << ": " << again.error().Describe();
    EXPECT_EQ(*again, *quantity) << text;
  }
}

}  // namespace
}  // namespace flyball::api
