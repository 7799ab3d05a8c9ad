#pragma once

#include <cstdint>
#include <optional>

#include "flyball/controllers/common/ip_prefix.h"

namespace flyball::controllers::node_ipam {

/// Numbers of parts, from the first to the last of them.
struct Parts {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const Parts&, const Parts&) = default;
};

/// A range of addresses in parts of one size, which are numbered from 0.
class Partition {
 public:
  /// A part's prefix is at least as long as the range's, and at most 63 bits longer.
  Partition(const common::IpPrefix& range, int part_length)
      : range_(range), part_length_(part_length) {}

  const common::IpPrefix& range() const { return range_; }
  std::uint64_t size() const { return std::uint64_t{1} << (part_length_ - range_.length); }
  common::IpPrefix Part(std::uint64_t number) const;
  /// Those that have addresses in common with a prefix, be it smaller or larger than a part; none
  /// if it is outside of the range.
  std::optional<Parts> Covering(const common::IpPrefix& prefix) const;

  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  int host_bits() const { return range_.width() - part_length_; }

  common::IpPrefix range_;
  int part_length_;
};

}  // namespace flyball::controllers::node_ipam
