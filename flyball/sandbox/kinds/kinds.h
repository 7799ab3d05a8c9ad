#pragma once

#include "flyball/sandbox/behaviour.h"

/// The kinds with a behaviour of their own, one file each; BehaviourOf() is their table.
namespace flyball::sandbox {

const Behaviour& CertificateSigningRequestBehaviour();
const Behaviour& ClusterRoleBehaviour();
const Behaviour& ClusterRoleBindingBehaviour();
const Behaviour& ConfigMapBehaviour();
const Behaviour& ControllerRevisionBehaviour();
const Behaviour& CronJobBehaviour();
const Behaviour& CsiDriverBehaviour();
const Behaviour& CsiNodeBehaviour();
const Behaviour& DaemonSetBehaviour();
const Behaviour& DeploymentBehaviour();
const Behaviour& EndpointSliceBehaviour();
const Behaviour& EventBehaviour();
const Behaviour& HorizontalPodAutoscalerBehaviour();
const Behaviour& IngressBehaviour();
const Behaviour& JobBehaviour();
const Behaviour& LeaseBehaviour();
const Behaviour& NamespaceBehaviour();
const Behaviour& NetworkPolicyBehaviour();
const Behaviour& NodeBehaviour();
const Behaviour& PersistentVolumeBehaviour();
const Behaviour& PersistentVolumeClaimBehaviour();
const Behaviour& PodBehaviour();
const Behaviour& PodDisruptionBudgetBehaviour();
const Behaviour& PriorityClassBehaviour();
const Behaviour& ReplicaSetBehaviour();
const Behaviour& ReplicationControllerBehaviour();
const Behaviour& RoleBehaviour();
const Behaviour& RoleBindingBehaviour();
const Behaviour& SecretBehaviour();
const Behaviour& ServiceBehaviour();
const Behaviour& StatefulSetBehaviour();
const Behaviour& StorageClassBehaviour();
const Behaviour& VolumeAttachmentBehaviour();
const Behaviour& VolumeAttributesClassBehaviour();

}  // namespace flyball::sandbox
