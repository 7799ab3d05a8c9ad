#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/internal/default_rule.h"

/// Defaults of what keeps pods running. Their templates are in defaulting_pod.cc, a StatefulSet's
/// claims in defaulting_volume.cc.
namespace flyball::api {
namespace {

namespace v1 = apps::v1;

constexpr char kRollingUpdate[] = "RollingUpdate";

void CompleteDeploymentUpdate(v1::DeploymentStrategy& strategy) {
  if (strategy.type != kRollingUpdate) return;
  v1::RollingUpdateDeployment& update = strategy.rollingUpdate.get_or_emplace();
  if (!update.maxUnavailable) update.maxUnavailable = IntOrString("25%");
  if (!update.maxSurge) update.maxSurge = IntOrString("25%");
}

void CompleteDaemonSetUpdate(v1::DaemonSetUpdateStrategy& strategy) {
  if (strategy.type != kRollingUpdate) return;
  v1::RollingUpdateDaemonSet& update = strategy.rollingUpdate.get_or_emplace();
  if (!update.maxUnavailable) update.maxUnavailable = IntOrString(1);
  if (!update.maxSurge) update.maxSurge = IntOrString(0);
}

/// PARITY: unlike the others, a StatefulSet that names its strategy and gives no parameters gets
/// none.
void CompleteStatefulSetUpdate(v1::StatefulSetUpdateStrategy& strategy) {
  if (strategy.type.empty()) {
    strategy.type = kRollingUpdate;
    strategy.rollingUpdate.get_or_emplace();
  }
  if (strategy.type != kRollingUpdate || !strategy.rollingUpdate) return;
  v1::RollingUpdateStatefulSetStrategy& update = *strategy.rollingUpdate;
  if (!update.partition) update.partition = 0;
  // Gate MaxUnavailableStatefulSet, on since v1.37.
  if (!update.maxUnavailable) update.maxUnavailable = IntOrString(1);
}

/// The selector is the template's labels, and so are its own. Later kinds ask for a selector.
void TakeLabelsOfTemplate(core::v1::ReplicationController& controller) {
  if (!controller.spec.template_) return;
  const auto& labels = controller.spec.template_->metadata.labels;
  if (controller.spec.selector.empty()) controller.spec.selector = labels;
  if (controller.metadata.labels.empty()) controller.metadata.labels = labels;
}

constexpr const TypeInfo* kKinds[] = {
    &v1::DaemonSet::kType,
    &v1::Deployment::kType,
    &v1::ReplicaSet::kType,
    &v1::StatefulSet::kType,
    &core::v1::ReplicationController::kType,
};

constexpr DefaultRule kRules[] = {
    Default<&v1::DeploymentSpec::replicas>(1),
    Default<&v1::DeploymentSpec::revisionHistoryLimit>(10),
    Default<&v1::DeploymentSpec::progressDeadlineSeconds>(600),
    Default<&v1::DeploymentStrategy::type>(kRollingUpdate),
    Compute<CompleteDeploymentUpdate>(),

    Default<&v1::ReplicaSetSpec::replicas>(1),

    Default<&v1::DaemonSetSpec::revisionHistoryLimit>(10),
    Default<&v1::DaemonSetUpdateStrategy::type>(kRollingUpdate),
    Compute<CompleteDaemonSetUpdate>(),

    Default<&v1::StatefulSetSpec::podManagementPolicy>("OrderedReady"),
    Default<&v1::StatefulSetSpec::replicas>(1),
    Default<&v1::StatefulSetSpec::revisionHistoryLimit>(10),
    Default<&v1::StatefulSetSpec::persistentVolumeClaimRetentionPolicy>(EmptyObject()),
    Default<&v1::StatefulSetPersistentVolumeClaimRetentionPolicy::whenDeleted>("Retain"),
    Default<&v1::StatefulSetPersistentVolumeClaimRetentionPolicy::whenScaled>("Retain"),
    Compute<CompleteStatefulSetUpdate>(),

    Compute<TakeLabelsOfTemplate>(),
    Default<&core::v1::ReplicationControllerSpec::replicas>(1),
};

}  // namespace

constexpr DefaultTable kAppsDefaults = {kKinds, kRules};

}  // namespace flyball::api
