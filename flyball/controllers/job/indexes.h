#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flyball::controllers::job {

/// A set of completion indexes, which is written as "0,2-5,9". What it costs goes with the number
/// of gaps, not with that of indexes. A value.
class Indexes {
 public:
  struct Interval {
    std::int64_t first = 0;
    std::int64_t last = 0;  ///< with it
    friend bool operator==(const Interval&, const Interval&) = default;
  };

  Indexes() = default;
  explicit Indexes(const std::set<std::int64_t>& indexes);
  /// Reads the text, up to what a job of so many has. What makes no sense is left out.
  static Indexes Parse(std::string_view text, std::int64_t count);

  Indexes With(const Indexes& others) const;

  bool empty() const { return intervals_.empty(); }
  std::int64_t total() const;
  bool Has(std::int64_t index) const;
  /// How many are in both.
  std::int64_t InCommonWith(const Indexes& others) const;
  /// The first `most` of those below `count` that are not among them.
  std::vector<std::int64_t> FirstMissing(std::size_t most, std::int64_t count) const;
  std::string ToString() const;

  friend bool operator==(const Indexes&, const Indexes&) = default;

 private:
  void Append(Interval interval);

  std::vector<Interval> intervals_;  // ascending, with gaps between them
};

}  // namespace flyball::controllers::job
