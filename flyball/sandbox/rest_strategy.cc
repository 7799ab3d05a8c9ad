#include "flyball/sandbox/rest_strategy.h"

#include <unordered_map>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/apps/v1.h"
#include "flyball/api/autoscaling/v2.h"
#include "flyball/api/batch/v1.h"
#include "flyball/api/certificates/v1.h"
#include "flyball/api/coordination/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/networking/v1.h"
#include "flyball/api/policy/v1.h"
#include "flyball/api/rbac/v1.h"
#include "flyball/api/scheduling/v1.h"
#include "flyball/api/storage/v1.h"
#include "flyball/sandbox/custom/custom_strategies.h"
#include "flyball/sandbox/kinds/kinds.h"

namespace flyball::sandbox {

const RestStrategy& StrategyOf(const Kind& kind) {
  static const RestStrategy kNone;
  static const std::unordered_map<const api::TypeInfo*, const RestStrategy*> kTable = {
      {&apps::v1::ControllerRevision::kType, &ControllerRevisionRestStrategy()},
      {&apps::v1::DaemonSet::kType, &DaemonSetRestStrategy()},
      {&apps::v1::Deployment::kType, &DeploymentRestStrategy()},
      {&apps::v1::ReplicaSet::kType, &ReplicaSetRestStrategy()},
      {&apps::v1::StatefulSet::kType, &StatefulSetRestStrategy()},
      {&autoscaling::v2::HorizontalPodAutoscaler::kType, &HorizontalPodAutoscalerRestStrategy()},
      {&batch::v1::CronJob::kType, &CronJobRestStrategy()},
      {&batch::v1::Job::kType, &JobRestStrategy()},
      {&certificates::v1::CertificateSigningRequest::kType,
       &CertificateSigningRequestRestStrategy()},
      {&coordination::v1::Lease::kType, &LeaseRestStrategy()},
      {&core::v1::ConfigMap::kType, &ConfigMapRestStrategy()},
      {&core::v1::Event::kType, &EventRestStrategy()},
      {&core::v1::Namespace::kType, &NamespaceRestStrategy()},
      {&core::v1::Node::kType, &NodeRestStrategy()},
      {&core::v1::PersistentVolume::kType, &PersistentVolumeRestStrategy()},
      {&core::v1::PersistentVolumeClaim::kType, &PersistentVolumeClaimRestStrategy()},
      {&core::v1::Pod::kType, &PodRestStrategy()},
      {&core::v1::ReplicationController::kType, &ReplicationControllerRestStrategy()},
      {&core::v1::Secret::kType, &SecretRestStrategy()},
      {&core::v1::Service::kType, &ServiceRestStrategy()},
      {&discovery::v1::EndpointSlice::kType, &EndpointSliceRestStrategy()},
      {&networking::v1::Ingress::kType, &IngressRestStrategy()},
      {&networking::v1::NetworkPolicy::kType, &NetworkPolicyRestStrategy()},
      {&policy::v1::PodDisruptionBudget::kType, &PodDisruptionBudgetRestStrategy()},
      {&rbac::v1::ClusterRole::kType, &ClusterRoleRestStrategy()},
      {&rbac::v1::ClusterRoleBinding::kType, &ClusterRoleBindingRestStrategy()},
      {&rbac::v1::Role::kType, &RoleRestStrategy()},
      {&rbac::v1::RoleBinding::kType, &RoleBindingRestStrategy()},
      {&scheduling::v1::PriorityClass::kType, &PriorityClassRestStrategy()},
      {&storage::v1::CSIDriver::kType, &CsiDriverRestStrategy()},
      {&storage::v1::CSINode::kType, &CsiNodeRestStrategy()},
      {&storage::v1::StorageClass::kType, &StorageClassRestStrategy()},
      {&storage::v1::VolumeAttachment::kType, &VolumeAttachmentRestStrategy()},
      {&storage::v1::VolumeAttributesClass::kType, &VolumeAttributesClassRestStrategy()},
      {&apiextensions::v1::CustomResourceDefinition::kType, &CustomDefinitionRestStrategy()},
      {&meta::v1::PartialObjectMetadata::kType, &CustomObjectRestStrategy()},
  };
  const auto found = kTable.find(&kind.type());
  return found == kTable.end() ? kNone : *found->second;
}

}  // namespace flyball::sandbox
