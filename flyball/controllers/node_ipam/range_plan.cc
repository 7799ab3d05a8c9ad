#include "flyball/controllers/node_ipam/range_plan.h"

#include <string_view>

namespace flyball::controllers::node_ipam {
namespace {

using common::IpFamily;
using common::IpPrefix;

constexpr int kDefaultV4 = 24;
constexpr int kDefaultV6 = 64;
/// PARITY: upstream keeps a bit for each part, and lets IPv6 have 65536 of them and no more.
constexpr int kMostPartBitsV6 = 16;

std::unexpected<Error> Refused(std::string message) {
  return Fail(ErrorCode::kInvalid, std::move(message));
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// One more than there are commas, as upstream counts: the empty text has one that is empty.
std::vector<std::string_view> Split(std::string_view list) {
  std::vector<std::string_view> items;
  for (;;) {
    const auto comma = list.find(',');
    items.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return items;
    list.remove_prefix(comma + 1);
  }
}

bool IsDualStack(const std::vector<IpPrefix>& ranges) {
  bool v4 = false;
  bool v6 = false;
  for (const IpPrefix& range : ranges) (range.base.family == IpFamily::kV4 ? v4 : v6) = true;
  return v4 && v6;
}

Result<std::vector<IpPrefix>> ClusterRanges(const std::string& flag) {
  std::vector<IpPrefix> ranges;
  for (const std::string_view item : Split(Trimmed(flag))) {
    const auto range = IpPrefix::ParseSloppily(item);
    if (!range) {
      return Refused("invalid CIDR[" + std::to_string(ranges.size()) +
                     "]: <nil> (invalid CIDR address: " + std::string(item) + ")");
    }
    ranges.push_back(*range);
  }
  if (ranges.size() > 1 && !IsDualStack(ranges)) {
    return Refused("len of ClusterCIDRs==" + std::to_string(ranges.size()) +
                   " and they are not configured as dual stack (at least one from each IPFamily");
  }
  if (ranges.size() > 2) {
    return Refused("length of clusterCIDRs is:" + std::to_string(ranges.size()) +
                   " more than max allowed of 2");
  }
  return ranges;
}

/// PARITY: what is not understood here is passed over.
Result<> AddServices(const std::string& flag, RangePlan& plan) {
  const auto items = Split(flag);
  for (std::size_t i = 0; i < items.size() && i < 2; ++i) {
    if (Trimmed(items[i]).empty()) continue;
    if (const auto range = IpPrefix::ParseSloppily(items[i])) {
      plan.services.push_back(*range);
    } else {
      plan.not_understood.emplace_back(items[i]);
    }
  }
  if (plan.services.size() == 2 && !IsDualStack(plan.services)) {
    return Refused(
        "serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)");
  }
  return {};
}

Result<> CheckLengthFlags(const Options& options, const std::vector<IpPrefix>& ranges) {
  const bool any = options.part_length != 0;
  const bool v4 = options.part_length_v4 != 0;
  const bool v6 = options.part_length_v6 != 0;
  if (ranges.size() > 1) {
    if (any)
      return Refused("usage of --node-cidr-mask-size is not allowed with dual-stack clusters");
    return {};
  }
  if (any && (v4 || v6)) {
    return Refused(
        "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if "
        "--node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily "
        "specific flags");
  }
  const IpFamily family = ranges.front().base.family;
  if (v4 && family == IpFamily::kV6) {
    return Refused(
        "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster");
  }
  if (v6 && family == IpFamily::kV4) {
    return Refused(
        "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster");
  }
  return {};
}

int PartLength(const Options& options, IpFamily family) {
  if (options.part_length != 0) return options.part_length;
  if (family == IpFamily::kV4)
    return options.part_length_v4 != 0 ? options.part_length_v4 : kDefaultV4;
  return options.part_length_v6 != 0 ? options.part_length_v6 : kDefaultV6;
}

Result<> CheckPart(const IpPrefix& range, int length) {
  if (range.length > length) {
    return Refused(
        "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal "
        "to --node-cidr-mask-size configured for CIDR family");
  }
  // DIVERGES: upstream would go on, and give all nodes the same.
  if (length > range.width()) {
    return Refused("a node CIDR mask size of " + std::to_string(length) + " is too big for " +
                   std::string(ToString(range.base.family)));
  }
  if (range.base.family == IpFamily::kV6 && length - range.length > kMostPartBitsV6) {
    return Refused("New CIDR set failed; the node CIDR size is too big");
  }
  return {};
}

}  // namespace

Result<RangePlan> PlanRanges(const Options& options) {
  if (options.allocator == "CloudAllocator") {
    return Refused(
        "--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured");
  }
  FLYBALL_TRY(const std::vector<IpPrefix> ranges, ClusterRanges(options.cluster_ranges));
  RangePlan plan;
  FLYBALL_TRY(AddServices(options.service_ranges, plan));
  FLYBALL_TRY(CheckLengthFlags(options, ranges));
  for (const IpPrefix& range : ranges) {
    const int length = PartLength(options, range.base.family);
    FLYBALL_TRY(CheckPart(range, length));
    plan.partitions.emplace_back(range, length);
  }
  if (options.allocator.starts_with("IPAMFromCl")) {
    return Refused("Error trying to Init(): legacy cloud provider support disabled at build time");
  }
  if (options.allocator != "RangeAllocator") {
    return Refused("invalid CIDR allocator type: " + options.allocator);
  }
  return plan;
}

}  // namespace flyball::controllers::node_ipam
