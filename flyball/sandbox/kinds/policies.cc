#include <algorithm>
#include <string>
#include <utility>

#include "flyball/api/autoscaling/v2.h"
#include "flyball/api/coordination/v1.h"
#include "flyball/api/policy/v1.h"
#include "flyball/sandbox/kinds/autoscaler_annotations.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/strategy_for.h"
#include "flyball/sandbox/kinds/workload_checks.h"

namespace flyball::sandbox {
namespace {

using autoscaling::v2::HorizontalPodAutoscaler;
using coordination::v1::Lease;
using policy::v1::PodDisruptionBudget;

void CheckBudgetShare(const std::optional<api::IntOrString>& share, const std::string& path,
                      FieldErrors& errors) {
  if (!share) return;
  CheckShare(*share, path, errors);
  if (share->IsString() && share->ScaledValue(100, true).value_or(0) > 100) {
    errors.push_back(FieldError::Invalid(path, share->text(), "must not be greater than 100%"));
  }
}

// PARITY: upstream shows its internal type, whose members are called otherwise.
std::string AsUpstreamShows(const policy::v1::PodDisruptionBudgetSpec& spec) {
  const auto share = [](const api::IntOrString& value) {
    return value.IsString() ? "\"" + value.text() + "\"" : std::to_string(value.number());
  };
  return "{\"MinAvailable\":" + share(*spec.minAvailable) +
         ",\"Selector\":" + (spec.selector ? Shown(*spec.selector) : "null") +
         ",\"MaxUnavailable\":" + share(*spec.maxUnavailable) + ",\"UnhealthyPodEvictionPolicy\":" +
         (spec.unhealthyPodEvictionPolicy ? "\"" + *spec.unhealthyPodEvictionPolicy + "\""
                                          : "null") +
         "}";
}

class BudgetKind final : public StrategyFor<PodDisruptionBudget> {
  FieldErrors CheckNew(const PodDisruptionBudget& budget, const Write&) const override {
    FieldErrors errors;
    const auto& spec = budget.spec;
    if (spec.minAvailable && spec.maxUnavailable) {
      errors.push_back({FieldError::Kind::kInvalid, "spec", AsUpstreamShows(spec),
                        "minAvailable and maxUnavailable cannot be both set"});
    }
    CheckBudgetShare(spec.minAvailable, "spec.minAvailable", errors);
    CheckBudgetShare(spec.maxUnavailable, "spec.maxUnavailable", errors);
    if (spec.selector) CheckSelector(*spec.selector, "spec.selector", errors);
    if (spec.unhealthyPodEvictionPolicy) {
      CheckOneOf(*spec.unhealthyPodEvictionPolicy, {"AlwaysAllow", "IfHealthyBudget"},
                 "spec.unhealthyPodEvictionPolicy", errors);
    }
    return errors;
  }

  FieldErrors CheckChange(const PodDisruptionBudget& now, const PodDisruptionBudget&,
                          const Write& write) const override {
    if (write.subresource != "status") return CheckNew(now, write);
    FieldErrors errors;
    const auto& status = now.status;
    CheckNotNegative(std::int64_t{status.disruptionsAllowed}, "status.disruptionsAllowed", errors);
    CheckNotNegative(std::int64_t{status.currentHealthy}, "status.currentHealthy", errors);
    CheckNotNegative(std::int64_t{status.desiredHealthy}, "status.desiredHealthy", errors);
    CheckNotNegative(std::int64_t{status.expectedPods}, "status.expectedPods", errors);
    return errors;
  }
};

/// Nothing that is not there can be measured: to come back from zero takes a metric of something
/// else.
void CheckScalesFromZero(const autoscaling::v2::HorizontalPodAutoscalerSpec& spec,
                         FieldErrors& errors) {
  const auto outside = [](const autoscaling::v2::MetricSpec& metric) {
    return metric.type == "Object" || metric.type == "External";
  };
  if (spec.minReplicas != 0 || std::ranges::any_of(spec.metrics, outside)) return;
  errors.push_back(FieldError::Forbidden("spec.metrics",
                                         "must specify at least one Object or External metric to "
                                         "support scaling to zero replicas"));
}

void CheckPolicies(const autoscaling::v2::HPAScalingRules& rules, std::string path,
                   FieldErrors& errors) {
  if (!rules.policies.empty()) return;
  errors.push_back(FieldError::Required(std::move(path), "must specify at least one Policy"));
}

class AutoscalerKind final : public StrategyFor<HorizontalPodAutoscaler> {
  /// They are how v1 is shown what it has no members for.
  StatusOr<> AdmitNew(HorizontalPodAutoscaler& autoscaler, const Write&) const override {
    DropAutoscalerAnnotations(autoscaler.metadata.annotations);
    return {};
  }
  StatusOr<> AdmitChange(HorizontalPodAutoscaler& now, const HorizontalPodAutoscaler&,
                         const Write&) const override {
    DropAutoscalerAnnotations(now.metadata.annotations);
    return {};
  }

  FieldErrors CheckNew(const HorizontalPodAutoscaler& autoscaler, const Write&) const override {
    FieldErrors errors;
    const auto& spec = autoscaler.spec;
    const auto& target = spec.scaleTargetRef;
    if (spec.minReplicas && spec.maxReplicas < *spec.minReplicas) {
      errors.push_back(FieldError::InvalidNumber("spec.maxReplicas", spec.maxReplicas,
                                                 "must be greater than or equal to `minReplicas`"));
    }
    if (target.kind.empty()) {
      errors.push_back(FieldError::Required("spec.scaleTargetRef.kind", ""));
    }
    if (target.name.empty()) {
      errors.push_back(FieldError::Required("spec.scaleTargetRef.name", ""));
    }
    if (target.apiVersion.empty()) {
      errors.push_back(FieldError::Invalid("spec.scaleTargetRef.apiVersion", "",
                                           "apiVersion must specify API group"));
    }
    CheckScalesFromZero(spec, errors);
    if (spec.behavior && spec.behavior->scaleUp) {
      CheckPolicies(*spec.behavior->scaleUp, "spec.behavior.scaleUp.policies", errors);
    }
    if (spec.behavior && spec.behavior->scaleDown) {
      CheckPolicies(*spec.behavior->scaleDown, "spec.behavior.scaleDown.policies", errors);
    }
    // PARITY: what upstream declares is checked behind what it programs.
    if (spec.minReplicas && *spec.minReplicas < 0) {
      errors.push_back(FieldError::InvalidNumber("spec.minReplicas", *spec.minReplicas,
                                                 "must be greater than or equal to 0"));
    }
    if (spec.maxReplicas == 0) {
      errors.push_back(FieldError::Required("spec.maxReplicas", ""));
    } else if (spec.maxReplicas < 0) {
      errors.push_back(FieldError::InvalidNumber("spec.maxReplicas", spec.maxReplicas,
                                                 "must be greater than or equal to 1"));
    }
    return errors;
  }

  FieldErrors CheckChange(const HorizontalPodAutoscaler& now, const HorizontalPodAutoscaler&,
                          const Write& write) const override {
    return write.subresource == "status" ? FieldErrors() : CheckNew(now, write);
  }
};

class LeaseKind final : public StrategyFor<Lease> {
  FieldErrors CheckNew(const Lease& lease, const Write&) const override {
    FieldErrors errors;
    const auto& spec = lease.spec;
    if (spec.leaseDurationSeconds && *spec.leaseDurationSeconds <= 0) {
      errors.push_back(FieldError::InvalidNumber(
          "spec.leaseDurationSeconds", *spec.leaseDurationSeconds, "must be greater than 0"));
    }
    CheckNotNegative(spec.leaseTransitions, "spec.leaseTransitions", errors);
    return errors;
  }

  FieldErrors CheckChange(const Lease& now, const Lease&, const Write& write) const override {
    return CheckNew(now, write);
  }
};

}  // namespace

const RestStrategy& PodDisruptionBudgetRestStrategy() {
  static const BudgetKind kStrategy;
  return kStrategy;
}

const RestStrategy& HorizontalPodAutoscalerRestStrategy() {
  static const AutoscalerKind kStrategy;
  return kStrategy;
}

const RestStrategy& LeaseRestStrategy() {
  static const LeaseKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
