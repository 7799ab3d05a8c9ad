#include "flyball/client/request_metrics.h"

#include <string>
#include <utility>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/executor.h"
#include "flyball/client/rest_client.h"
#include "flyball/transport/transport_fake.h"
#include "gtest/gtest.h"

namespace flyball::client {
namespace {

using namespace std::chrono_literals;
using Answer = transport::FakeTransport::Answer;

constexpr char kDuration[] = "rest_client_request_duration_seconds";
constexpr char kLimiter[] = "rest_client_rate_limiter_duration_seconds";
constexpr char kRequestSize[] = "rest_client_request_size_bytes";
constexpr char kResponseSize[] = "rest_client_response_size_bytes";
constexpr char kGet[] = R"(host="10.0.0.1:6443",verb="GET")";
constexpr char kPost[] = R"(host="10.0.0.1:6443",verb="POST")";

using Bounds = std::vector<std::string>;
const Bounds kSeconds = {"0.005", "0.025", "0.1", "0.25", "0.5", "1",   "2",
                         "4",     "8",     "15",  "30",   "60",  "+Inf"};
const Bounds kBytes = {"64",    "256",    "512",          "1024",         "4096",          "16384",
                       "65536", "262144", "1.048576e+06", "4.194304e+06", "1.6777216e+07", "+Inf"};

/// A histogram with one series of `count` values: `below` in the first bucket, the others in the
/// one whose bound is `bucket`.
std::string Histogram(const std::string& name, const std::string& help, const std::string& labels,
                      const Bounds& bounds, const std::string& bucket, int count,
                      const std::string& sum, int below = 0) {
  std::string text = "# HELP " + name + " [ALPHA] " + help + "\n# TYPE " + name + " histogram\n";
  int so_far = below;
  for (const std::string& bound : bounds) {
    if (bound == bucket) so_far = count;
    text += name + "_bucket{" + labels + ",le=\"" + bound + "\"} " + std::to_string(so_far) + "\n";
  }
  text += name + "_sum{" + labels + "} " + sum + "\n";
  return text + name + "_count{" + labels + "} " + std::to_string(count) + "\n";
}

/// The lines of the registry's text that start so.
std::string Lines(const MetricRegistry& registry, std::string_view start) {
  std::string found;
  const std::string text = registry.Text();
  for (std::size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) + 1 - at);
    if (line.starts_with(start)) found += line;
    at += line.size();
  }
  return found;
}

/// Runs calls in virtual time, on a server that takes 0.2 s for an answer.
class RequestMetricsTest : public testing::Test {
 protected:
  void Run(const transport::FakeTransport::Script& script,
           const std::function<void(RestClient&)>& calls) {
    executor_.Start("test", [&] {
      transport::FakeTransport transport([&](const transport::Request& request) {
        executor_.clock().SleepFor(200ms);
        return script(request);
      });
      RestClient client({.transport = transport,
                         .clock = executor_.clock(),
                         .limiter = limiter_,
                         .metrics = {registry_, "https://user@10.0.0.1:6443/prefix"}},
                        {});
      calls(client);
    });
    executor_.Drain();
  }

  DeterministicExecutor executor_{1};
  RequestLimiter* limiter_ = nullptr;
  MetricRegistry registry_;
};

TEST_F(RequestMetricsTest, ShowACallWithItsAttempts) {
  int asked = 0;
  Run(
      [&](const auto&) {
        if (++asked == 1) return Answer::Broken({ErrorCode::kIo, "connection broke"});
        if (asked == 2) return Answer::Of(429, "busy", {{"retry-after", "3"}});
        return Answer::Of(200, std::string(300, 'x'));
      },
      [](RestClient& client) { EXPECT_TRUE(client.Do({.path = "/api/v1/pods"}).has_value()); });
  EXPECT_EQ(
      registry_.Text(),
      // Three attempts of 0.2 s, and waits of 1 and 3 s.
      Histogram(kDuration,
                "Duration of a request to the API server in seconds, retries and waiting times "
                "included, by verb and host.",
                kGet, kSeconds, "8", 1, "4.6") +
          "# HELP rest_client_request_retries_total [ALPHA] Number of requests to the API server "
          "that were retries, by status code, verb and host.\n"
          "# TYPE rest_client_request_retries_total counter\n"
          "rest_client_request_retries_total{code=\"200\",host=\"10.0.0.1:6443\",verb=\"GET\"} 1\n"
          "rest_client_request_retries_total{code=\"429\",host=\"10.0.0.1:6443\",verb=\"GET\"} "
          "1\n" +
          Histogram(kRequestSize,
                    "Size of request bodies sent to the API server in bytes, by verb and host.",
                    kGet, kBytes, "64", 3, "0") +
          "# HELP rest_client_requests_total [ALPHA] Number of HTTP requests sent to the API "
          "server, each retry counted on its own, by status code, method and host.\n"
          "# TYPE rest_client_requests_total counter\n"
          "rest_client_requests_total{code=\"200\",host=\"10.0.0.1:6443\",method=\"GET\"} 1\n"
          "rest_client_requests_total{code=\"429\",host=\"10.0.0.1:6443\",method=\"GET\"} 1\n"
          "rest_client_requests_total{code=\"<error>\",host=\"10.0.0.1:6443\",method=\"GET\"} 1\n" +
          Histogram(
              kResponseSize,
              "Size of response bodies received from the API server in bytes, by verb and host.",
              kGet, kBytes, "512", 1, "300"));
}

TEST_F(RequestMetricsTest, ARefusalWithoutAWordHasNoSizeAndAnEmptySuccessHas) {
  std::vector<Answer> answers = {Answer::Of(201, ""), Answer::Of(403, "no"), Answer::Of(404, "")};
  Run(
      [&](const auto&) {
        Answer answer = answers.back();
        answers.pop_back();
        return answer;
      },
      [](RestClient& client) {
        const RestRequest post = {.method = "POST", .path = "/api/v1/pods", .body = "{...}"};
        EXPECT_FALSE(client.Do(post).has_value());
        EXPECT_FALSE(client.Do(post).has_value());
        EXPECT_TRUE(client.Do(post).has_value());
      });
  const std::string labels = "{" + std::string(kPost) + "}";
  EXPECT_EQ(Lines(registry_, "rest_client_response_size_bytes_sum") +
                Lines(registry_, "rest_client_response_size_bytes_count"),
            "rest_client_response_size_bytes_sum" + labels + " 2\n" +
                "rest_client_response_size_bytes_count" + labels + " 2\n");
  EXPECT_EQ(Lines(registry_, "rest_client_request_size_bytes_sum"),
            "rest_client_request_size_bytes_sum" + labels + " 15\n");
}

TEST_F(RequestMetricsTest, TheTimeOfACallEndsWithTheAnswerNotWhenItIsWaitedFor) {
  Run([](const auto&) { return Answer::Of(200, ""); },
      [&](RestClient& client) {
        auto pending = client.Start({.path = "/version"});
        executor_.clock().SleepFor(10s);
        EXPECT_TRUE(pending.Wait().has_value());
      });
  EXPECT_EQ(Lines(registry_, "rest_client_request_duration_seconds_sum"),
            "rest_client_request_duration_seconds_sum{" + std::string(kGet) + "} 0.2\n");
}

TEST_F(RequestMetricsTest, ACallThatIsGivenUpIsAnError) {
  Run([](const auto&) { return Answer::Of(200, ""); },
      [&](RestClient& client) { client.Start({.path = "/version"}); });
  EXPECT_EQ(
      Lines(registry_, "rest_client_requests_total"),
      "rest_client_requests_total{code=\"<error>\",host=\"10.0.0.1:6443\",method=\"GET\"} 1\n");
}

TEST_F(RequestMetricsTest, AWatchIsCountedButNotTimed) {
  Run([](const auto&) { return Answer::Of(200, "events"); },
      [](RestClient& client) {
        EXPECT_TRUE(client.Open({.path = "/api/v1/pods", .query = "watch=true"}).has_value());
      });
  EXPECT_EQ(registry_.Text(),
            "# HELP rest_client_requests_total [ALPHA] Number of HTTP requests sent to the API "
            "server, each retry counted on its own, by status code, method and host.\n"
            "# TYPE rest_client_requests_total counter\n"
            "rest_client_requests_total{code=\"200\",host=\"10.0.0.1:6443\",method=\"GET\"} 1\n");
}

TEST_F(RequestMetricsTest, ShowHowLongTheLimiterHoldsRequestsBack) {
  FixedLimiter limiter(executor_.clock(), 2, 1);
  limiter_ = &limiter;
  Run([](const auto&) { return Answer::Of(200, ""); },
      [](RestClient& client) {
        for (int i = 0; i < 2; ++i) EXPECT_TRUE(client.Do({.path = "/version"}).has_value());
      });
  // The first goes at once; when the second comes, 0.2 s of half a second are over.
  const std::string text = Histogram(kLimiter,
                                     "Time in seconds that requests to the API server waited for "
                                     "the client-side rate limiter, by verb and host.",
                                     kGet, kSeconds, "0.5", 2, "0.3", /*below=*/1);
  EXPECT_EQ(registry_.Text().substr(0, text.size()), text);
}

TEST(RequestMetrics, AreRecordedByManyThreads) {
  MetricRegistry registry;
  const RequestMetrics metrics(registry, "https://h");
  RealClock clock;
  ElasticExecutor executor(clock);
  for (int task = 0; task < 4; ++task) {
    executor.Start("recorder", [&] {
      for (int i = 0; i < 1000; ++i) {
        RequestMetrics::Call call(metrics, RequestMetrics::Call::Kind::kWhole,
                                  i % 2 == 0 ? "GET" : "PUT", clock);
        call.AttemptBegins(0);
        call.AttemptEnded(200 + i % 4, clock.SteadyNow());
      }
    });
  }
  executor.Drain();
  EXPECT_EQ(Lines(registry, "rest_client_requests_total"),
            "rest_client_requests_total{code=\"200\",host=\"h\",method=\"GET\"} 1000\n"
            "rest_client_requests_total{code=\"201\",host=\"h\",method=\"PUT\"} 1000\n"
            "rest_client_requests_total{code=\"202\",host=\"h\",method=\"GET\"} 1000\n"
            "rest_client_requests_total{code=\"203\",host=\"h\",method=\"PUT\"} 1000\n");
  EXPECT_EQ(Lines(registry, "rest_client_request_duration_seconds_count"),
            "rest_client_request_duration_seconds_count{host=\"h\",verb=\"GET\"} 2000\n"
            "rest_client_request_duration_seconds_count{host=\"h\",verb=\"PUT\"} 2000\n");
}

TEST(RequestMetrics, TheHostIsTheOneThatIsConfigured) {
  const std::pair<std::string, std::string> cases[] = {
      {"https://example.com", "example.com"},
      {"https://example.com:443/", "example.com:443"},
      {"https://[::1]:6443/k8s", "[::1]:6443"},
      {"localhost:8080", "localhost:8080"},
  };
  for (const auto& [server, host] : cases) {
    MetricRegistry registry;
    const RealClock clock;
    const RequestMetrics metrics(registry, server);
    RequestMetrics::Call(metrics, RequestMetrics::Call::Kind::kStream, "GET", clock)
        .AttemptEnded(200, clock.SteadyNow());
    EXPECT_EQ(Lines(registry, "rest_client_requests_total"),
              "rest_client_requests_total{code=\"200\",host=\"" + host + "\",method=\"GET\"} 1\n");
  }
}

}  // namespace
}  // namespace flyball::client
