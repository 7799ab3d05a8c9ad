#pragma once

#include "flyball/api/autoscaling/v2.h"
#include "flyball/api/map.h"

/// What autoscaling/v1 has no members for stands in annotations there, as JSON in a form of its
/// own: metrics by flatter names, and the behaviour by the names that upstream's Go structs have.
namespace flyball::sandbox {

using Annotations = api::Map<std::string>;

/// Writes what `scaler` has and v1 cannot say.
void WriteAutoscalerAnnotations(const autoscaling::v2::HorizontalPodAutoscaler& scaler,
                                Annotations& annotations);
/// Takes that back. What does not parse says nothing.
void ReadAutoscalerAnnotations(const Annotations& annotations,
                               autoscaling::v2::HorizontalPodAutoscaler& scaler);
/// They are never stored.
void DropAutoscalerAnnotations(Annotations& annotations);

/// v1 has a member for the share of CPU that pods are to use, and for no other metric.
bool IsCpuUtilization(const autoscaling::v2::MetricSpec& metric);

}  // namespace flyball::sandbox
