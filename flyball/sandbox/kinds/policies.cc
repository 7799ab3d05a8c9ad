#include <string>
#include <utility>

#include "flyball/api/autoscaling/v2.h"
#include "flyball/api/coordination/v1.h"
#include "flyball/api/policy/v1.h"
#include "flyball/sandbox/kinds/behaviour_for.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
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

class BudgetKind final : public BehaviourFor<PodDisruptionBudget> {
  FieldErrors CheckNew(const PodDisruptionBudget& budget, const Write&) const override {
    FieldErrors errors;
    const auto& spec = budget.spec;
    if (spec.minAvailable && spec.maxUnavailable) {
      errors.push_back({FieldError::Kind::kInvalid, "spec", Shown(spec),
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

class AutoscalerKind final : public BehaviourFor<HorizontalPodAutoscaler> {
  NameRule names() const override { return NameRule::kSubdomain; }

  FieldErrors CheckNew(const HorizontalPodAutoscaler& autoscaler, const Write&) const override {
    FieldErrors errors;
    const auto& spec = autoscaler.spec;
    if (spec.minReplicas && *spec.minReplicas < 1) {
      errors.push_back(FieldError::InvalidNumber("spec.minReplicas", *spec.minReplicas,
                                                 "must be greater than or equal to 1"));
    }
    if (spec.maxReplicas == 0) {
      errors.push_back(FieldError::Required("spec.maxReplicas", "must be set and greater than 0"));
    } else if (spec.maxReplicas < 0) {
      errors.push_back(FieldError::InvalidNumber("spec.maxReplicas", spec.maxReplicas,
                                                 "must be greater than or equal to 1"));
    }
    if (spec.minReplicas && spec.maxReplicas < *spec.minReplicas) {
      errors.push_back(FieldError::InvalidNumber("spec.maxReplicas", spec.maxReplicas,
                                                 "must be greater than or equal to `minReplicas`"));
    }
    if (spec.scaleTargetRef.kind.empty()) {
      errors.push_back(FieldError::Required("spec.scaleTargetRef.kind", ""));
    }
    if (spec.scaleTargetRef.name.empty()) {
      errors.push_back(FieldError::Required("spec.scaleTargetRef.name", ""));
    }
    return errors;
  }

  FieldErrors CheckChange(const HorizontalPodAutoscaler& now, const HorizontalPodAutoscaler&,
                          const Write& write) const override {
    return write.subresource == "status" ? FieldErrors() : CheckNew(now, write);
  }
};

class LeaseKind final : public BehaviourFor<Lease> {
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

const Behaviour& PodDisruptionBudgetBehaviour() {
  static const BudgetKind kBehaviour;
  return kBehaviour;
}

const Behaviour& HorizontalPodAutoscalerBehaviour() {
  static const AutoscalerKind kBehaviour;
  return kBehaviour;
}

const Behaviour& LeaseBehaviour() {
  static const LeaseKind kBehaviour;
  return kBehaviour;
}

}  // namespace flyball::sandbox
