#include <string>
#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/pod_checks.h"
#include "flyball/sandbox/kinds/strategy_for.h"
#include "flyball/sandbox/kinds/workload_checks.h"

namespace flyball::sandbox {
namespace {

using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using core::v1::ReplicationController;

void CheckRollingUpdate(const apps::v1::DeploymentStrategy& strategy, FieldErrors& errors) {
  const std::string path = "spec.strategy.rollingUpdate";
  if (strategy.type == "Recreate") {
    if (strategy.rollingUpdate) {
      errors.push_back(
          FieldError::Forbidden(path, "may not be specified when strategy `type` is 'Recreate'"));
    }
    return;
  }
  if (strategy.type != "RollingUpdate") {
    errors.push_back({FieldError::Kind::kNotSupported, "spec.strategy", Shown(strategy),
                      "supported values: \"Recreate\", \"RollingUpdate\""});
    return;
  }
  if (!strategy.rollingUpdate) return;
  const auto& update = *strategy.rollingUpdate;
  const api::IntOrString unavailable = update.maxUnavailable.value_or(api::IntOrString());
  const api::IntOrString surge = update.maxSurge.value_or(api::IntOrString());
  CheckShare(unavailable, path + ".maxUnavailable", errors);
  CheckShare(surge, path + ".maxSurge", errors);
  if (unavailable.ScaledValue(100, true).value_or(0) == 0 &&
      surge.ScaledValue(100, true).value_or(0) == 0) {
    const std::string shown = unavailable.IsString() ? "\"" + unavailable.text() + "\""
                                                     : std::to_string(unavailable.number());
    errors.push_back({FieldError::Kind::kInvalid, path + ".maxUnavailable", shown,
                      "may not be 0 when `maxSurge` is 0"});
  }
  if (unavailable.IsString() && unavailable.ScaledValue(100, true).value_or(0) > 100) {
    errors.push_back(FieldError::Invalid(path + ".maxUnavailable", unavailable.text(),
                                         "must not be greater than 100%"));
  }
}

/// What is available is ready, and what is ready is there.
template <typename Status>
void CheckReady(const Status& status, FieldErrors& errors) {
  CheckPart(status.readyReplicas, status.replicas, "status.readyReplicas", "status.replicas",
            errors);
  CheckPart(status.availableReplicas, status.replicas, "status.availableReplicas",
            "status.replicas", errors);
  CheckPart(status.availableReplicas, status.readyReplicas, "status.availableReplicas",
            "readyReplicas", errors);
}

class DeploymentKind final : public StrategyFor<Deployment> {
  void PrepareChange(Deployment& now, const Deployment& before, const Write& write) const override {
    if (write.subresource == "status") {
      now.metadata.labels = before.metadata.labels;
    } else if (now.metadata.annotations != before.metadata.annotations) {
      // PARITY: they count as something that was asked for.
      now.metadata.generation = before.metadata.generation + 1;
    }
  }

  FieldErrors CheckNew(const Deployment& deployment, const Write&) const override {
    FieldErrors errors;
    const auto& spec = deployment.spec;
    CheckNotNegative(spec.replicas, "spec.replicas", errors);
    CheckTemplateSelector(spec.selector, spec.template_, "deployment", errors);
    CheckLastingTemplate(spec.template_, "ReplicaSet", errors);
    CheckRollingUpdate(spec.strategy, errors);
    CheckNotNegative(std::int64_t{spec.minReadySeconds}, "spec.minReadySeconds", errors);
    CheckNotNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit", errors);
    if (spec.progressDeadlineSeconds) {
      const std::string path = "spec.progressDeadlineSeconds";
      CheckNotNegative(spec.progressDeadlineSeconds, path, errors);
      if (*spec.progressDeadlineSeconds <= spec.minReadySeconds) {
        errors.push_back(FieldError::InvalidNumber(path, *spec.progressDeadlineSeconds,
                                                   "must be greater than minReadySeconds"));
      }
    }
    return errors;
  }

  FieldErrors CheckChange(const Deployment& now, const Deployment& before,
                          const Write& write) const override {
    if (write.subresource == "status") return CheckStatus(now, before);
    FieldErrors errors = CheckNew(now, write);
    CheckSelectorUnchanged(now.spec.selector, before.spec.selector, errors);
    return errors;
  }

  static FieldErrors CheckStatus(const Deployment& now, const Deployment& before) {
    FieldErrors errors;
    const auto& status = now.status;
    CheckNotNegative(status.observedGeneration, "status.observedGeneration", errors);
    CheckNotNegative(std::int64_t{status.replicas}, "status.replicas", errors);
    CheckNotNegative(std::int64_t{status.updatedReplicas}, "status.updatedReplicas", errors);
    CheckNotNegative(std::int64_t{status.readyReplicas}, "status.readyReplicas", errors);
    CheckNotNegative(std::int64_t{status.availableReplicas}, "status.availableReplicas", errors);
    CheckNotNegative(std::int64_t{status.unavailableReplicas}, "status.unavailableReplicas",
                     errors);
    CheckPart(status.updatedReplicas, status.replicas, "status.updatedReplicas", "status.replicas",
              errors);
    CheckReady(status, errors);
    const std::int32_t collisions = before.status.collisionCount.value_or(0);
    if (before.status.collisionCount && status.collisionCount.value_or(-1) < collisions) {
      errors.push_back(FieldError::InvalidNumber(
          "status.collisionCount", status.collisionCount.value_or(0), "cannot be decremented"));
    }
    return errors;
  }
};

template <typename Status>
void CheckReplicaStatus(const Status& status, FieldErrors& errors) {
  CheckNotNegative(std::int64_t{status.replicas}, "status.replicas", errors);
  CheckNotNegative(std::int64_t{status.fullyLabeledReplicas}, "status.fullyLabeledReplicas",
                   errors);
  CheckNotNegative(std::int64_t{status.readyReplicas}, "status.readyReplicas", errors);
  CheckNotNegative(std::int64_t{status.availableReplicas}, "status.availableReplicas", errors);
  CheckNotNegative(status.observedGeneration, "status.observedGeneration", errors);
  CheckPart(status.fullyLabeledReplicas, status.replicas, "status.fullyLabeledReplicas",
            "status.replicas", errors);
  CheckReady(status, errors);
}

class ReplicaSetKind final : public StrategyFor<ReplicaSet> {
  FieldErrors CheckNew(const ReplicaSet& set, const Write&) const override {
    FieldErrors errors;
    CheckNotNegative(set.spec.replicas, "spec.replicas", errors);
    CheckNotNegative(std::int64_t{set.spec.minReadySeconds}, "spec.minReadySeconds", errors);
    // PARITY: upstream calls it a deployment here.
    CheckTemplateSelector(set.spec.selector, set.spec.template_, "deployment", errors);
    CheckLastingTemplate(set.spec.template_, "ReplicaSet", errors);
    return errors;
  }

  FieldErrors CheckChange(const ReplicaSet& now, const ReplicaSet& before,
                          const Write& write) const override {
    FieldErrors errors;
    if (write.subresource == "status") {
      CheckReplicaStatus(now.status, errors);
      return errors;
    }
    errors = CheckNew(now, write);
    CheckSelectorUnchanged(now.spec.selector, before.spec.selector, errors);
    return errors;
  }
};

class ReplicationControllerKind final : public StrategyFor<ReplicationController> {
  FieldErrors CheckNew(const ReplicationController& controller, const Write&) const override {
    FieldErrors errors;
    const auto& spec = controller.spec;
    CheckNotNegative(std::int64_t{spec.minReadySeconds}, "spec.minReadySeconds", errors);
    if (spec.selector.empty()) errors.push_back(FieldError::Required("spec.selector", ""));
    CheckNotNegative(spec.replicas, "spec.replicas", errors);
    if (!spec.template_) {
      errors.push_back(FieldError::Required("spec.template", ""));
      return errors;
    }
    for (const auto& [key, value] : spec.selector) {
      const std::string* const own = spec.template_->metadata.labels.find(key);
      if (own != nullptr && *own == value) continue;
      errors.push_back({FieldError::Kind::kInvalid, "spec.template.metadata.labels",
                        ShownLabels(spec.template_->metadata.labels),
                        "`selector` does not match template `labels`"});
      break;
    }
    CheckLastingTemplate(*spec.template_, "ReplicationController", errors);
    return errors;
  }

  FieldErrors CheckChange(const ReplicationController& now, const ReplicationController&,
                          const Write& write) const override {
    if (write.subresource != "status") return CheckNew(now, write);
    FieldErrors errors;
    CheckReplicaStatus(now.status, errors);
    return errors;
  }
};

}  // namespace

const RestStrategy& DeploymentRestStrategy() {
  static const DeploymentKind kStrategy;
  return kStrategy;
}

const RestStrategy& ReplicaSetRestStrategy() {
  static const ReplicaSetKind kStrategy;
  return kStrategy;
}

const RestStrategy& ReplicationControllerRestStrategy() {
  static const ReplicationControllerKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
