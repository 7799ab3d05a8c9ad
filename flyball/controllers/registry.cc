#include "flyball/controllers/registry.h"

#include "flyball/controllers/attributes_class_protection/controller.h"
#include "flyball/controllers/cluster_role_aggregation/controller.h"
#include "flyball/controllers/node_ttl/controller.h"
#include "flyball/controllers/service_account/controller.h"
#include "flyball/controllers/service_cidr/controller.h"
#include "flyball/controllers/volume_expander/controller.h"
#include "flyball/controllers/volume_protection/controller.h"

namespace flyball::controllers {
namespace {

using Deps = runtime::Controller::Deps;

constexpr Entry kEntries[] = {
    {"serviceaccount-token-controller", "serviceaccount-token", "",
     [](const Deps& deps, const Settings& settings) -> Made {
       return service_account_token::Make(deps, settings.service_account_token);
     }},
    {"endpoints-controller", "endpoint", "endpoint-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return endpoints::Make(deps, settings.endpoints);
     }},
    {"endpointslice-controller", "endpointslice", "endpointslice-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return endpoint_slice::Make(deps, settings.endpoint_slice);
     }},
    {"endpointslice-mirroring-controller", "endpointslicemirroring",
     "endpointslicemirroring-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return endpoint_slice_mirroring::Make(deps, settings.endpoint_slice_mirroring);
     }},
    {"replicationcontroller-controller", "replicationcontroller", "replication-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return replica_set::MakeReplicationControllerController(deps,
                                                               settings.replication_controller);
     }},
    {"pod-garbage-collector-controller", "podgc", "pod-garbage-collector",
     [](const Deps& deps, const Settings& settings) -> Made {
       return pod_garbage_collector::Make(deps, settings.pod_garbage_collector);
     }},
    {"namespace-controller", "namespace", "namespace-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return namespace_deletion::Make(deps, settings.namespace_deletion);
     },
     /*needs=*/"", /*rate_factor=*/20, /*burst_factor=*/100},
    {"serviceaccount-controller", "serviceaccount", "service-account-controller",
     [](const Deps& deps, const Settings&) -> Made { return service_account::Make(deps); }},
    {"garbage-collector-controller", "garbagecollector", "generic-garbage-collector",
     [](const Deps& deps, const Settings& settings) -> Made {
       return garbage_collector::Make(deps, settings.garbage_collector);
     },
     /*needs=*/"", /*rate_factor=*/2, /*burst_factor=*/1},
    {"daemonset-controller", "daemonset", "daemon-set-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return daemon_set::Make(deps, settings.daemon_set);
     }},
    {"job-controller", "job", "job-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return job::Make(deps, settings.job);
     }},
    {"deployment-controller", "deployment", "deployment-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return deployment::Make(deps, settings.deployment);
     }},
    {"replicaset-controller", "replicaset", "replicaset-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return replica_set::MakeReplicaSetController(deps, settings.replica_set);
     }},
    {"disruption-controller", "disruption", "disruption-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return disruption::Make(deps, settings.disruption);
     }},
    {"statefulset-controller", "statefulset", "statefulset-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return stateful_set::Make(deps, settings.stateful_set);
     }},
    {"cronjob-controller", "cronjob", "cronjob-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return cron_job::Make(deps, settings.cron_job);
     }},
    {"ttl-controller", "ttl", "ttl-controller",
     [](const Deps& deps, const Settings&) -> Made { return node_ttl::Make(deps); }},
    {"node-ipam-controller", "nodeipam", "node-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return node_ipam::Make(deps, settings.node_ipam);
     }},
    {"node-lifecycle-controller", "nodelifecycle", "node-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return node_lifecycle::Make(deps, settings.node_lifecycle);
     }},
    {"persistentvolume-binder-controller", "persistentvolume-binder", "persistent-volume-binder",
     [](const Deps& deps, const Settings& settings) -> Made {
       return volume_binder::Make(deps, settings.volume_binder);
     }},
    {"persistentvolume-attach-detach-controller", "attachdetach", "attachdetach-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return attach_detach::Make(deps, settings.attach_detach);
     }},
    {"persistentvolume-expander-controller", "persistentvolume-expander", "expand-controller",
     [](const Deps& deps, const Settings&) -> Made { return volume_expander::Make(deps); }},
    {"clusterrole-aggregation-controller", "clusterrole-aggregation",
     "clusterrole-aggregation-controller",
     [](const Deps& deps, const Settings&) -> Made {
       return cluster_role_aggregation::Make(deps);
     }},
    {"persistentvolumeclaim-protection-controller", "pvc-protection", "pvc-protection-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return claim_protection::Make(deps, settings.claim_protection);
     }},
    {"persistentvolume-protection-controller", "pv-protection", "pv-protection-controller",
     [](const Deps& deps, const Settings&) -> Made { return volume_protection::Make(deps); }},
    {"volumeattributesclass-protection-controller", "",
     "volumeattributesclass-protection-controller",
     [](const Deps& deps, const Settings&) -> Made {
       return attributes_class_protection::Make(deps);
     }},
    {"ttl-after-finished-controller", "ttl-after-finished", "ttl-after-finished-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return ttl_after_finished::Make(deps, settings.ttl_after_finished);
     }},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher", "root-ca-cert-publisher",
     [](const Deps& deps, const Settings& settings) -> Made {
       return root_ca_publisher::Make(deps, settings.root_ca_publisher);
     }},
    {"ephemeral-volume-controller", "ephemeral-volume", "ephemeral-volume-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return ephemeral_volume::Make(deps, settings.ephemeral_volume);
     }},
    {"legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner",
     "legacy-service-account-token-cleaner",
     [](const Deps& deps, const Settings& settings) -> Made {
       return legacy_token_cleaner::Make(deps, settings.legacy_token_cleaner);
     }},
    {"taint-eviction-controller", "", "node-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return taint_eviction::Make(deps, settings.taint_eviction);
     }},
    {"service-cidr-controller", "", "service-cidrs-controller",
     [](const Deps& deps, const Settings&) -> Made { return service_cidr::Make(deps); }},
};

}  // namespace

std::span<const Entry> All() { return kEntries; }

}  // namespace flyball::controllers
