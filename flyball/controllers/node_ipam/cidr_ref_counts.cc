#include "flyball/controllers/node_ipam/cidr_ref_counts.h"

#include <algorithm>
#include <iterator>

#include "flyball/base/check.h"

namespace flyball::controllers::node_ipam {

CidrRefCounts::Steps::iterator CidrRefCounts::SplitAt(std::uint64_t number) {
  const auto next = steps_.lower_bound(number);
  if (number == size_ || (next != steps_.end() && next->first == number)) return next;
  return steps_.emplace_hint(next, number, std::prev(next)->second);
}

void CidrRefCounts::MergeAt(std::uint64_t number) {
  const auto step = steps_.find(number);
  if (step == steps_.begin() || step == steps_.end()) return;
  if (std::prev(step)->second == step->second) steps_.erase(step);
}

std::uint64_t CidrRefCounts::Hold(const Parts& parts) {
  std::uint64_t fresh = 0;
  const auto begin = SplitAt(parts.first);
  const auto end = SplitAt(parts.last + 1);
  for (auto step = begin; step != end; ++step) {
    const auto next = std::next(step);
    if (step->second++ == 0) fresh += (next == steps_.end() ? size_ : next->first) - step->first;
  }
  MergeAt(parts.last + 1);
  MergeAt(parts.first);
  held_ += fresh;
  return fresh;
}

std::uint64_t CidrRefCounts::Release(const Parts& parts) {
  std::uint64_t freed = 0;
  const auto begin = SplitAt(parts.first);
  const auto end = SplitAt(parts.last + 1);
  for (auto step = begin; step != end; ++step) {
    FLYBALL_CHECK(step->second > 0, "released what nobody holds");
    const auto next = std::next(step);
    if (--step->second == 0) freed += (next == steps_.end() ? size_ : next->first) - step->first;
  }
  MergeAt(parts.last + 1);
  MergeAt(parts.first);
  held_ -= freed;
  return freed;
}

std::optional<std::uint64_t> CidrRefCounts::FreeBetween(std::uint64_t from,
                                                        std::uint64_t end) const {
  for (auto step = std::prev(steps_.upper_bound(from)); step != steps_.end(); ++step) {
    if (step->first >= end) return std::nullopt;
    if (step->second == 0) return std::max(from, step->first);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> CidrRefCounts::NextFree(std::uint64_t from) const {
  const auto found = FreeBetween(from, size_);
  return found ? found : FreeBetween(0, from);
}

}  // namespace flyball::controllers::node_ipam
