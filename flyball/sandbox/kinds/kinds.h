#pragma once

#include "flyball/sandbox/rest_strategy.h"

/// The kinds with a strategy of their own, one file each; StrategyOf() is their table.
namespace flyball::sandbox {

const RestStrategy& CertificateSigningRequestRestStrategy();
const RestStrategy& ClusterRoleRestStrategy();
const RestStrategy& ClusterRoleBindingRestStrategy();
const RestStrategy& ConfigMapRestStrategy();
const RestStrategy& ControllerRevisionRestStrategy();
const RestStrategy& CronJobRestStrategy();
const RestStrategy& CsiDriverRestStrategy();
const RestStrategy& CsiNodeRestStrategy();
const RestStrategy& DaemonSetRestStrategy();
const RestStrategy& DeploymentRestStrategy();
const RestStrategy& EndpointSliceRestStrategy();
const RestStrategy& EventRestStrategy();
const RestStrategy& HorizontalPodAutoscalerRestStrategy();
const RestStrategy& IngressRestStrategy();
const RestStrategy& JobRestStrategy();
const RestStrategy& LeaseRestStrategy();
const RestStrategy& NamespaceRestStrategy();
const RestStrategy& NetworkPolicyRestStrategy();
const RestStrategy& NodeRestStrategy();
const RestStrategy& PersistentVolumeRestStrategy();
const RestStrategy& PersistentVolumeClaimRestStrategy();
const RestStrategy& PodRestStrategy();
const RestStrategy& PodDisruptionBudgetRestStrategy();
const RestStrategy& PriorityClassRestStrategy();
const RestStrategy& ReplicaSetRestStrategy();
const RestStrategy& ReplicationControllerRestStrategy();
const RestStrategy& RoleRestStrategy();
const RestStrategy& RoleBindingRestStrategy();
const RestStrategy& SecretRestStrategy();
const RestStrategy& ServiceRestStrategy();
const RestStrategy& StatefulSetRestStrategy();
const RestStrategy& StorageClassRestStrategy();
const RestStrategy& VolumeAttachmentRestStrategy();
const RestStrategy& VolumeAttributesClassRestStrategy();

}  // namespace flyball::sandbox
