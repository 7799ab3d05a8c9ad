#include "flyball/sandbox/behaviour.h"

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
#include "flyball/sandbox/custom/custom_behaviours.h"
#include "flyball/sandbox/kinds/kinds.h"

namespace flyball::sandbox {

const Behaviour& BehaviourOf(const Kind& kind) {
  static const Behaviour kNone;
  static const std::unordered_map<const api::TypeInfo*, const Behaviour*> kTable = {
      {&apps::v1::ControllerRevision::kType, &ControllerRevisionBehaviour()},
      {&apps::v1::DaemonSet::kType, &DaemonSetBehaviour()},
      {&apps::v1::Deployment::kType, &DeploymentBehaviour()},
      {&apps::v1::ReplicaSet::kType, &ReplicaSetBehaviour()},
      {&apps::v1::StatefulSet::kType, &StatefulSetBehaviour()},
      {&autoscaling::v2::HorizontalPodAutoscaler::kType, &HorizontalPodAutoscalerBehaviour()},
      {&batch::v1::CronJob::kType, &CronJobBehaviour()},
      {&batch::v1::Job::kType, &JobBehaviour()},
      {&certificates::v1::CertificateSigningRequest::kType, &CertificateSigningRequestBehaviour()},
      {&coordination::v1::Lease::kType, &LeaseBehaviour()},
      {&core::v1::ConfigMap::kType, &ConfigMapBehaviour()},
      {&core::v1::Event::kType, &EventBehaviour()},
      {&core::v1::Namespace::kType, &NamespaceBehaviour()},
      {&core::v1::Node::kType, &NodeBehaviour()},
      {&core::v1::PersistentVolume::kType, &PersistentVolumeBehaviour()},
      {&core::v1::PersistentVolumeClaim::kType, &PersistentVolumeClaimBehaviour()},
      {&core::v1::Pod::kType, &PodBehaviour()},
      {&core::v1::ReplicationController::kType, &ReplicationControllerBehaviour()},
      {&core::v1::Secret::kType, &SecretBehaviour()},
      {&core::v1::Service::kType, &ServiceBehaviour()},
      {&discovery::v1::EndpointSlice::kType, &EndpointSliceBehaviour()},
      {&networking::v1::Ingress::kType, &IngressBehaviour()},
      {&networking::v1::NetworkPolicy::kType, &NetworkPolicyBehaviour()},
      {&policy::v1::PodDisruptionBudget::kType, &PodDisruptionBudgetBehaviour()},
      {&rbac::v1::ClusterRole::kType, &ClusterRoleBehaviour()},
      {&rbac::v1::ClusterRoleBinding::kType, &ClusterRoleBindingBehaviour()},
      {&rbac::v1::Role::kType, &RoleBehaviour()},
      {&rbac::v1::RoleBinding::kType, &RoleBindingBehaviour()},
      {&scheduling::v1::PriorityClass::kType, &PriorityClassBehaviour()},
      {&storage::v1::CSIDriver::kType, &CsiDriverBehaviour()},
      {&storage::v1::CSINode::kType, &CsiNodeBehaviour()},
      {&storage::v1::StorageClass::kType, &StorageClassBehaviour()},
      {&storage::v1::VolumeAttachment::kType, &VolumeAttachmentBehaviour()},
      {&storage::v1::VolumeAttributesClass::kType, &VolumeAttributesClassBehaviour()},
      {&apiextensions::v1::CustomResourceDefinition::kType, &CustomDefinitionBehaviour()},
      {&meta::v1::PartialObjectMetadata::kType, &CustomObjectBehaviour()},
  };
  const auto found = kTable.find(&kind.type());
  return found == kTable.end() ? kNone : *found->second;
}

}  // namespace flyball::sandbox
