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
                "CIDR of the Services' cluster IPs, which is never assigned to a Node; for a "
                "dual-stack cluster, an IPv4 and an IPv6 CIDR with a comma between them. Used only "
                "with --allocate-node-cidrs.");
    section.Add("node-cidr-mask-size", node_cidr_mask_size,
                "Prefix length of a Node's pod CIDR in a cluster with one IP family. 0 means 24 "
                "for IPv4 and 64 for IPv6.");
    section.Add("node-cidr-mask-size-ipv4", node_cidr_mask_size_ipv4,
                "Prefix length of a Node's IPv4 pod CIDR in a dual-stack cluster. 0 means 24.");
    section.Add("node-cidr-mask-size-ipv6", node_cidr_mask_size_ipv6,
                "Prefix length of a Node's IPv6 pod CIDR in a dual-stack cluster. 0 means 64.");
  }

  void Check(Problems& problems) const;
  void Describe(ConfigWriter& config) const;
};

}  // namespace flyball::manager
