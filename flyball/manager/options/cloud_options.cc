#include "flyball/manager/options/cloud_options.h"

#include <string_view>

#include "flyball/manager/flags/go_text.h"

namespace flyball::manager {

void CloudOptions::AddFlags(flags::FlagSection& section) {
  constexpr std::string_view kNoCloud = "no cloud's code is in this manager";
  section.Add("cloud-provider", provider,
              "Empty, or 'external' where a cloud's own manager runs beside this one.");
  section.Add("cloud-config", config_file, "A cloud provider's configuration.")
      .WithoutEffect(kNoCloud);
  section
      .Add("external-cloud-volume-plugin", external_volume_plugin,
           "The volume plugin of an external cloud provider.")
      .WithoutEffect(kNoCloud);
  section.Add("use-service-account-credentials", use_service_account_credentials,
              "Each controller asks the API server under a service account of its own.");
  section
      .Add("allow-untagged-cloud", allow_untagged_cloud,
           "Run without a cluster id on the cloud's machines.")
      .Deprecate(
          "This flag is deprecated and will be removed in a future release. A cluster-id will be "
          "required on cloud instances.");
  section
      .Add("route-reconciliation-period", route_reconciliation_period,
           "How often a cloud's routes to nodes are looked at.")
      .WithoutEffect(kNoCloud);
  section.Add("cluster-name", cluster_name, "What the cluster is called.");
  section.Add("cluster-cidr", cluster_cidr,
              "The addresses of pods, as CIDRs. Only used with --allocate-node-cidrs.");
  section.Add("allocate-node-cidrs", allocate_node_cidrs,
              "Give every node a part of --cluster-cidr for its pods.");
  section.Add("cidr-allocator-type", cidr_allocator_type,
              "How nodes get their part: 'RangeAllocator'.");
  section
      .Add("configure-cloud-routes", configure_cloud_routes,
           "Tell the cloud of the parts that nodes got.")
      .WithoutEffect(kNoCloud);
  section.Add("node-sync-period", node_sync_period, "Nothing any more.")
      .Deprecate("This flag is currently no-op and will be deleted.");
}

void CloudOptions::Check(Problems& problems) const {
  if (!provider.empty() && provider != "external") {
    problems.Add("cloud provider " + flags::Quote(provider) +
                 " was specified, but built-in cloud providers are disabled. Please set "
                 "--cloud-provider=external and migrate to an external cloud provider");
  }
  if (!cidr_allocator_type.empty() && cidr_allocator_type != "RangeAllocator") {
    problems.Add("built-in cloud providers are disabled. The ipam " + cidr_allocator_type +
                 " is not available");
  }
}

void CloudOptions::Describe(ConfigWriter& config) const {
  config.AddObject("CloudProvider", [this](ConfigWriter& object) {
    object.Add("Name", provider);
    object.Add("CloudConfigFile", config_file);
  });
  config.Add("ExternalCloudVolumePlugin", external_volume_plugin);
  config.Add("UseServiceAccountCredentials", use_service_account_credentials);
  config.Add("AllowUntaggedCloud", allow_untagged_cloud);
  config.Add("RouteReconciliationPeriod", route_reconciliation_period);
  config.Add("ClusterName", cluster_name);
  config.Add("ClusterCIDR", cluster_cidr);
  config.Add("AllocateNodeCIDRs", allocate_node_cidrs);
  config.Add("CIDRAllocatorType", cidr_allocator_type);
  config.Add("ConfigureCloudRoutes", configure_cloud_routes);
  config.Add("NodeSyncPeriod", node_sync_period);
}

}  // namespace flyball::manager
