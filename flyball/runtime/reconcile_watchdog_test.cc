#include "flyball/runtime/reconcile_watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/log_sink.h"
#include "flyball/runtime/reconcile_metrics.h"

namespace flyball::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(ReconcileWatchdog, SaysOnceThatAReconcileIsStuckAndLaterStopsIt) {
  DeterministicExecutor executor(1);
  Timers timers(executor);
  const auto lines = std::make_shared<StringLogSink>();
  MetricRegistry registry;
  const ReconcileMetrics metrics(registry, "jobs");
  ReconcileWatchdog watchdog({.timers = timers,
                              .stuck = metrics.stuck,
                              .overdue = metrics.overdue,
                              .log = Logger({}, executor.clock(), lines)},
                             {.queue = "jobs"});
  SteadyTime stopped;
  const SteadyTime start = executor.clock().SteadyNow();
  executor.Start("stuck", [&] {
    const auto watched = watchdog.Watch("ns/job");
    executor.clock().SleepFor(std::chrono::hours(1), watched.stop());
    stopped = executor.clock().SteadyNow();
  });
  executor.Start("quick", [&] {
    for (int i = 0; i < 100; ++i) {
      const auto watched = watchdog.Watch("ns/other");
      executor.clock().SleepFor(seconds(5));
    }
  });
  static_cast<void>(executor.RunFor(minutes(10)));
  EXPECT_EQ(stopped - start, minutes(5));
  const std::string text = lines->text();
  EXPECT_THAT(text, testing::HasSubstr("Reconcile is stuck"));
  EXPECT_THAT(text, testing::HasSubstr("ns/job"));
  EXPECT_EQ(text.find("stuck"), text.rfind("stuck"));
  EXPECT_THAT(registry.Text(),
              testing::HasSubstr("flyball_reconciles_stuck_total{name=\"jobs\"} 1\n"));
  EXPECT_THAT(registry.Text(),
              testing::HasSubstr("flyball_reconciles_overdue_total{name=\"jobs\"} 1\n"));
}

TEST(ReconcileWatchdog, AShutdownStopsWhatIsUnderWayAndWhatBegins) {
  DeterministicExecutor executor(1);
  Timers timers(executor);
  ReconcileWatchdog watchdog({.timers = timers}, {.queue = "jobs"});
  const auto before = watchdog.Watch("a");
  watchdog.StopAll();
  const auto after = watchdog.Watch("b");
  EXPECT_TRUE(before.stop().stop_requested());
  EXPECT_TRUE(after.stop().stop_requested());
}

}  // namespace
}  // namespace flyball::runtime
