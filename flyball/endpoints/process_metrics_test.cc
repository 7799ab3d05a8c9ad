#include "flyball/endpoints/process_metrics.h"

#include <unistd.h>

#include "flyball/base/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

TEST(ProcessFacts, AreThoseOfThisProcess) {
  const auto facts = ProcessFacts::Read();
  ASSERT_TRUE(facts) << facts.error().Describe();
  EXPECT_GT(facts->open_files, 2);
  EXPECT_GE(facts->most_files, facts->open_files);
  EXPECT_GT(facts->resident_bytes, 1 << 20);
  EXPECT_GT(facts->virtual_bytes, facts->resident_bytes);
  EXPECT_GE(facts->most_virtual_bytes, facts->virtual_bytes);
  const auto now = RealClock().WallNow();
  EXPECT_LE(facts->start, now + std::chrono::seconds(1));  // lint: allow duration: one clock
  EXPECT_GE(facts->start, now - std::chrono::hours(1));    // lint: allow duration: one clock
}

TEST(ProcessMetrics, CountersGoOnFromWhereTheyWere) {
  MetricRegistry registry;
  ProcessMetrics metrics(registry);
  ProcessFacts facts{.cpu_seconds = 1.5,
                     .open_files = 8,
                     .most_files = 1024,
                     .virtual_bytes = 4096,
                     .most_virtual_bytes = 18446744073709551615.0,
                     .resident_bytes = 2048,
                     .received_bytes = 100,
                     .sent_bytes = 50,
                     .start = WallTime(std::chrono::milliseconds(1'700'000'000'250))};
  metrics.Update(facts);
  facts.cpu_seconds = 2;
  facts.open_files = 7;
  metrics.Update(facts);
  metrics.Update(Fail(ErrorCode::kIo, "no /proc"));
  const std::string text = registry.Text();
  for (const char* line :
       {"# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 2\n",
        "\nprocess_open_fds 7\n", "\nprocess_max_fds 1024\n",
        "\nprocess_virtual_memory_max_bytes 1.8446744073709552e+19\n",
        "\nprocess_resident_memory_bytes 2048\n", "\nprocess_network_receive_bytes_total 100\n",
        "\nprocess_network_transmit_bytes_total 50\n",
        "\nprocess_start_time_seconds 1.70000000025e+09\n"}) {
    EXPECT_THAT(text, testing::HasSubstr(line));
  }
}

}  // namespace
}  // namespace flyball::endpoints
