#include "flyball/runtime/reconcile_watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/log_sink.h"

namespace flyball::runtime {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(ReconcileWatchdog, SaysOnceThatAReconcileIsStuckAndLaterStopsIt) {
  DeterministicExecutor executor(1);
  Timers timers(executor);
  const auto lines = std::make_shared<StringLogSink>();
  ReconcileWatchdog watchdog(timers, {.queue = "jobs"}, Logger({}, executor.clock(), lines));
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
  EXPECT_THAT(text, testing::HasSubstr("A reconcile is stuck"));
  EXPECT_THAT(text, testing::HasSubstr("ns/job"));
  EXPECT_EQ(text.find("stuck"), text.rfind("stuck"));
}

TEST(ReconcileWatchdog, AShutdownStopsWhatIsUnderWayAndWhatBegins) {
  DeterministicExecutor executor(1);
  Timers timers(executor);
  ReconcileWatchdog watchdog(timers, {.queue = "jobs"}, {});
  const auto before = watchdog.Watch("a");
  watchdog.StopAll();
  const auto after = watchdog.Watch("b");
  EXPECT_TRUE(before.stop().stop_requested());
  EXPECT_TRUE(after.stop().stop_requested());
}

}  // namespace
}  // namespace flyball::runtime
