#include "flyball/cache/number_table.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace flyball::cache {
namespace {

/// Few hashes, which lie side by side and at the end of the table, so that searches run into each
/// other and around it.
std::uint32_t HashOf(NumberTable::Number number) { return 0xfffffffc + number % 7; }

NumberTable::Number Find(const NumberTable& table, NumberTable::Number number) {
  return table.Find(HashOf(number), [&](NumberTable::Number found) { return found == number; });
}

TEST(NumberTable, FindsWhatIsInItAndNothingElse) {
  NumberTable table;
  std::set<NumberTable::Number> model;
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto number = static_cast<NumberTable::Number>(random() % 60);
    if (model.erase(number) == 1) {
      table.Erase(HashOf(number), number);
    } else {
      model.insert(number);
      table.Insert(HashOf(number), number);
    }
    ASSERT_EQ(table.size(), model.size());
    for (NumberTable::Number each = 0; each < 60; ++each) {
      ASSERT_EQ(Find(table, each), model.contains(each) ? each : NumberTable::kNone);
    }
  }
}

}  // namespace
}  // namespace flyball::cache
