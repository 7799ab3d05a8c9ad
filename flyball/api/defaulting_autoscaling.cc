#include "flyball/api/autoscaling/v1.h"
#include "flyball/api/autoscaling/v2.h"
#include "flyball/api/internal/default_rule.h"

/// Defaults of HorizontalPodAutoscalers.
namespace flyball::api {
namespace {

namespace v2 = autoscaling::v2;

constexpr std::int32_t kPeriodSeconds = 15;

v2::HPAScalingPolicy Policy(std::string_view type, std::int32_t value) {
  v2::HPAScalingPolicy policy;
  policy.type = type;
  policy.value = value;
  policy.periodSeconds = kPeriodSeconds;
  return policy;
}

/// Four pods or twice as many, whichever is more, at once.
void CompleteScaleUp(v2::HPAScalingRules& rules) {
  if (!rules.stabilizationWindowSeconds) rules.stabilizationWindowSeconds = 0;
  if (!rules.selectPolicy) rules.selectPolicy = "Max";
  if (rules.policies.empty()) rules.policies = {Policy("Pods", 4), Policy("Percent", 100)};
}

/// All of them. How long to wait first stays open: that is an option of the controller's.
void CompleteScaleDown(v2::HPAScalingRules& rules) {
  if (!rules.selectPolicy) rules.selectPolicy = "Max";
  if (rules.policies.empty()) rules.policies = {Policy("Percent", 100)};
}

/// Both directions as soon as `behavior` is there, and none if it is not.
// DIVERGES: a list of policies that is there and empty is none here, and gets the default; upstream
// keeps one that came as JSON, and refuses it afterwards.
void CompleteBehavior(v2::HorizontalPodAutoscalerBehavior& behavior) {
  CompleteScaleUp(behavior.scaleUp.get_or_emplace());
  CompleteScaleDown(behavior.scaleDown.get_or_emplace());
}

void MeasureCpu(v2::HorizontalPodAutoscalerSpec& spec) {
  if (!spec.metrics.empty()) return;
  v2::MetricSpec& metric = spec.metrics.emplace_back();
  metric.type = "Resource";
  v2::ResourceMetricSource& resource = metric.resource.emplace();
  resource.name = "cpu";
  resource.target.type = "Utilization";
  resource.target.averageUtilization = 80;
}

constexpr const TypeInfo* kKinds[] = {
    &autoscaling::v1::HorizontalPodAutoscaler::kType,
    &v2::HorizontalPodAutoscaler::kType,
};

constexpr DefaultRule kRules[] = {
    // v1's target for CPU is set in the conversion from v2, which sees the annotations.
    Default<&autoscaling::v1::HorizontalPodAutoscalerSpec::minReplicas>(1),

    Default<&v2::HorizontalPodAutoscalerSpec::minReplicas>(1),
    Compute<MeasureCpu>(),
    Compute<CompleteBehavior>(),
};

}  // namespace

constexpr DefaultTable kAutoscalingDefaults = {kKinds, kRules};

}  // namespace flyball::api
