#include "flyball/runtime/event_metrics.h"

namespace flyball::runtime {
namespace {

CounterFamily Dropped(MetricRegistry& registry) {
  return registry.Counters(
      {"events_dropped_total",
       "Number of Kubernetes events that a component recorded and that did not reach the API "
       "server, by component and reason: overflow, spam, refused, unreachable or shutdown.",
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
