#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/internal/default_rule.h"

/// Defaults of what keeps pods running. Their templates are in defaulting_pod.cc, a StatefulSet's
/// claims in defaulting_volume.cc.
namespace flyball::api {
namespace {

using namespace apps::v1;
using core::v1::ReplicationController;
using core::v1::ReplicationControllerSpec;

constexpr char kRollingUpdate[] = "RollingUpdate";

void CompleteDeploymentUpdate(DeploymentStrategy& strategy) {
  if (strategy.type != kRollingUpdate) return;
  RollingUpdateDeployment& update = strategy.rollingUpdate.get_or_emplace();
  if (!update.maxUnavailable) update.maxUnavailable = IntOrString("25%");
  if (!update.maxSurge) update.maxSurge = IntOrString("25%");
}

void CompleteDaemonSetUpdate(DaemonSetUpdateStrategy& strategy) {
  if (strategy.type != kRollingUpdate) return;
  RollingUpdateDaemonSet& update = strategy.rollingUpdate.get_or_emplace();
  if (!update.maxUnavailable) update.maxUnavailable = IntOrString(1);
  if (!update.maxSurge) update.maxSurge = IntOrString(0);
}

/// PARITY: unlike the others, a StatefulSet that names its strategy and gives no parameters gets
/// none.
void CompleteStatefulSetUpdate(StatefulSetUpdateStrategy& strategy) {
  if (strategy.type.empty()) {
    strategy.type = kRollingUpdate;
    strategy.rollingUpdate.get_or_emplace();
  }
  if (strategy.type != kRollingUpdate || !strategy.rollingUpdate) return;
  RollingUpdateStatefulSetStrategy& update = *strategy.rollingUpdate;
  if (!update.partition) update.partition = 0;
  // Gate MaxUnavailableStatefulSet, on since v1.37.
  if (!update.maxUnavailable) update.maxUnavailable = IntOrString(1);
}

/// The selector is the template's labels, and so are its own. Later kinds ask for a selector.
void TakeLabelsOfTemplate(ReplicationController& controller) {
  if (!controller.spec.template_) return;
  const auto& labels = controller.spec.template_->metadata.labels;
  if (controller.spec.selector.empty()) controller.spec.selector = labels;
  if (controller.metadata.labels.empty()) controller.metadata.labels = labels;
}

constexpr const TypeInfo* kKinds[] = {
    &DaemonSet::kType,
    &Deployment::kType,
    &ReplicaSet::kType,
    &StatefulSet::kType,
    &ReplicationController::kType,
};

constexpr DefaultRule kRules[] = {
    Default<&DeploymentSpec::replicas>(1),
    Default<&DeploymentSpec::revisionHistoryLimit>(10),
    Default<&DeploymentSpec::progressDeadlineSeconds>(600),
    Default<&DeploymentStrategy::type>(kRollingUpdate),
    Compute<CompleteDeploymentUpdate>(),

    Default<&ReplicaSetSpec::replicas>(1),

    Default<&DaemonSetSpec::revisionHistoryLimit>(10),
    Default<&DaemonSetUpdateStrategy::type>(kRollingUpdate),
    Compute<CompleteDaemonSetUpdate>(),

    Default<&StatefulSetSpec::podManagementPolicy>("OrderedReady"),
    Default<&StatefulSetSpec::replicas>(1),
    Default<&StatefulSetSpec::revisionHistoryLimit>(10),
    Default<&StatefulSetSpec::persistentVolumeClaimRetentionPolicy>(EmptyObject()),
    Default<&StatefulSetPersistentVolumeClaimRetentionPolicy::whenDeleted>("Retain"),
    Default<&StatefulSetPersistentVolumeClaimRetentionPolicy::whenScaled>("Retain"),
    Compute<CompleteStatefulSetUpdate>(),

    Compute<TakeLabelsOfTemplate>(),
    Default<&ReplicationControllerSpec::replicas>(1),
};

}  // namespace

constexpr DefaultTable kAppsDefaults = {kKinds, kRules};

}  // namespace flyball::api
