#include "flyball/endpoints/default_handlers.h"

#include "flyball/base/fake_clock.h"
#include "flyball/endpoints/build_metrics.h"
#include "flyball/endpoints/controllers_handler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class DefaultHandlersTest : public testing::Test {
 protected:
  DefaultHandlersTest() {
    AddDefaultHandlers(routes_,
                       {.health = health_,
                        .slis = slis_,
                        .metrics = metrics_,
                        .configz = [](const Call&) { return JsonText(200, "{}"); },
                        .controllers = ControllersHandler([this](std::size_t most) {
                          keys_asked_for_ = most;
                          return std::vector<ControllerReport>{{"job-controller", {queue_}}};
                        }),
                        .log = log_});
  }

  transport::Response Get(const std::string& target) { return Ask({.target = target}); }
  transport::Response Ask(const transport::Request& request) {
    const auto target = *RequestTarget::Parse(request.target);
    const auto page = routes_.Find(target.path);
    if (!page) return {};
    return (*page)({request, target, {.name = "jane"}});
  }

  FakeClock clock_;
  std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
  Logger log_{{}, clock_, sink_};
  MetricRegistry registry_;
  SliMetrics slis_{FakeClock::kStart};
  HealthChecks health_{{.slis = &slis_}};
  MetricsHandler metrics_{registry_};
  runtime::QueueReport queue_{.name = "job"};
  std::size_t keys_asked_for_ = 0;
  RouteTable routes_;
};

TEST_F(DefaultHandlersTest, AreListedAsUpstreams) {
  EXPECT_THAT(routes_.Listed(), ElementsAre("/configz", "/healthz", "/metrics", "/metrics/slis"));
  for (const char* path : {"/", "/livez", "/readyz", "/flagz", "/metrics/"}) {
    EXPECT_EQ(Get(path).status, 0) << path;
  }
}

TEST_F(DefaultHandlersTest, HealthHasAPageForAllAndForEach) {
  health_.Add("job-controller", [] { return Result<>(); });
  EXPECT_EQ(Get("/healthz").body, "ok");
  EXPECT_EQ(Get("/healthz/job-controller").body, "ok");
  EXPECT_EQ(Get("/healthz/other").status, 404);
}

TEST_F(DefaultHandlersTest, MetricsSayWhatTheProcessIsAndNeeds) {
  RecordBuildInfo(registry_, {.compiler = "g++", .platform = "linux/amd64"});
  RecordFeatures(registry_, {{"A", "ALPHA", false}, {"B", "", true}});
  RecordCompatibility(registry_, {"kube", "1.37.1", "1.36", "1.35"});
  const auto page = Get("/metrics");
  EXPECT_EQ(page.headers, (transport::Headers{{"content-type",
                                               "text/plain; version=0.0.4; charset=utf-8; "
                                               "escaping=underscores"}}));
  EXPECT_THAT(
      page.body,
      testing::AllOf(HasSubstr("kubernetes_build_info{build_date=\"1970-01-01T00:00:00Z\","
                               "compiler=\"g++\",git_commit=\"\",git_tree_state=\"\","
                               "git_version=\"v1.37.1\",go_version=\"\",major=\"1\",minor=\"37\","
                               "platform=\"linux/amd64\"} 1\n"),
                     HasSubstr("kubernetes_feature_enabled{name=\"A\",stage=\"ALPHA\"} 0\n"
                               "kubernetes_feature_enabled{name=\"B\",stage=\"\"} 1\n"),
                     HasSubstr("version_info{binary=\"1.37.1\",component=\"kube\","
                               "emulation=\"1.36\",min_compat=\"1.35\"} 1\n"),
                     HasSubstr("\n# TYPE process_cpu_seconds_total counter\n")));
}

TEST_F(DefaultHandlersTest, ThereAreNoGoProfiles) {
  for (const char* path : {"/debug/pprof", "/debug/pprof/", "/debug/pprof/heap"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
    EXPECT_THAT(Get(path).body, HasSubstr("no Go profiles")) << path;
  }
}

TEST_F(DefaultHandlersTest, TheVerbosityCanBeChanged) {
  log_.V(4).Info("before");
  const auto put = Ask({.method = "PUT", .target = "/debug/flags/v", .body = "4"});
  EXPECT_EQ(put.status, 200);
  EXPECT_EQ(put.headers, (transport::Headers{{"content-type", "text/plain"},
                                             {"x-content-type-options", "nosniff"}}));
  EXPECT_EQ(put.body, "successfully set klog.logging.verbosity to 4\n");
  log_.V(4).Info("after");
  EXPECT_THAT(sink_->text(), testing::Not(HasSubstr("before")));
  EXPECT_THAT(sink_->text(), HasSubstr("\"Changed log verbosity\" v=4 user=\"jane\"\n"));
  EXPECT_THAT(sink_->text(), EndsWith("\"after\"\n"));
}

TEST_F(DefaultHandlersTest, OnlyToANumberAndByPut) {
  const auto put = [&](const std::string& body) {
    return Ask({.method = "PUT", .target = "/debug/flags/v", .body = body});
  };
  EXPECT_EQ(put("x").status, 400);
  EXPECT_EQ(put("x").body, "strconv.ParseUint: parsing \"x\": invalid syntax\n");
  EXPECT_EQ(put("-1").body, "strconv.ParseUint: parsing \"-1\": invalid syntax\n");
  EXPECT_EQ(put("").body, "strconv.ParseUint: parsing \"\": invalid syntax\n");
  EXPECT_EQ(put("4294967296").body,
            "strconv.ParseUint: parsing \"4294967296\": value out of range\n");
  EXPECT_EQ(Get("/debug/flags/v").status, 406);
  EXPECT_EQ(Get("/debug/flags/v").body, "unsupported http method\n");
  EXPECT_THAT(Get("/debug/flags").body, HasSubstr("<tr>v<br>"));
}

TEST_F(DefaultHandlersTest, ControllersShowTheirQueuesWithKeysAndErrors) {
  queue_.sizes = {.live = 2, .background = 1, .processing = 1, .delayed = 1};
  queue_.failing = 1;
  queue_.keys = {{.key = "default/a", .state = queue::KeyState::kProcessing, .since = 1500ms},
                 {.key = "default/b",
                  .due_in = 20s,
                  .retries = 3,
                  .last_error = "conflict: somebody was faster"}};
  EXPECT_EQ(Get("/debug/controllers").body, R"({
  "controllers": [
    {
      "name": "job-controller",
      "queues": [
        {
          "delayed": 1,
          "failing": 1,
          "held": 0,
          "keys": [
            {
              "key": "default/a",
              "seconds": 1.5,
              "state": "processing"
            },
            {
              "dueInSeconds": 20,
              "key": "default/b",
              "lastError": "conflict: somebody was faster",
              "retries": 3,
              "state": "delayed"
            }
          ],
          "name": "job",
          "processing": 1,
          "waiting": 3
        }
      ]
    }
  ]
}
)");
  EXPECT_EQ(keys_asked_for_, 100U);
  Get("/debug/controllers?keys=5");
  EXPECT_EQ(keys_asked_for_, 5U);
}

}  // namespace
}  // namespace flyball::endpoints
