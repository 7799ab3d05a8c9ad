#pragma once

#include <cstdint>
#include <string>

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct NodeIpamOptions {
  std::string service_cluster_ip_range = {};  ///< one CIDR, or two with a comma between them
  std::int32_t node_cidr_mask_size = 0;       ///< 0: 24 for IPv4, 64 for IPv6; and so below
  std::int32_t node_cidr_mask_size_ipv4 = 0;
  std::int32_t node_cidr_mask_size_ipv6 = 0;

  void AddFlags(flags::FlagSection& section) {
    section.Add("service-cluster-ip-range", service_cluster_ip_range,
                "The addresses of services, as CIDRs, which no pod gets. Only used with "
                "--allocate-node-cidrs.");
    section.Add("node-cidr-mask-size", node_cidr_mask_size,
                "How long the prefix of a node's addresses is: 24 for IPv4 and 64 for IPv6, unless "
                "it is given.");
    section.Add("node-cidr-mask-size-ipv4", node_cidr_mask_size_ipv4,
                "How long the prefix of a node's IPv4 addresses is where there is IPv6 too: 24, "
                "unless it is given.");
    section.Add("node-cidr-mask-size-ipv6", node_cidr_mask_size_ipv6,
                "How long the prefix of a node's IPv6 addresses is where there is IPv4 too: 64, "
                "unless it is given.");
  }

  void Check(Problems& problems) const;
  void Describe(ConfigWriter& config) const;
};

}  // namespace flyball::manager
