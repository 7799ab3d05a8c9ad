#include "flyball/controllers/node_ipam/partition.h"

namespace flyball::controllers::node_ipam {

using common::IpPrefix;
using common::Uint128;

IpPrefix Partition::Part(std::uint64_t number) const {
  IpPrefix part{.base = range_.base, .length = part_length_};
  // A part that is all there is may be 128 bits wide, which no number can be shifted by.
  if (number > 0) part.base.bits |= Uint128{number} << host_bits();
  return part;
}

std::optional<Parts> Partition::Covering(const IpPrefix& prefix) const {
  if (!range_.Overlaps(prefix)) return std::nullopt;
  if (size() == 1 || prefix.Contains(range_)) return Parts{.first = 0, .last = size() - 1};
  const auto number = [this](Uint128 bits) {
    return static_cast<std::uint64_t>((bits - range_.base.bits) >> host_bits());
  };
  return Parts{.first = number(prefix.base.bits), .last = number(prefix.last().bits)};
}

}  // namespace flyball::controllers::node_ipam
