#include "flyball/queue/queue_metrics.h"

#include <chrono>
#include <string>

#include "flyball/base/deterministic_executor.h"
#include "flyball/queue/work_queue.h"
#include "gtest/gtest.h"

namespace flyball::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The lines that are not comments nor buckets.
std::string Values(const MetricRegistry& registry) {
  std::string values;
  const std::string text = registry.Text();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string line = text.substr(at, end - at);
    if (line[0] != '#' && line.find("_bucket{") == std::string::npos) values += line;
    at = end;
  }
  return values;
}

TEST(QueueMetrics, TellWhatUpstreamsDo) {
  DeterministicExecutor executor(1);
  Timers timers(executor);
  MetricRegistry registry;
  WorkQueue<std::string> queue(timers, {.name = "job", .metrics = &registry});
  const auto pass = [&](milliseconds time) { static_cast<void>(executor.RunFor(time)); };

  queue.Add("a");
  queue.Add("a");
  queue.Add("b");
  queue.Add("c");
  pass(milliseconds(500));
  auto a = queue.TryGet();
  auto b = queue.TryGet();
  pass(seconds(1));
  b->Finish();
  auto c = queue.TryGet();
  queue.Add("a");
  queue.AddAfter("d", seconds(1));
  queue.AddAfter("e", seconds(0));
  queue.AddRateLimited("d");
  pass(milliseconds(250));

  EXPECT_EQ(Values(registry),
            "workqueue_adds_total{name=\"job\"} 6\n"
            "workqueue_depth{name=\"job\"} 3\n"
            "workqueue_longest_running_processor_seconds{name=\"job\"} 1.25\n"
            "workqueue_queue_duration_seconds_sum{name=\"job\"} 2.5\n"
            "workqueue_queue_duration_seconds_count{name=\"job\"} 3\n"
            "workqueue_retries_total{name=\"job\"} 3\n"
            "workqueue_unfinished_work_seconds{name=\"job\"} 1.5\n"
            "workqueue_work_duration_seconds_sum{name=\"job\"} 1\n"
            "workqueue_work_duration_seconds_count{name=\"job\"} 1\n");
}

TEST(QueueMetrics, HaveUpstreamsBuckets) {
  MetricRegistry registry;
  const QueueMetrics metrics(registry, "job",
                             {[] { return 0.0; }, [] { return 0.0; }, [] { return 0.0; }});
  metrics.work_duration.Observe(0.5);
  const std::string text = registry.Text();
  const std::string name = "workqueue_work_duration_seconds_bucket";
  const std::size_t first = text.find(name + "{");
  const std::size_t end = text.find("workqueue_work_duration_seconds_sum");
  EXPECT_EQ(text.substr(first, end - first),
            name + "{name=\"job\",le=\"1e-08\"} 0\n" +                      //
                name + "{name=\"job\",le=\"1e-07\"} 0\n" +                  //
                name + "{name=\"job\",le=\"1e-06\"} 0\n" +                  //
                name + "{name=\"job\",le=\"9.999999999999999e-06\"} 0\n" +  //
                name + "{name=\"job\",le=\"9.999999999999999e-05\"} 0\n" +  //
                name + "{name=\"job\",le=\"0.001\"} 0\n" +                  //
                name + "{name=\"job\",le=\"0.01\"} 0\n" +                   //
                name + "{name=\"job\",le=\"0.1\"} 0\n" +                    //
                name + "{name=\"job\",le=\"1\"} 1\n" +                      //
                name + "{name=\"job\",le=\"10\"} 1\n" +                     //
                name + "{name=\"job\",le=\"+Inf\"} 1\n");
}

}  // namespace
}  // namespace flyball::queue
