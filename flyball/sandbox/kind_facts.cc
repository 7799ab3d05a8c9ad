#include "flyball/sandbox/kind_facts.h"

#include <algorithm>
#include <string>

namespace flyball::sandbox {
namespace {

using enum Generations;

constexpr SelectableField kPodFields[] = {
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
};
constexpr SelectableField kNodeFields[] = {"spec.unschedulable"};
constexpr SelectableField kReplicasField[] = {"status.replicas"};
constexpr SelectableField kEventFields[] = {
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    {"source", "source.component", "reportingComponent"},
    "type",
};
constexpr SelectableField kNewerEventFields[] = {
    {"regarding.kind", "involvedObject.kind"},
    {"regarding.namespace", "involvedObject.namespace"},
    {"regarding.name", "involvedObject.name"},
    {"regarding.uid", "involvedObject.uid"},
    {"regarding.apiVersion", "involvedObject.apiVersion"},
    {"regarding.resourceVersion", "involvedObject.resourceVersion"},
    {"regarding.fieldPath", "involvedObject.fieldPath"},
    "reason",
    {"reportingController", "reportingComponent"},
    "type",
};
constexpr SelectableField kNamespaceFields[] = {"status.phase"};
constexpr SelectableField kSecretFields[] = {"type"};
constexpr SelectableField kServiceFields[] = {"spec.clusterIP", "spec.type"};
constexpr SelectableField kJobFields[] = {{"status.successful", "status.succeeded"}};
constexpr SelectableField kSignerField[] = {"spec.signerName"};
constexpr SelectableField kPodCertificateFields[] = {"spec.signerName", "spec.podName",
                                                     "spec.nodeName"};
constexpr SelectableField kSliceFields[] = {"spec.nodeName", "spec.driver", "spec.pool.name"};

constexpr KindFacts kFacts[] = {
    {.kind = "ComponentStatus", .deprecation = "v1 ComponentStatus is deprecated in v1.19+"},
    {.kind = "Endpoints",
     .create_on_update = true,
     .deprecation = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"},
    {.kind = "Event", .create_on_update = true, .selectable = kEventFields},
    {.kind = "LimitRange", .create_on_update = true},
    {.kind = "Namespace", .returns_deleted = true, .selectable = kNamespaceFields},
    {.kind = "Node", .status_when_made = true, .selectable = kNodeFields},
    {.kind = "PersistentVolume", .returns_deleted = true},
    {.kind = "PersistentVolumeClaim", .returns_deleted = true},
    {.kind = "Pod", .generations = kContent, .returns_deleted = true, .selectable = kPodFields},
    {.kind = "PodTemplate", .generations = kContent, .returns_deleted = true},
    {.kind = "ReplicationController",
     .generations = kContent,
     .orphans = true,
     .selectable = kReplicasField},
    {.kind = "ResourceQuota", .returns_deleted = true},
    {.kind = "Secret", .selectable = kSecretFields},
    {.kind = "Service",
     .create_on_update = true,
     .returns_deleted = true,
     .selectable = kServiceFields},
    {.kind = "ServiceAccount", .returns_deleted = true},
    {.kind = "admissionregistration.k8s.io/MutatingAdmissionPolicy",
     .generations = kContent,
     .unconditional_update = false},
    {.kind = "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding",
     .generations = kContent,
     .unconditional_update = false},
    {.kind = "admissionregistration.k8s.io/MutatingWebhookConfiguration",
     .generations = kContent,
     .unconditional_update = false},
    {.kind = "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
     .generations = kContent,
     .unconditional_update = false,
     .status_alone = true},
    {.kind = "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
     .generations = kContent,
     .unconditional_update = false},
    {.kind = "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
     .generations = kContent,
     .unconditional_update = false},
    {.kind = "apiextensions.k8s.io/CustomResourceDefinition",
     .generations = kContent,
     .unconditional_update = false},
    {.kind = "apps/DaemonSet", .generations = kContent},
    {.kind = "apps/Deployment", .generations = kContent},
    {.kind = "apps/ReplicaSet", .generations = kContent, .selectable = kReplicasField},
    {.kind = "apps/StatefulSet", .generations = kContent},
    {.kind = "autoscaling/HorizontalPodAutoscaler", .generations = kContent},
    {.kind = "batch/CronJob", .generations = kContent},
    {.kind = "batch/Job", .generations = kContent, .orphans = true, .selectable = kJobFields},
    {.kind = "certificates.k8s.io/CertificateSigningRequest", .selectable = kSignerField},
    {.kind = "certificates.k8s.io/ClusterTrustBundle",
     .unconditional_update = false,
     .selectable = kSignerField},
    {.kind = "certificates.k8s.io/PodCertificateRequest",
     .unconditional_update = false,
     .status_alone = true,
     .selectable = kPodCertificateFields},
    {.kind = "coordination.k8s.io/Lease", .create_on_update = true, .unconditional_update = false},
    {.kind = "discovery.k8s.io/EndpointSlice", .generations = kContent},
    {.kind = "events.k8s.io/Event", .create_on_update = true, .selectable = kNewerEventFields},
    {.kind = "flowcontrol.apiserver.k8s.io/FlowSchema",
     .generations = kContent,
     .status_alone = true},
    {.kind = "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
     .generations = kContent,
     .status_alone = true},
    {.kind = "networking.k8s.io/Ingress", .generations = kContent},
    {.kind = "networking.k8s.io/IngressClass", .generations = kContent},
    {.kind = "networking.k8s.io/NetworkPolicy", .generations = kContent},
    {.kind = "networking.k8s.io/ServiceCIDR", .status_alone = true},
    {.kind = "node.k8s.io/RuntimeClass", .create_on_update = true, .unconditional_update = false},
    {.kind = "policy/PodDisruptionBudget", .generations = kContent, .unconditional_update = false},
    {.kind = "rbac.authorization.k8s.io/ClusterRole", .create_on_update = true},
    {.kind = "rbac.authorization.k8s.io/ClusterRoleBinding", .create_on_update = true},
    {.kind = "rbac.authorization.k8s.io/Role", .create_on_update = true},
    {.kind = "rbac.authorization.k8s.io/RoleBinding", .create_on_update = true},
    {.kind = "resource.k8s.io/DeviceClass", .generations = kContent, .returns_deleted = true},
    {.kind = "resource.k8s.io/DeviceTaintRule", .generations = kContent, .status_alone = true},
    {.kind = "resource.k8s.io/ResourceClaim", .status_alone = true, .returns_deleted = true},
    {.kind = "resource.k8s.io/ResourceClaimTemplate", .returns_deleted = true},
    {.kind = "resource.k8s.io/ResourceSlice",
     .generations = kContent,
     .returns_deleted = true,
     .selectable = kSliceFields},
    {.kind = "scheduling.k8s.io/PriorityClass", .generations = kContent},
    {.kind = "storage.k8s.io/CSIDriver",
     .generations = kChanges,
     .unconditional_update = false,
     .returns_deleted = true},
    {.kind = "storage.k8s.io/CSINode",
     .unconditional_update = false,
     .status_alone = true,
     .returns_deleted = true},
    {.kind = "storage.k8s.io/CSIStorageCapacity", .unconditional_update = false},
    {.kind = "storage.k8s.io/StorageClass", .returns_deleted = true},
    {.kind = "storage.k8s.io/VolumeAttachment",
     .unconditional_update = false,
     .status_alone = true,
     .returns_deleted = true},
    {.kind = "storage.k8s.io/VolumeAttributesClass", .returns_deleted = true},
    {.kind = "storagemigration.k8s.io/StorageVersionMigration",
     .unconditional_update = false,
     .status_alone = true},
};

}  // namespace

KindFacts FactsOf(std::string_view group, std::string_view kind) {
  const std::string name =
      group.empty() ? std::string(kind) : std::string(group) + "/" + std::string(kind);
  const auto found = std::ranges::find(kFacts, name, &KindFacts::kind);
  return found == std::end(kFacts) ? KindFacts{} : *found;
}

}  // namespace flyball::sandbox
