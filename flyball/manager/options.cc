#include "flyball/manager/options.h"

namespace flyball::manager {

void Options::AddFlags(flags::FlagSet& flags) {
  generic.AddFlags(flags);
  cloud.AddFlags(flags.Section("generic"));
  versions.AddFlags(flags.Section("generic"));
  secure_serving.AddFlags(flags.Section("secure serving"));
  authentication.AddFlags(flags.Section("authentication"));
  authorization.AddFlags(flags.Section("authorization"));

  // In the order that --help has upstream.
  attach_detach.AddFlags(flags.Section("persistentvolume-attach-detach-controller"));
  csr_signing.AddFlags(flags.Section("certificatesigningrequest-signing-controller"));
  deployment.AddFlags(flags.Section("deployment-controller"));
  disruption.AddFlags(flags.Section("disruption-controller"));
  device_taint_eviction.AddFlags(flags.Section("device-taint-eviction-controller"));
  resource_claim.AddFlags(flags.Section("resourceclaim-controller"));
  stateful_set.AddFlags(flags.Section("statefulset-controller"));
  daemon_set.AddFlags(flags.Section("daemonset-controller"));
  endpoints.AddFlags(flags.Section("endpoints-controller"));
  endpoint_slice.AddFlags(flags.Section("endpointslice-controller"));
  endpoint_slice_mirroring.AddFlags(flags.Section("endpointslice-mirroring-controller"));
  ephemeral_volume.AddFlags(flags.Section("ephemeral-volume-controller"));
  garbage_collector.AddFlags(flags.Section("garbage-collector-controller"));
  horizontal_pod_autoscaler.AddFlags(flags.Section("horizontal-pod-autoscaler-controller"));
  job.AddFlags(flags.Section("job-controller"));
  cron_job.AddFlags(flags.Section("cronjob-controller"));
  legacy_token_cleaner.AddFlags(flags.Section("legacy-serviceaccount-token-cleaner-controller"));
  namespaces.AddFlags(flags.Section("namespace-controller"));
  node_ipam.AddFlags(flags.Section("node-ipam-controller"));
  node_lifecycle.AddFlags(flags.Section("node-lifecycle-controller"));
  persistent_volume_binder.AddFlags(flags.Section("persistentvolume-binder-controller"));
  pod_gc.AddFlags(flags.Section("pod-garbage-collector-controller"));
  replica_set.AddFlags(flags.Section("replicaset-controller"));
  replication_controller.AddFlags(flags.Section("replicationcontroller-controller"));
  resource_quota.AddFlags(flags.Section("resourcequota-controller"));
  service_account.AddFlags(flags.Section("serviceaccount-controller"));
  ttl_after_finished.AddFlags(flags.Section("ttl-after-finished-controller"));
  validating_admission_policy.AddFlags(
      flags.Section("validatingadmissionpolicy-status-controller"));

  metrics.AddFlags(flags.Section("metrics"));
  logging.AddFlags(flags.Section("logs"));
  generic.client.AddMiscFlags(flags.Section("misc"));
}

Problems Options::Check() const {
  Problems problems;
  versions.Check(problems);
  generic.Check(problems);
  attach_detach.Check(problems);
  csr_signing.Check(problems);
  daemon_set.Check(problems);
  device_taint_eviction.Check(problems);
  resource_claim.Check(problems);
  stateful_set.Check(problems);
  endpoint_slice.Check(problems);
  endpoint_slice_mirroring.Check(problems);
  ephemeral_volume.Check(problems);
  horizontal_pod_autoscaler.Check(problems);
  job.Check(problems);
  cron_job.Check(problems);
  node_ipam.Check(problems);
  secure_serving.Check(problems);
  authentication.Check(problems, versions.gates);
  metrics.Check(problems);
  cloud.Check(problems);
  return problems;
}

}  // namespace flyball::manager
