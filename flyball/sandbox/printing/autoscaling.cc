#include <string>

#include "flyball/api/autoscaling/v1.h"
#include "flyball/api/autoscaling/v2.h"
#include "flyball/api/policy/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using autoscaling::v1::Scale;
using autoscaling::v2::HorizontalPodAutoscaler;
using autoscaling::v2::MetricSpec;
using autoscaling::v2::MetricStatus;
using autoscaling::v2::MetricTarget;
using autoscaling::v2::MetricValueStatus;
using policy::v1::PodDisruptionBudget;

constexpr std::string_view kUnknown = "<unknown>";

template <typename Quantity>
std::string Amount(const Quantity& quantity) {
  return quantity ? quantity->ToString() : "0";
}

/// What a metric of one source is, against what it is to be. `current` is null where nobody has
/// measured it yet.
std::string ValueAgainst(const MetricValueStatus* current, const MetricTarget& target) {
  if (target.averageValue) {
    const bool measured = current != nullptr && current->averageValue;
    return (measured ? Amount(current->averageValue) : std::string(kUnknown)) + "/" +
           Amount(target.averageValue) + " (avg)";
  }
  return (current != nullptr ? Amount(current->value) : std::string(kUnknown)) + "/" +
         Amount(target.value);
}

std::string AverageAgainst(const MetricValueStatus* current, const MetricTarget& target) {
  return (current != nullptr ? Amount(current->averageValue) : std::string(kUnknown)) + "/" +
         Amount(target.averageValue);
}

std::string Percent(const std::optional<std::int32_t>& share, std::string_view otherwise) {
  return share ? std::to_string(*share) + "%" : std::string(otherwise);
}

std::string ResourceAgainst(std::string_view resource, const MetricValueStatus* current,
                            const MetricTarget& target) {
  const std::string name = std::string(resource) + ": ";
  if (target.averageValue) return name + AverageAgainst(current, target);
  const std::optional<std::int32_t> share =
      current != nullptr ? current->averageUtilization : std::nullopt;
  return name + Percent(share, kUnknown) + "/" + Percent(target.averageUtilization, "<auto>");
}

template <typename Source>
const MetricValueStatus* CurrentOf(const Source& source) {
  return source ? &source->current : nullptr;
}

std::string MetricText(const MetricSpec& spec, const MetricStatus& status) {
  if (spec.type == "External" && spec.external) {
    return ValueAgainst(CurrentOf(status.external), spec.external->target);
  }
  if (spec.type == "Pods" && spec.pods) {
    return AverageAgainst(CurrentOf(status.pods), spec.pods->target);
  }
  if (spec.type == "Object" && spec.object) {
    return ValueAgainst(CurrentOf(status.object), spec.object->target);
  }
  if (spec.type == "Resource" && spec.resource) {
    return ResourceAgainst(spec.resource->name, CurrentOf(status.resource), spec.resource->target);
  }
  if (spec.type == "ContainerResource" && spec.containerResource) {
    return ResourceAgainst(spec.containerResource->name, CurrentOf(status.containerResource),
                           spec.containerResource->target);
  }
  return "<unknown type>";
}

std::string MetricsText(const std::vector<MetricSpec>& specs,
                        const std::vector<MetricStatus>& statuses) {
  if (specs.empty()) return "<none>";
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    texts.push_back(MetricText(specs[i], i < statuses.size() ? statuses[i] : MetricStatus{}));
  }
  return FirstFew(texts, 2, ", ");
}

constexpr Column kScalerColumns[] = {kName,       {"Reference"}, {"Targets"}, {"MinPods"},
                                     {"MaxPods"}, {"Replicas"},  kAge};

Cells ScalerCells(const HorizontalPodAutoscaler& scaler, WallTime now) {
  const auto& spec = scaler.spec;
  return {scaler.metadata.name,
          spec.scaleTargetRef.kind + "/" + spec.scaleTargetRef.name,
          MetricsText(spec.metrics, scaler.status.currentMetrics),
          spec.minReplicas ? std::to_string(*spec.minReplicas) : "<unset>",
          spec.maxReplicas,
          scaler.status.currentReplicas,
          AgeOf(scaler, now)};
}

constexpr Column kBudgetColumns[] = {
    kName, {"Min Available"}, {"Max Unavailable"}, Integer("Allowed Disruptions"), kAge};

Cells BudgetCells(const PodDisruptionBudget& budget, WallTime now) {
  const auto text = [](const auto& limit) { return limit ? limit->ToString() : "N/A"; };
  return {budget.metadata.name, text(budget.spec.minAvailable), text(budget.spec.maxUnavailable),
          budget.status.disruptionsAllowed, AgeOf(budget, now)};
}

constexpr Column kScaleColumns[] = {kName, Integer("Desired"), Integer("Available"), kAge};

Cells ScaleCells(const Scale& scale, WallTime now) {
  return {scale.metadata.name, scale.spec.replicas, scale.status.replicas, AgeOf(scale, now)};
}

constexpr Printer kPrinters[] = {
    For<Scale, ScaleCells>(kScaleColumns),
    For<HorizontalPodAutoscaler, ScalerCells>(kScalerColumns),
    For<PodDisruptionBudget, BudgetCells>(kBudgetColumns),
};

}  // namespace

std::span<const Printer> AutoscalingPrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
