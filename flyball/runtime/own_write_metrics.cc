#include "flyball/runtime/own_write_metrics.h"

#include <string>
#include <utility>

namespace flyball::runtime {
namespace {

MetricInfo Info(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .labels = {"controller"}};
}

}  // namespace

// A watch that is well shows a write in milliseconds.
OwnWriteMetrics::OwnWriteMetrics(MetricRegistry& registry, std::string_view controller,
                                 std::move_only_function<double()> count,
                                 std::move_only_function<double()> oldest_seconds)
    : held(registry
               .Histograms(Info("flyball_own_write_hold_duration_seconds",
                                "Time in seconds that a key was held until the caches showed the "
                                "controller's own write, by controller."),
                           {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60, 300})
               .With({controller})),
      waiting(registry
                  .Gauges(Info("flyball_own_write_holds",
                               "Number of keys that are held until the caches show the "
                               "controller's own write, by controller."))
                  .WithCallback({controller}, std::move(count))),
      oldest(registry
                 .Gauges(Info("flyball_own_write_oldest_hold_seconds",
                              "Time in seconds for which the key that is held the longest has "
                              "waited for the caches to show the controller's own write, by "
                              "controller."))
                 .WithCallback({controller}, std::move(oldest_seconds))) {}

}  // namespace flyball::runtime
