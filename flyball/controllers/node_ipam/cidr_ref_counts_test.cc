#include "flyball/controllers/node_ipam/cidr_ref_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace flyball::controllers::node_ipam {
namespace {

TEST(CidrRefCounts, APartIsFreeWhenTheLastWhoHoldsItLetsGo) {
  CidrRefCounts ref_counts(4);
  EXPECT_EQ(ref_counts.Hold({1, 2}), 2U);
  EXPECT_EQ(ref_counts.Hold({2, 3}), 1U);
  EXPECT_EQ(ref_counts.held(), 3U);
  EXPECT_EQ(ref_counts.Release({1, 2}), 1U);
  EXPECT_EQ(ref_counts.NextFree(0), 0U);
  EXPECT_EQ(ref_counts.NextFree(1), 1U);
  EXPECT_EQ(ref_counts.NextFree(2), 0U);
  EXPECT_EQ(ref_counts.Hold({0, 3}), 2U);
  EXPECT_EQ(ref_counts.NextFree(2), std::nullopt);
  EXPECT_EQ(ref_counts.Release({0, 3}), 2U);
  EXPECT_EQ(ref_counts.Release({2, 3}), 2U);
  EXPECT_EQ(ref_counts.held(), 0U);
  EXPECT_EQ(ref_counts.steps(), 1U);
}

TEST(CidrRefCounts, NeighboursTakeNoMoreThanOne) {
  CidrRefCounts ref_counts(std::uint64_t{1} << 32);
  for (std::uint64_t i = 0; i < 5000; ++i) ref_counts.Hold({i, i});
  EXPECT_EQ(ref_counts.steps(), 2U);
  EXPECT_EQ(ref_counts.NextFree(0), 5000U);
  ref_counts.Hold({0, (std::uint64_t{1} << 32) - 1});
  EXPECT_EQ(ref_counts.steps(), 2U);
  EXPECT_EQ(ref_counts.NextFree(0), std::nullopt);
}

/// The same, kept one by one.
class PlainHolders {
 public:
  explicit PlainHolders(std::uint64_t size) : counts_(size) {}
  void Change(const Parts& parts, int by) {
    for (std::uint64_t i = parts.first; i <= parts.last; ++i) counts_[i] += by;
  }
  bool Held(const Parts& parts) const {
    for (std::uint64_t i = parts.first; i <= parts.last; ++i) {
      if (counts_[i] == 0) return false;
    }
    return true;
  }
  std::optional<std::uint64_t> NextFree(std::uint64_t from) const {
    for (std::uint64_t i = 0; i < counts_.size(); ++i) {
      const std::uint64_t number = (from + i) % counts_.size();
      if (counts_[number] == 0) return number;
    }
    return std::nullopt;
  }
  std::uint64_t held() const {
    return counts_.size() - static_cast<std::uint64_t>(std::ranges::count(counts_, 0));
  }

 private:
  std::vector<int> counts_;
};

TEST(CidrRefCounts, AgreesWithWhoeverKeepsThemOneByOne) {
  std::mt19937_64 dice(1);
  constexpr std::uint64_t kSize = 40;
  CidrRefCounts ref_counts(kSize);
  PlainHolders plain(kSize);
  for (int i = 0; i < 20'000; ++i) {
    Parts parts{dice() % kSize, 0};
    parts.last = std::min(kSize - 1, parts.first + dice() % 4);
    const std::uint64_t before = plain.held();
    if (dice() % 2 == 0 && plain.Held(parts)) {
      plain.Change(parts, -1);
      ASSERT_EQ(ref_counts.Release(parts), before - plain.held());
    } else {
      plain.Change(parts, 1);
      ASSERT_EQ(ref_counts.Hold(parts), plain.held() - before);
    }
    const std::uint64_t from = dice() % kSize;
    ASSERT_EQ(ref_counts.NextFree(from), plain.NextFree(from));
    ASSERT_EQ(ref_counts.held(), plain.held());
    ASSERT_LE(ref_counts.steps(), kSize);
  }
}

}  // namespace
}  // namespace flyball::controllers::node_ipam
