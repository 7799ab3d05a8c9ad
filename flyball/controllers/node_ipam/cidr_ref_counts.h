#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "flyball/controllers/node_ipam/partition.h"

namespace flyball::controllers::node_ipam {

/// How many hold each of so many numbered parts.
///
/// Kept as steps: neighbours that as many hold are one. So a range of millions of parts takes no
/// more memory than there are gaps between those in use, and the next free part is found without a
/// look at each. One thread.
class CidrRefCounts {
 public:
  explicit CidrRefCounts(std::uint64_t size) : size_(size) { steps_.emplace(0, 0); }

  /// One more holds these. Returns how many of them nobody held before.
  std::uint64_t Hold(const Parts& parts);
  /// One less. Returns how many of them nobody holds any more.
  std::uint64_t Release(const Parts& parts);

  /// The first from there on that nobody holds, or else the first of all.
  std::optional<std::uint64_t> NextFree(std::uint64_t from) const;
  std::uint64_t held() const { return held_; }
  std::uint64_t size() const { return size_; }
  /// For tests: what this takes.
  std::size_t steps() const { return steps_.size(); }

 private:
  using Steps = std::map<std::uint64_t, std::uint32_t>;

  Steps::iterator SplitAt(std::uint64_t number);
  void MergeAt(std::uint64_t number);
  std::optional<std::uint64_t> FreeBetween(std::uint64_t from, std::uint64_t end) const;

  const std::uint64_t size_;
  std::uint64_t held_ = 0;
  Steps steps_;  // how many hold the parts from a number to the next
};

}  // namespace flyball::controllers::node_ipam
