#include "flyball/manager/options/node_ipam_options.h"

#include <algorithm>
#include <string_view>

namespace flyball::manager {

void NodeIpamOptions::Check(Problems& problems) const {
  if (std::ranges::count(service_cluster_ip_range, ',') <= 1) return;
  problems.Add("--service-cluster-ip-range can not contain more than two entries");
}

void NodeIpamOptions::Describe(ConfigWriter& config) const {
  const std::string_view all = service_cluster_ip_range;
  const std::size_t comma = std::min(all.find(','), all.size());
  const std::string_view others = all.substr(std::min(comma + 1, all.size()));
  config.Add("ServiceCIDR", all.substr(0, comma));
  config.Add("SecondaryServiceCIDR", others.substr(0, others.find(',')));
  config.Add("NodeCIDRMaskSize", node_cidr_mask_size);
  config.Add("NodeCIDRMaskSizeIPv4", node_cidr_mask_size_ipv4);
  config.Add("NodeCIDRMaskSizeIPv6", node_cidr_mask_size_ipv6);
}

}  // namespace flyball::manager
