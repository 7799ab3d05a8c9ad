#include "flyball/runtime/own_write_metrics.h"

#include <string>
#include <utility>

namespace flyball::runtime {
namespace {

MetricInfo Info(std::string name, std::string help) {
  return {.name = "flyball_own_write_" + std::move(name),
          .help = std::move(help),
          .labels = {"controller"}};
}

}  // namespace

// A watch that is well shows a write in milliseconds; after a minute a hold is given up.
OwnWriteMetrics::OwnWriteMetrics(MetricRegistry& registry, std::string_view controller,
                                 std::move_only_function<double()> count)
    : held(registry
               .Histograms(Info("hold_duration_seconds",
                                "How long a key waited until the caches showed what was written "
                                "for it"),
                           {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60})
               .With({controller})),
      gave_up(registry
                  .Counters(Info("holds_given_up_total",
                                 "Keys that went on after a minute, though a cache did not show "
                                 "what was written for them"))
                  .With({controller})),
      waiting(registry
                  .Gauges(Info("holds",
                               "Keys that wait until the caches show what was written for them"))
                  .WithCallback({controller}, std::move(count))) {}

}  // namespace flyball::runtime
