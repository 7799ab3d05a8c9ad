#include "flyball/base/internal/metrics_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "flyball/base/check.h"

namespace flyball {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void AppendEscaped(std::string& text, std::string_view raw, bool in_quotes) {
  for (const char c : raw) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || (in_quotes && c == '"')) text += '\\';
    text += c;
  }
}

/// The shortest text that reads back as the same number, with an exponent from 1e+06 up and from
/// 1e-05 down: Go's format 'g'.
void AppendNumber(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "NaN";
  } else if (std::isinf(value)) {
    text += value > 0 ? "+Inf" : "-Inf";
  } else if (value == 0) {
    text += '0';  // the negative one too
  } else {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::general);
    text.append(digits.begin(), end.ptr);
  }
}

void AppendLabels(std::string& text, const ClientMetric& metric, const double* upper_bound) {
  if (metric.label.empty() && upper_bound == nullptr) return;
  char separator = '{';
  for (const auto& label : metric.label) {
    text += separator;
    text += label.name;
    text += "=\"";
    AppendEscaped(text, label.value, true);
    text += '"';
    separator = ',';
  }
  if (upper_bound != nullptr) {
    text += separator;
    text += "le=\"";
    AppendNumber(text, *upper_bound);
    text += '"';
  }
  text += '}';
}

void AppendSample(std::string& text, const std::string& name, std::string_view suffix,
                  const ClientMetric& metric, double value) {
  text += name;
  text += suffix;
  AppendLabels(text, metric, nullptr);
  text += ' ';
  AppendNumber(text, value);
  text += '\n';
}

void AppendBucket(std::string& text, const std::string& name, const ClientMetric& metric,
                  double upper_bound, std::uint64_t count) {
  text += name;
  text += "_bucket";
  AppendLabels(text, metric, &upper_bound);
  text += ' ' + std::to_string(count) + '\n';
}

void AppendHistogram(std::string& text, const std::string& name, const ClientMetric& metric) {
  for (const auto& bucket : metric.histogram.bucket) {
    AppendBucket(text, name, metric, bucket.upper_bound, bucket.cumulative_count);
  }
  AppendSample(text, name, "_sum", metric, metric.histogram.sample_sum);
  text += name;
  text += "_count";
  AppendLabels(text, metric, nullptr);
  text += ' ' + std::to_string(metric.histogram.sample_count) + '\n';
}

std::string_view TypeName(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return "counter";
    case MetricType::Gauge:
      return "gauge";
    case MetricType::Histogram:
      return "histogram";
    case MetricType::Summary:
    case MetricType::Untyped:
      break;
  }
  CheckFailed(__FILE__, __LINE__, "type", "no family of this kind can be made");
}

}  // namespace

void AppendMetricText(std::string& text, MetricFamily family) {
  if (family.metric.empty()) return;
  // All have the same names, in the same order, so this is the order of the values.
  std::ranges::sort(family.metric, {}, &ClientMetric::label);
  text += "# HELP " + family.name + ' ';
  AppendEscaped(text, family.help, false);
  text += "\n# TYPE " + family.name + ' ';
  text += TypeName(family.type);
  text += '\n';
  for (const ClientMetric& metric : family.metric) {
    if (family.type == MetricType::Counter) {
      AppendSample(text, family.name, "", metric, metric.counter.value);
    } else if (family.type == MetricType::Gauge) {
      AppendSample(text, family.name, "", metric, metric.gauge.value);
    } else {
      AppendHistogram(text, family.name, metric);
    }
  }
}

}  // namespace flyball
