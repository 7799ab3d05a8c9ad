#include "flyball/cache/informer_metrics.h"

#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace flyball::cache {
namespace {

const std::vector<std::string>& Labels() {
  static const std::vector<std::string> labels = {"name", "group", "version", "resource"};
  return labels;
}

const std::vector<double>& Buckets() {
  static const std::vector<double> buckets = {0.001, 0.005, 0.01, 0.025, 0.05, 0.1,
                                              0.25,  0.5,   1,    2.5,   5,    10};
  return buckets;
}

/// As many digits as a double holds exactly.
constexpr std::size_t kDigits = 15;

}  // namespace

InformerMetrics::InformerMetrics(MetricRegistry& registry, std::string name,
                                 const client::Resource& resource)
    : name_(std::move(name)),
      resource_(resource),
      queued_(registry.Gauges({"informer_queued_items",
                               "Number of events that an informer has received and not yet "
                               "delivered to its event handlers.",
                               Labels()})),
      latency_(registry
                   .Histograms({"informer_processing_latency_seconds",
                                "Time in seconds that an informer took to store a watch event and "
                                "to pass it to its event handlers.",
                                Labels()},
                               Buckets())
                   .With({name_, resource_.group, resource_.version, resource_.plural})),
      version_(registry
                   .Gauges({"informer_store_resource_version",
                            "Resource version up to which an informer's store is current, as a "
                            "number: its last 15 digits.",
                            Labels()})
                   .With({name_, resource_.group, resource_.version, resource_.plural})),
      unreadable_(registry
                      .Gauges({"flyball_informer_unreadable_objects",
                               "Number of objects in an informer's store that could not be "
                               "decoded; only their metadata is known.",
                               Labels()})
                      .With({name_, resource_.group, resource_.version, resource_.plural})) {}

void InformerMetrics::Reached(std::string_view resource_version) const {
  if (resource_version.size() > kDigits) {
    resource_version.remove_prefix(resource_version.size() - kDigits);
  }
  std::int64_t number = 0;
  const char* const end = resource_version.data() + resource_version.size();
  const auto read = std::from_chars(resource_version.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) version_.Set(static_cast<double>(number));
}

GaugeCallback InformerMetrics::ShowQueued(std::move_only_function<double()> queued) const {
  return queued_.WithCallback({name_, resource_.group, resource_.version, resource_.plural},
                              std::move(queued));
}

}  // namespace flyball::cache
