#pragma once

#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/options/attach_detach_options.h"
#include "flyball/manager/options/authentication_options.h"
#include "flyball/manager/options/authorization_options.h"
#include "flyball/manager/options/cloud_options.h"
#include "flyball/manager/options/cron_job_options.h"
#include "flyball/manager/options/csr_signing_options.h"
#include "flyball/manager/options/daemon_set_options.h"
#include "flyball/manager/options/deployment_options.h"
#include "flyball/manager/options/device_taint_eviction_options.h"
#include "flyball/manager/options/disruption_options.h"
#include "flyball/manager/options/endpoint_slice_mirroring_options.h"
#include "flyball/manager/options/endpoint_slice_options.h"
#include "flyball/manager/options/endpoints_options.h"
#include "flyball/manager/options/ephemeral_volume_options.h"
#include "flyball/manager/options/garbage_collector_options.h"
#include "flyball/manager/options/generic_options.h"
#include "flyball/manager/options/horizontal_pod_autoscaler_options.h"
#include "flyball/manager/options/job_options.h"
#include "flyball/manager/options/legacy_token_cleaner_options.h"
#include "flyball/manager/options/logging_options.h"
#include "flyball/manager/options/metrics_options.h"
#include "flyball/manager/options/namespace_options.h"
#include "flyball/manager/options/node_ipam_options.h"
#include "flyball/manager/options/node_lifecycle_options.h"
#include "flyball/manager/options/persistent_volume_binder_options.h"
#include "flyball/manager/options/pod_gc_options.h"
#include "flyball/manager/options/replica_set_options.h"
#include "flyball/manager/options/replication_controller_options.h"
#include "flyball/manager/options/resource_claim_options.h"
#include "flyball/manager/options/resource_quota_options.h"
#include "flyball/manager/options/secure_serving_options.h"
#include "flyball/manager/options/service_account_options.h"
#include "flyball/manager/options/stateful_set_options.h"
#include "flyball/manager/options/ttl_after_finished_options.h"
#include "flyball/manager/options/validating_admission_policy_options.h"
#include "flyball/manager/options/version_options.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

/// Everything that can be said on kube-controller-manager's command line, by topic. Each topic's
/// struct has its flags, its rules and its part of /configz beside its members.
struct Options {
  GenericOptions generic = {};
  CloudOptions cloud = {};
  VersionOptions versions = {};
  SecureServingOptions secure_serving = {};
  AuthenticationOptions authentication = {};
  AuthorizationOptions authorization = {};
  MetricsOptions metrics = {};
  LoggingOptions logging = {};

  AttachDetachOptions attach_detach = {};
  CsrSigningOptions csr_signing = {};
  CronJobOptions cron_job = {};
  DaemonSetOptions daemon_set = {};
  DeploymentOptions deployment = {};
  DeviceTaintEvictionOptions device_taint_eviction = {};
  DisruptionOptions disruption = {};
  EndpointsOptions endpoints = {};
  EndpointSliceOptions endpoint_slice = {};
  EndpointSliceMirroringOptions endpoint_slice_mirroring = {};
  EphemeralVolumeOptions ephemeral_volume = {};
  GarbageCollectorOptions garbage_collector = {};
  HorizontalPodAutoscalerOptions horizontal_pod_autoscaler = {};
  JobOptions job = {};
  LegacyTokenCleanerOptions legacy_token_cleaner = {};
  NamespaceOptions namespaces = {};
  NodeIpamOptions node_ipam = {};
  NodeLifecycleOptions node_lifecycle = {};
  PersistentVolumeBinderOptions persistent_volume_binder = {};
  PodGcOptions pod_gc = {};
  ReplicaSetOptions replica_set = {};
  ReplicationControllerOptions replication_controller = {};
  ResourceClaimOptions resource_claim = {};
  ResourceQuotaOptions resource_quota = {};
  ServiceAccountOptions service_account = {};
  StatefulSetOptions stateful_set = {};
  TtlAfterFinishedOptions ttl_after_finished = {};
  ValidatingAdmissionPolicyOptions validating_admission_policy = {};

  /// Ties all flags to the members, which must stay where they are as long as the flags are used.
  void AddFlags(flags::FlagSet& flags);

  /// What upstream finds wrong with the values, in its order. The log's have been checked by then.
  Problems Check() const;
};

}  // namespace flyball::manager
