#include "flyball/runtime/event_metrics.h"

namespace flyball::runtime {
namespace {

CounterFamily Dropped(MetricRegistry& registry) {
  return registry.Counters({"events_dropped_total",
                            "Events that were recorded and never reached the API server, by reason",
                            {"name", "reason"}});
}

}  // namespace

EventMetrics::EventMetrics(MetricRegistry& registry, std::string_view name)
    : overflow(Dropped(registry).With({name, "overflow"})),
      spam(Dropped(registry).With({name, "spam"})),
      refused(Dropped(registry).With({name, "refused"})),
      unreachable(Dropped(registry).With({name, "unreachable"})),
      shutdown(Dropped(registry).With({name, "shutdown"})) {}

}  // namespace flyball::runtime
