#include "flyball/manager/options/cloud_options.h"

#include <string_view>

#include "flyball/manager/flags/go_text.h"

namespace flyball::manager {

void CloudOptions::AddFlags(flags::FlagSection& section) {
  constexpr std::string_view kNoCloud = "this program has no cloud provider";
  section.Add("cloud-provider", provider,
              "Cloud provider of the cluster: 'external' if a cloud-controller-manager runs beside "
              "this program, empty if the cluster is on no cloud.");
  section
      .Add("cloud-config", config_file,
           "Configuration file of the cloud provider. Accepted and ignored: this program has no "
           "cloud provider.")
      .WithoutEffect(kNoCloud);
  section
      .Add("external-cloud-volume-plugin", external_volume_plugin,
           "Volume plugin of an external cloud provider. Accepted and ignored: this program has no "
           "cloud provider.")
      .WithoutEffect(kNoCloud);
  section.Add("use-service-account-credentials", use_service_account_credentials,
              "Give each controller the credentials of a ServiceAccount of its own, named after it "
              "in the namespace kube-system, instead of those of this process.");
  section
      .Add("allow-untagged-cloud", allow_untagged_cloud,
           "Allow cloud instances that have no cluster ID. Deprecated.")
      .Deprecate(
          "This flag is deprecated and will be removed in a future release. A cluster-id will be "
          "required on cloud instances.");
  section
      .Add("route-reconciliation-period", route_reconciliation_period,
           "Interval at which the cloud's routes to Nodes are reconciled. Accepted and ignored: "
           "this program has no cloud provider.")
      .WithoutEffect(kNoCloud);
  section.Add("cluster-name", cluster_name,
              "Name of the cluster, which cloud providers put before the names of their resources. "
              "Shown on /configz and otherwise ignored.");
  section.Add(
      "cluster-cidr", cluster_cidr,
      "CIDR that the IP addresses of pods are taken from; for a dual-stack cluster, an IPv4 and an "
      "IPv6 CIDR with a comma between them. Used only with --allocate-node-cidrs.");
  section.Add("allocate-node-cidrs", allocate_node_cidrs,
              "Assign a pod CIDR, taken from --cluster-cidr, to every Node.");
  section.Add("cidr-allocator-type", cidr_allocator_type,
              "Allocator that assigns pod CIDRs to Nodes; the only one is RangeAllocator.");
  section
      .Add("configure-cloud-routes", configure_cloud_routes,
           "Create a route in the cloud for the pod CIDR of every Node. Accepted and ignored: this "
           "program has no cloud provider.")
      .WithoutEffect(kNoCloud);
  section
      .Add("node-sync-period", node_sync_period,
           "Interval at which Nodes were synced from the cloud. Ignored and deprecated.")
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
