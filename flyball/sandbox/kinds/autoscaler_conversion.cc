#include "flyball/api/autoscaling/v1.h"
#include "flyball/api/autoscaling/v2.h"
#include "flyball/sandbox/kinds/autoscaler_annotations.h"
#include "flyball/sandbox/kinds/conversions.h"

namespace flyball::sandbox {
namespace {

namespace v1 = autoscaling::v1;
namespace v2 = autoscaling::v2;

constexpr std::int32_t kDefaultUtilization = 80;

/// What both call by the same name.
template <typename To, typename From>
To CommonPart(const From& from) {
  To to;
  to.metadata = from.metadata;
  to.spec.scaleTargetRef.kind = from.spec.scaleTargetRef.kind;
  to.spec.scaleTargetRef.name = from.spec.scaleTargetRef.name;
  to.spec.scaleTargetRef.apiVersion = from.spec.scaleTargetRef.apiVersion;
  to.spec.minReplicas = from.spec.minReplicas;
  to.spec.maxReplicas = from.spec.maxReplicas;
  to.status.observedGeneration = from.status.observedGeneration;
  to.status.lastScaleTime = from.status.lastScaleTime;
  to.status.currentReplicas = from.status.currentReplicas;
  to.status.desiredReplicas = from.status.desiredReplicas;
  return to;
}

v2::MetricSpec CpuUtilization(std::int32_t percentage) {
  v2::MetricSpec metric;
  metric.type = "Resource";
  auto& resource = metric.resource.emplace();
  resource.name = "cpu";
  resource.target.type = "Utilization";
  resource.target.averageUtilization = percentage;
  return metric;
}

v2::HorizontalPodAutoscaler ToStored(const v1::HorizontalPodAutoscaler& served) {
  auto scaler = CommonPart<v2::HorizontalPodAutoscaler>(served);
  if (served.status.currentCPUUtilizationPercentage) {
    v2::MetricStatus& metric = scaler.status.currentMetrics.emplace_back();
    metric.type = "Resource";
    auto& resource = metric.resource.emplace();
    resource.name = "cpu";
    resource.current.averageUtilization = served.status.currentCPUUtilizationPercentage;
  }
  ReadAutoscalerAnnotations(served.metadata.annotations, scaler);
  DropAutoscalerAnnotations(scaler.metadata.annotations);
  const auto& target = served.spec.targetCPUUtilizationPercentage;
  // A default, and only here: it takes the annotations to know that there is no other metric.
  if (target || scaler.spec.metrics.empty()) {
    scaler.spec.metrics.push_back(CpuUtilization(target.value_or(kDefaultUtilization)));
  }
  return scaler;
}

v1::HorizontalPodAutoscaler ToServed(const v2::HorizontalPodAutoscaler& stored) {
  auto scaler = CommonPart<v1::HorizontalPodAutoscaler>(stored);
  for (const v2::MetricSpec& metric : stored.spec.metrics) {
    if (!IsCpuUtilization(metric)) continue;
    scaler.spec.targetCPUUtilizationPercentage = metric.resource->target.averageUtilization;
    break;
  }
  for (const v2::MetricStatus& metric : stored.status.currentMetrics) {
    if (metric.type != "Resource" || !metric.resource || metric.resource->name != "cpu") continue;
    if (!metric.resource->current.averageUtilization) continue;
    // PARITY: of several the last, where the target is the first.
    scaler.status.currentCPUUtilizationPercentage = metric.resource->current.averageUtilization;
  }
  DropAutoscalerAnnotations(scaler.metadata.annotations);
  WriteAutoscalerAnnotations(stored, scaler.metadata.annotations);
  return scaler;
}

}  // namespace

Conversion AutoscalerConversion() {
  return ConversionBetween<v1::HorizontalPodAutoscaler, v2::HorizontalPodAutoscaler, ToStored,
                           ToServed>();
}

}  // namespace flyball::sandbox
