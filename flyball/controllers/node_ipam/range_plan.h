#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/controllers/node_ipam/partition.h"

namespace flyball::controllers::node_ipam {

/// What a person may set.
struct Options {
  bool allocate = false;                     ///< --allocate-node-cidrs
  std::string allocator = "RangeAllocator";  ///< --cidr-allocator-type
  std::string cluster_ranges = {};           ///< --cluster-cidr: one, or one of each family
  std::string service_ranges = {};           ///< --service-cluster-ip-range, likewise
  std::int32_t part_length = 0;              ///< --node-cidr-mask-size; 0: see below
  std::int32_t part_length_v4 = 0;           ///< --node-cidr-mask-size-ipv4; 0: 24
  std::int32_t part_length_v6 = 0;           ///< --node-cidr-mask-size-ipv6; 0: 64
};

/// Out of what nodes get their ranges, and what is left out of that.
struct RangePlan {
  std::vector<Partition> partitions = {};        ///< a node gets a part of each
  std::vector<common::IpPrefix> services = {};   ///< nobody's, where they overlap
  std::vector<std::string> not_understood = {};  ///< among those of services: not left out
  friend bool operator==(const RangePlan&, const RangePlan&) = default;
};

/// Decides. An error, in upstream's words, where the flags make no sense.
Result<RangePlan> PlanRanges(const Options& options);

}  // namespace flyball::controllers::node_ipam
