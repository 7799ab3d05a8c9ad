#include "flyball/controllers/registry.h"

#include "flyball/controllers/cluster_role_aggregation/controller.h"
#include "flyball/controllers/service_account/controller.h"

namespace flyball::controllers {
namespace {

using Deps = runtime::Controller::Deps;

constexpr Entry kEntries[] = {
    {"serviceaccount-token-controller", "serviceaccount-token", "",
     [](const Deps& deps, const Settings& settings) -> Made {
       return service_account_token::Make(deps, settings.service_account_token);
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
    {"clusterrole-aggregation-controller", "clusterrole-aggregation",
     "clusterrole-aggregation-controller",
     [](const Deps& deps, const Settings&) -> Made {
       return cluster_role_aggregation::Make(deps);
     }},
    {"ttl-after-finished-controller", "ttl-after-finished", "ttl-after-finished-controller",
     [](const Deps& deps, const Settings& settings) -> Made {
       return ttl_after_finished::Make(deps, settings.ttl_after_finished);
     }},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher", "root-ca-cert-publisher",
     [](const Deps& deps, const Settings& settings) -> Made {
       return root_ca_publisher::Make(deps, settings.root_ca_publisher);
     }},
    {"legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner",
     "legacy-service-account-token-cleaner",
     [](const Deps& deps, const Settings& settings) -> Made {
       return legacy_token_cleaner::Make(deps, settings.legacy_token_cleaner);
     }},
};

}  // namespace

std::span<const Entry> All() { return kEntries; }

}  // namespace flyball::controllers
