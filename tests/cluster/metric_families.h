#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace flyball::cluster {

/// What a page of metrics says of one of them, beside its values.
struct MetricFamily {
  std::string type = {};
  std::string help = {};
  std::set<std::string> labels = {};  ///< of all its samples; without a histogram's "le"
  bool operator==(const MetricFamily&) const = default;
};

/// A page in Prometheus' text form, by name.
std::map<std::string, MetricFamily> ParseMetrics(std::string_view page);

}  // namespace flyball::cluster
