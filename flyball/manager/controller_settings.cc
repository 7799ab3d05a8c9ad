#include "flyball/manager/controller_settings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "flyball/base/check.h"
#include "flyball/endpoints/authentication/cluster_authentication_info.h"
#include "flyball/endpoints/text_file.h"
#include "flyball/manager/known_controllers.h"

namespace flyball::manager {
namespace {

/// Less than none is none: where upstream does not mind such a number, it starts no worker.
std::size_t Workers(std::int32_t flag) {
  return static_cast<std::size_t>(std::max(flag, std::int32_t{0}));
}

Result<std::string> ReadFlagFile(std::string_view flag, const std::string& path) {
  auto text = endpoints::ReadTextFile(path);
  if (!text) return std::unexpected(text.error().Wrap("--" + std::string(flag)));
  return text;
}

Result<std::string> RootCa(const std::string& file, const client::ConfigBytes& ours) {
  if (file.empty()) {
    return ours.data.empty() && !ours.file.empty() ? endpoints::ReadTextFile(ours.file) : ours.data;
  }
  FLYBALL_TRY(std::string pem, ReadFlagFile("root-ca-file", file));
  if (const auto parsed = endpoints::CaBundle::Parse(pem); !parsed) {
    return std::unexpected(parsed.error().Wrap("error parsing root-ca-file at " + file));
  }
  return pem;
}

controllers::endpoint_slice_mirroring::Options MirroringSettings(
    const EndpointSliceMirroringOptions& options) {
  return {.workers = Workers(options.concurrent_syncs),
          .most_per_subset = static_cast<std::size_t>(options.max_endpoints_per_subset),
          .batch_period = options.updates_batch_period};
}

controllers::replica_set::Options ReplicaSetSettings(std::int32_t syncs,
                                                     const FeatureGates& gates) {
  return {.workers = Workers(syncs),
          .tell_terminating = gates.Enabled("DeploymentReplicaSetTerminatingReplicas"),
          .by_deletion_cost = gates.Enabled("PodDeletionCost")};
}

controllers::stateful_set::Options StatefulSetSettings(std::int32_t syncs,
                                                       const FeatureGates& gates) {
  return {.workers = Workers(syncs),
          .max_unavailable = gates.Enabled("MaxUnavailableStatefulSet"),
          .recreate = gates.Enabled("StatefulSetRecreateStrategy"),
          .compares_by_meaning = gates.Enabled("StatefulSetSemanticRevisionComparison")};
}

controllers::node_ipam::Options NodeIpamSettings(const CloudOptions& cloud,
                                                 const NodeIpamOptions& nodes) {
  return {.allocate = cloud.allocate_node_cidrs,
          .allocator = cloud.cidr_allocator_type,
          .cluster_ranges = cloud.cluster_cidr,
          .service_ranges = nodes.service_cluster_ip_range,
          .part_length = nodes.node_cidr_mask_size,
          .part_length_v4 = nodes.node_cidr_mask_size_ipv4,
          .part_length_v6 = nodes.node_cidr_mask_size_ipv6};
}

controllers::node_lifecycle::Options NodeLifecycleSettings(const NodeLifecycleOptions& options) {
  return {.monitor = {.grace = {.startup = options.startup_grace_period,
                                .running = options.monitor_grace_period},
                      .zones = {.rate = options.eviction_rate,
                                .secondary_rate = options.secondary_eviction_rate,
                                .large = options.large_cluster_size_threshold,
                                .unhealthy = options.unhealthy_zone_threshold},
                      .period = options.monitor_period}};
}

controllers::endpoint_slice::Options EndpointSliceSettings(const EndpointSliceOptions& options) {
  return {.workers = Workers(options.concurrent_syncs),
          .max_endpoints_per_slice = static_cast<std::size_t>(options.max_endpoints_per_slice),
          .updates_batch_period = options.updates_batch_period};
}

}  // namespace

std::vector<const controllers::Entry*> EnabledControllers(const Options& options) {
  const ControllerSelection selection(options.generic.controllers);
  std::vector<const controllers::Entry*> enabled;
  for (const controllers::Entry& entry : controllers::All()) {
    const auto known = std::ranges::find(KnownControllers(), entry.name, &KnownController::name);
    FLYBALL_CHECK(known != KnownControllers().end(), entry.name);
    if (selection.Enabled(*known, options.versions.gates)) enabled.push_back(&entry);
  }
  return enabled;
}

std::vector<std::string> MissingControllers(const Options& options) {
  const ControllerSelection selection(options.generic.controllers);
  std::vector<std::string> missing;
  for (const KnownController& known : KnownControllers()) {
    const bool ours = std::ranges::any_of(controllers::All(), [&](const controllers::Entry& entry) {
      return entry.name == known.name;
    });
    if (!ours && selection.Enabled(known, options.versions.gates)) missing.emplace_back(known.name);
  }
  return missing;
}

std::vector<std::string_view> DisabledControllers(const Options& options) {
  const auto enabled = EnabledControllers(options);
  std::vector<std::string_view> disabled;
  for (const controllers::Entry& entry : controllers::All()) {
    if (std::ranges::find(enabled, &entry) == enabled.end()) disabled.push_back(entry.name);
  }
  return disabled;
}

Result<controllers::Settings> SettingsFrom(const Options& options,
                                           const client::AccessConfig& access) {
  const ServiceAccountOptions& accounts = options.service_account;
  FLYBALL_TRY(const std::string root_ca,
              RootCa(accounts.root_ca_file, access.certificate_authority));
  controllers::Settings settings;
  settings.service_account_token.workers = Workers(accounts.concurrent_token_syncs);
  settings.service_account_token.root_ca = root_ca;
  if (!accounts.private_key_file.empty()) {
    FLYBALL_TRY(settings.service_account_token.private_key,
                ReadFlagFile("service-account-private-key-file", accounts.private_key_file));
  }
  settings.root_ca_publisher.root_ca = root_ca;
  settings.legacy_token_cleaner.clean_up_period = options.legacy_token_cleaner.clean_up_period;
  const FeatureGates& gates = options.versions.gates;
  settings.endpoints = {.workers = Workers(options.endpoints.concurrent_syncs),
                        .batch_period = options.endpoints.updates_batch_period};
  settings.endpoint_slice = EndpointSliceSettings(options.endpoint_slice);
  settings.endpoint_slice_mirroring = MirroringSettings(options.endpoint_slice_mirroring);
  settings.replication_controller =
      ReplicaSetSettings(options.replication_controller.concurrent_syncs, gates);
  settings.replica_set = ReplicaSetSettings(options.replica_set.concurrent_syncs, gates);
  settings.pod_garbage_collector.terminated_threshold = options.pod_gc.terminated_pod_threshold;
  settings.namespace_deletion.workers = Workers(options.namespaces.concurrent_syncs);
  settings.namespace_deletion.resync = options.namespaces.sync_period;
  settings.garbage_collector.enabled = options.garbage_collector.enabled;
  settings.garbage_collector.workers = Workers(options.garbage_collector.concurrent_syncs);
  settings.daemon_set.workers = Workers(options.daemon_set.concurrent_syncs);
  settings.daemon_set.compare_tolerations = gates.Enabled("TaintTolerationComparisonOperators");
  settings.job.workers = Workers(options.job.concurrent_syncs);
  settings.job.stops_the_clock = gates.Enabled("MutableSchedulingDirectivesForSuspendedJobs");
  settings.deployment.workers = Workers(options.deployment.concurrent_syncs);
  settings.deployment.count_terminating =
      options.versions.gates.Enabled("DeploymentReplicaSetTerminatingReplicas");
  settings.disruption.workers = Workers(options.disruption.concurrent_syncs);
  settings.cron_job.workers = Workers(options.cron_job.concurrent_syncs);
  settings.stateful_set = StatefulSetSettings(options.stateful_set.concurrent_syncs, gates);
  settings.node_ipam = NodeIpamSettings(options.cloud, options.node_ipam);
  settings.node_lifecycle = NodeLifecycleSettings(options.node_lifecycle);
  settings.taint_eviction.compare_tolerations = gates.Enabled("TaintTolerationComparisonOperators");
  settings.volume_binder = {.sync_period = options.persistent_volume_binder.sync_period,
                            .provisions = options.persistent_volume_binder.dynamic_provisioning};
  settings.attach_detach = {.compare = !options.attach_detach.disable_reconcile_sync,
                            .compare_period = options.attach_detach.reconcile_sync_period,
                            .force_detach = !options.attach_detach.disable_force_detach_on_timeout};
  settings.claim_protection.says_unused = gates.Enabled("PersistentVolumeClaimUnusedSinceTime");
  settings.ephemeral_volume.workers = Workers(options.ephemeral_volume.concurrent_syncs);
  settings.ttl_after_finished.workers = Workers(options.ttl_after_finished.concurrent_syncs);
  return settings;
}

}  // namespace flyball::manager
