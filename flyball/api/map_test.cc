#include "flyball/api/map.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

std::vector<std::string> KeysOf(const Map<int>& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

TEST(Map, IsInByteOrderOfItsKeysHoweverTheyCame) {
  Map<int> map;
  for (const char* key : {"m", "b", "z", "a", "", "\xc3\xa9", "B"}) map[key] = 1;
  EXPECT_EQ(KeysOf(map), (std::vector<std::string>{"", "B", "a", "b", "m", "z", "\xc3\xa9"}));
}

TEST(Map, OfAKeyGivenTwiceTheLastValueStays) {
  const Map<int> map = {{"a", 1}, {"b", 2}, {"a", 3}};
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(*map.find("a"), 3);
}

TEST(Map, FindsAndErases) {
  Map<int> map = {{"a", 1}, {"c", 3}};
  EXPECT_TRUE(map.contains("a"));
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_EQ(map.find("d"), nullptr);
  *map.find("c") = 4;
  EXPECT_EQ(map, (Map<int>{{"a", 1}, {"c", 4}}));
  EXPECT_TRUE(map.erase("a"));
  EXPECT_FALSE(map.erase("a"));
  EXPECT_FALSE(map.erase("z"));
  map.clear();
  EXPECT_TRUE(map.empty());
}

TEST(Map, EmplaceFreshTakesAwayWhatWasThere) {
  Map<std::string> map = {{"a", "old"}, {"b", "kept"}};
  EXPECT_EQ(map.emplace_fresh("a"), "");
  map.emplace_fresh("c") = "new";
  EXPECT_EQ(map, (Map<std::string>{{"a", ""}, {"b", "kept"}, {"c", "new"}}));
}

}  // namespace
}  // namespace flyball::api
