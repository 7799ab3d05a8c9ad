#include "tests/cluster/metric_families.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::cluster {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(MetricFamilies, HaveTheTypeHelpAndLabelsOfAllTheirSamples) {
  EXPECT_THAT(
      ParseMetrics("# HELP adds_total [BETA] How many.\n"
                   "# TYPE adds_total counter\n"
                   "adds_total{name=\"a, {b}=\\\"c\\\"\"} 3\n"
                   "adds_total{name=\"b\",code=\"200\"} 1\n"
                   "# HELP seconds How long.\n"
                   "# TYPE seconds histogram\n"
                   "seconds_bucket{verb=\"GET\",le=\"+Inf\"} 7\n"
                   "seconds_sum{verb=\"GET\"} 0.5\n"
                   "seconds_count{verb=\"GET\"} 7\n"
                   "# TYPE up gauge\n"
                   "up 1\n"),
      ElementsAre(Pair("adds_total", MetricFamily{.type = "counter",
                                                  .help = "[BETA] How many.",
                                                  .labels = {"name", "code"}}),
                  Pair("seconds",
                       MetricFamily{.type = "histogram", .help = "How long.", .labels = {"verb"}}),
                  Pair("up", MetricFamily{.type = "gauge"})));
}

}  // namespace
}  // namespace flyball::cluster
