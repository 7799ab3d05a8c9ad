#include "flyball/base/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "flyball/base/clock.h"
#include "flyball/base/executor.h"

namespace flyball {
namespace {

TEST(Metrics, AreWrittenByNameThenByLabelValues) {
  MetricRegistry registry;
  const auto requests = registry.Counters(
      {.name = "requests_total", .help = "Requests sent.", .labels = {"method", "code"}});
  requests.With({"PUT", "200"}).Increment();
  requests.With({"GET", "404"}).Add(2.5);
  requests.With({"GET", "200"}).Increment();
  requests.With({"GET", "200"}).Increment();
  registry.Gauges({.name = "depth", .help = "Keys that wait."}).With().Set(7);
  const auto took = registry.Histograms(
      {.name = "took_seconds", .help = "How long.", .labels = {"name"}}, {0.1, 1, 10});
  for (const double seconds : {0.05, 0.1, 0.7, 11.0}) took.With({"pods"}).Observe(seconds);

  EXPECT_EQ(registry.Text(),
            "# HELP depth Keys that wait.\n"
            "# TYPE depth gauge\n"
            "depth 7\n"
            "# HELP requests_total Requests sent.\n"
            "# TYPE requests_total counter\n"
            "requests_total{code=\"200\",method=\"GET\"} 2\n"
            "requests_total{code=\"200\",method=\"PUT\"} 1\n"
            "requests_total{code=\"404\",method=\"GET\"} 2.5\n"
            "# HELP took_seconds How long.\n"
            "# TYPE took_seconds histogram\n"
            "took_seconds_bucket{name=\"pods\",le=\"0.1\"} 2\n"
            "took_seconds_bucket{name=\"pods\",le=\"1\"} 3\n"
            "took_seconds_bucket{name=\"pods\",le=\"10\"} 3\n"
            "took_seconds_bucket{name=\"pods\",le=\"+Inf\"} 4\n"
            "took_seconds_sum{name=\"pods\"} 11.85\n"
            "took_seconds_count{name=\"pods\"} 4\n");
}

/// A gauge of this value, as it is written.
std::string Written(double value) {
  MetricRegistry registry;
  registry.Gauges({.name = "g", .help = "h"}).With().Set(value);
  const std::string text = registry.Text();
  const std::string head = "# HELP g h\n# TYPE g gauge\ng ";
  EXPECT_TRUE(text.starts_with(head) && text.ends_with('\n')) << text;
  return text.substr(head.size(), text.size() - head.size() - 1);
}

// The right side is what Go's strconv.FormatFloat(f, 'g', -1, 64) gives.
TEST(Metrics, WriteNumbersAsGoDoes) {
  EXPECT_EQ(Written(0), "0");
  EXPECT_EQ(Written(-0.0), "0");
  EXPECT_EQ(Written(-1), "-1");
  EXPECT_EQ(Written(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(Written(999999), "999999");
  EXPECT_EQ(Written(1e6), "1e+06");
  EXPECT_EQ(Written(123456789), "1.23456789e+08");
  EXPECT_EQ(Written(16777216), "1.6777216e+07");
  EXPECT_EQ(Written(123456.75), "123456.75");
  EXPECT_EQ(Written(0.0001), "0.0001");
  EXPECT_EQ(Written(0.00001), "1e-05");
  EXPECT_EQ(Written(1e-320), "1e-320");
  EXPECT_EQ(Written(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(Written(1e21), "1e+21");
  EXPECT_EQ(Written(std::nan("")), "NaN");
  EXPECT_EQ(Written(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(Written(-std::numeric_limits<double>::infinity()), "-Inf");
}

TEST(Metrics, EscapeWhatWouldBreakALine) {
  MetricRegistry registry;
  registry.Gauges({.name = "g", .help = "a \\ \"b\"\nc", .labels = {"l"}})
      .With({"a \\ \"b\"\nc"})
      .Set(1);
  EXPECT_EQ(registry.Text(),
            "# HELP g a \\\\ \"b\"\\nc\n"
            "# TYPE g gauge\n"
            "g{l=\"a \\\\ \\\"b\\\"\\nc\"} 1\n");
}

TEST(Metrics, AFamilyWithoutSeriesIsNotWritten) {
  MetricRegistry registry;
  registry.Counters({.name = "c", .help = "h", .labels = {"l"}});
  EXPECT_EQ(registry.Text(), "");
}

TEST(Metrics, AskedForTwiceAreTheSame) {
  MetricRegistry registry;
  const MetricInfo info = {.name = "c_total", .help = "h", .labels = {"l"}};
  registry.Counters(info).With({"x"}).Increment();
  registry.Counters(info).With({"x"}).Increment();
  registry.Histograms({.name = "h", .help = "h"}, {1}).With().Observe(1);
  registry.Histograms({.name = "h", .help = "h"}, {1}).With().Observe(1);
  EXPECT_EQ(registry.Text(),
            "# HELP c_total h\n# TYPE c_total counter\nc_total{l=\"x\"} 2\n"
            "# HELP h h\n# TYPE h histogram\n"
            "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 2\nh_sum 2\nh_count 2\n");
}

TEST(MetricsDeathTest, OfOneNameHaveOneShape) {
  MetricRegistry registry;
  registry.Counters({.name = "c", .help = "h", .labels = {"l"}});
  registry.Histograms({.name = "h", .help = "h"}, {1, 2});
  EXPECT_DEATH(registry.Gauges({.name = "c", .help = "h", .labels = {"l"}}), "another shape");
  EXPECT_DEATH(registry.Counters({.name = "c", .help = "h", .labels = {"m"}}), "another shape");
  EXPECT_DEATH(registry.Counters({.name = "c", .help = "i", .labels = {"l"}}), "another shape");
  EXPECT_DEATH(registry.Histograms({.name = "h", .help = "h"}, {1, 3}), "other buckets");
}

TEST(MetricsDeathTest, HaveProperNamesAndAllTheirLabels) {
  MetricRegistry registry;
  EXPECT_DEATH(registry.Counters({.name = "a b", .help = "h"}), "not a metric's name: a b");
  EXPECT_DEATH(registry.Counters({.name = "a", .help = "h", .labels = {"b-c"}}),
               "not a label's name: b-c");
  EXPECT_DEATH(registry.Counters({.name = "a", .help = "h", .labels = {"b", "b"}}),
               "a label twice: b");
  EXPECT_DEATH(registry.Histograms({.name = "a", .help = "h"}, {2, 1}), "do not ascend: a");
  const auto family = registry.Counters({.name = "a", .help = "h", .labels = {"b"}});
  EXPECT_DEATH(family.With({}), "one value for each label of a");
}

TEST(Metrics, MadeFromNothingRecordNothing) {
  CounterFamily().With({"any", "labels"}).Increment();
  GaugeFamily().With().Set(1);
  HistogramFamily().With().Observe(1);
  const GaugeCallback callback = GaugeFamily().WithCallback({}, [] { return 1.0; });
}

TEST(Metrics, ACallbackIsAskedWhenTheyAreRead) {
  MetricRegistry registry;
  const auto family = registry.Gauges({.name = "g", .help = "h", .labels = {"queue"}});
  double value = 1;
  std::optional<GaugeCallback> callback = family.WithCallback({"b"}, [&] { return value; });
  family.With({"a"}).Set(5);
  const std::string head = "# HELP g h\n# TYPE g gauge\ng{queue=\"a\"} 5\n";
  EXPECT_EQ(registry.Text(), head + "g{queue=\"b\"} 1\n");
  value = 2;
  EXPECT_EQ(registry.Text(), head + "g{queue=\"b\"} 2\n");

  const GaugeCallback successor = family.WithCallback({"b"}, [] { return 3; });
  EXPECT_EQ(registry.Text(), head + "g{queue=\"b\"} 3\n");
  callback.reset();
  EXPECT_EQ(registry.Text(), head + "g{queue=\"b\"} 3\n");
}

TEST(Metrics, ACallbackThatIsGoneIsNotAsked) {
  MetricRegistry registry;
  const auto family = registry.Gauges({.name = "g", .help = "h", .labels = {"queue"}});
  GaugeCallback callback = family.WithCallback({"a"}, [] { return 1; });
  callback = family.WithCallback({"b"}, [] { return 2; });
  EXPECT_EQ(registry.Text(), "# HELP g h\n# TYPE g gauge\ng{queue=\"b\"} 2\n");
  callback = {};
  EXPECT_EQ(registry.Text(), "");
}

TEST(Metrics, ACallbackMayOutliveTheRegistry) {
  GaugeCallback callback;
  {
    MetricRegistry registry;
    callback = registry.Gauges({.name = "g", .help = "h"}).WithCallback({}, [] { return 1; });
  }
}

TEST(Metrics, AreRecordedAndReadByManyThreads) {
  MetricRegistry registry;
  const auto counter = registry.Counters({.name = "c", .help = "h"}).With();
  const auto histograms =
      registry.Histograms({.name = "h", .help = "h", .labels = {"l"}}, {0.5, 1.5});
  RealClock clock;
  {
    ElasticExecutor executor(clock);
    for (int task = 0; task < 4; ++task) {
      executor.Start("recorder", [&] {
        for (int i = 0; i < 1000; ++i) {
          counter.Increment();
          histograms.With({i % 2 == 0 ? "a" : "b"}).Observe(1);
          if (i % 100 == 0) {
            EXPECT_NE(registry.Text(), "");
          }
        }
      });
    }
    executor.Drain();
  }
  EXPECT_EQ(registry.Text(),
            "# HELP c h\n# TYPE c counter\nc 4000\n"
            "# HELP h h\n# TYPE h histogram\n"
            "h_bucket{l=\"a\",le=\"0.5\"} 0\nh_bucket{l=\"a\",le=\"1.5\"} 2000\n"
            "h_bucket{l=\"a\",le=\"+Inf\"} 2000\nh_sum{l=\"a\"} 2000\nh_count{l=\"a\"} 2000\n"
            "h_bucket{l=\"b\",le=\"0.5\"} 0\nh_bucket{l=\"b\",le=\"1.5\"} 2000\n"
            "h_bucket{l=\"b\",le=\"+Inf\"} 2000\nh_sum{l=\"b\"} 2000\nh_count{l=\"b\"} 2000\n");
}

}  // namespace
}  // namespace flyball
