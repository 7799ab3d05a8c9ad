#include "flyball/gen/go_names.h"

#include "gtest/gtest.h"

namespace flyball::gen {
namespace {

constexpr char kShopSchema[] = R"(package shop/v1 group=shop.example.com version=v1

type Phase string
type Limits map[Phase]@Quantity

struct Website
  1 phase *Phase
  2 limits Limits
  3 shelves []Shelf
  4 byPhase map[Phase]bytes
  5 when @Time

struct Shelf
  1 uid types.UID go=UID

struct Unrelated
  1 name string

kind Shop
  - . meta/v1.TypeMeta go=TypeMeta
)";

class GoNames : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(schema_.AddFile("shop.v1.schema", kShopSchema)); }
  Schema schema_;
};

TEST_F(GoNames, PrefixesAreAsGoPrintsThem) {
  std::vector<std::string> prefixes;
  for (const auto& field : schema_.FindStruct("shop/v1.Website")->fields) {
    prefixes.push_back(GoFieldPrefix(field));
  }
  EXPECT_EQ(prefixes, (std::vector<std::string>{
                          "Phase:(*v1.Phase)", "Limits:(v1.Limits)", "Shelves:([]v1.Shelf)",
                          "ByPhase:(map[v1.Phase][]uint8)", "When:(v1.Time)"}));
  EXPECT_EQ(GoFieldPrefix(schema_.FindStruct("shop/v1.Shelf")->fields[0]), "UID:(types.UID)");
}

TEST_F(GoNames, WhatAStructHoldsIsPrintedWithIt) {
  ASSERT_TRUE(schema_.AddFile("types.schema", "package types group= version=\ntype UID string\n"));
  const auto reached = ReachableStructs(schema_, {"shop/v1.Website"});
  ASSERT_TRUE(reached.has_value()) << reached.error().Describe();
  EXPECT_EQ(*reached, (std::set<std::string>{"shop/v1.Website", "shop/v1.Shelf"}));
}

TEST_F(GoNames, WhatCannotBePrintedIsNamed) {
  const auto missing = ReachableStructs(schema_, {"shop/v1.Warehouse"});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().message(), "'shop/v1.Warehouse' is no struct of the schema");
  const auto flattened = ReachableStructs(schema_, {"shop/v1.Shop"});
  ASSERT_FALSE(flattened.has_value());
  EXPECT_EQ(flattened.error().message(), "shop/v1.Shop: TypeMeta is flattened in our tables");
}

}  // namespace
}  // namespace flyball::gen
