#include "flyball/manager/configz.h"

#include "flyball/api/json_writer.h"
#include "flyball/manager/config_writer.h"

namespace flyball::manager {
namespace {

template <typename Topic>
void Add(ConfigWriter& config, std::string_view name, const Topic& topic) {
  config.AddObject(name, [&topic](ConfigWriter& object) { topic.Describe(object); });
}

void AddAll(ConfigWriter& config, const Options& options) {
  config.Add("kind", "KubeControllerManagerConfiguration");
  config.Add("apiVersion", "kubecontrollermanager.config.k8s.io/v1alpha1");
  Add(config, "Generic", options.generic);
  Add(config, "KubeCloudShared", options.cloud);
  Add(config, "AttachDetachController", options.attach_detach);
  Add(config, "CSRSigningController", options.csr_signing);
  Add(config, "DaemonSetController", options.daemon_set);
  Add(config, "DeploymentController", options.deployment);
  Add(config, "DisruptionController", options.disruption);
  Add(config, "StatefulSetController", options.stateful_set);
  config.AddObject("DeprecatedController", [](ConfigWriter&) {});
  Add(config, "EndpointController", options.endpoints);
  Add(config, "EndpointSliceController", options.endpoint_slice);
  Add(config, "EndpointSliceMirroringController", options.endpoint_slice_mirroring);
  Add(config, "EphemeralVolumeController", options.ephemeral_volume);
  Add(config, "GarbageCollectorController", options.garbage_collector);
  Add(config, "HPAController", options.horizontal_pod_autoscaler);
  Add(config, "JobController", options.job);
  Add(config, "CronJobController", options.cron_job);
  Add(config, "LegacySATokenCleaner", options.legacy_token_cleaner);
  Add(config, "NamespaceController", options.namespaces);
  Add(config, "NodeIPAMController", options.node_ipam);
  Add(config, "NodeLifecycleController", options.node_lifecycle);
  Add(config, "PersistentVolumeBinderController", options.persistent_volume_binder);
  Add(config, "PodGCController", options.pod_gc);
  Add(config, "ReplicaSetController", options.replica_set);
  Add(config, "ReplicationController", options.replication_controller);
  Add(config, "ResourceQuotaController", options.resource_quota);
  Add(config, "SAController", options.service_account);
  // The controller of cloud load balancers, which has no flag in this manager.
  config.AddObject("ServiceController",
                   [](ConfigWriter& object) { object.Add("ConcurrentServiceSyncs", 0); });
  Add(config, "TTLAfterFinishedController", options.ttl_after_finished);
  Add(config, "ValidatingAdmissionPolicyStatusController", options.validating_admission_policy);
  Add(config, "DeviceTaintEvictionController", options.device_taint_eviction);
  Add(config, "ResourceClaimController", options.resource_claim);
}

}  // namespace

std::string Configz(const Options& options) {
  std::string text;
  api::JsonWriter json(text);
  ConfigWriter config(json);
  json.BeginObject();
  config.AddObject("kubecontrollermanager.config.k8s.io",
                   [&options](ConfigWriter& object) { AddAll(object, options); });
  json.EndObject();
  return text;
}

}  // namespace flyball::manager
