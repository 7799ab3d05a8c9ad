#pragma once

#include <string>

#include "prometheus/metric_family.h"

namespace flyball {

/// Writes a family in Prometheus' text format, its series in the order of their label values.
/// Ours and not prometheus-cpp's, which writes 16 digits where Go writes as few as are needed and
/// 17 where they are, 1000000 where Go has 1e+06, and series in the order of a hash.
void AppendMetricText(std::string& text, prometheus::MetricFamily family);

}  // namespace flyball
