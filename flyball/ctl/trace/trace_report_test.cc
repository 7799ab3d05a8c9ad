#include "flyball/ctl/trace/trace_report.h"

#include "flyball/ctl/trace/trace_fixture.h"

namespace flyball::ctl::trace {
namespace {

using namespace std::chrono_literals;

TEST(Told, ReadsWhatAManagerWrites) {
  const auto read = ParseTraceReport(R"({
  "controllers": [
    {
      "caches": [
        {"resource": "replicasets.apps", "resourceVersion": "12", "synced": true},
        {"problem": "pods is forbidden", "resource": "pods", "synced": false}
      ],
      "name": "replicaset-controller",
      "queues": [
        {
          "keys": [
            {
              "dueIn": 5,
              "inStateFor": 1.5,
              "key": "shop/web",
              "retries": 1,
              "state": "delayed",
              "turns": [
                {
                  "cause": "replicasets.apps shop/web updated",
                  "causes": 2,
                  "decided": ["create 2 pods: there are 0 of 2"],
                  "error": "forbidden: no",
                  "outcome": "failed",
                  "reads": {"pods": "11", "replicasets.apps": "12"},
                  "time": "2026-11-16T11:59:58.000000Z",
                  "took": 0.003,
                  "writes": [
                    {"name": "web-x2", "resource": "pods", "times": 2, "verb": "create"},
                    {
                      "error": "no",
                      "name": "web",
                      "reason": "forbidden",
                      "resource": "replicasets.apps",
                      "subresource": "status",
                      "verb": "update"
                    }
                  ],
                  "writesLeftOut": 1
                },
                {
                  "againIn": 30,
                  "cause": "it was time",
                  "outcome": "again",
                  "since": "2026-11-16T11:59:59.000000Z",
                  "time": "2026-11-16T12:00:00.000000Z",
                  "times": 3
                }
              ]
            }
          ],
          "name": "replicaset",
          "resource": "replicasets.apps"
        }
      ],
      "running": true
    }
  ],
  "now": "2026-11-16T12:00:00.000000Z"
})");
  ASSERT_TRUE(read) << read.error().Describe();
  const ReportedReconcile scaled{
      .time = kNow - 2s,
      .took = 3ms,
      .cause = "replicasets.apps shop/web updated",
      .causes = 2,
      .reads = {{"pods", "11"}, {"replicasets.apps", "12"}},
      .decided = {"create 2 pods: there are 0 of 2"},
      .writes = {{.verb = "create", .resource = "pods", .name = "web-x2", .times = 2},
                 {.verb = "update",
                  .resource = "replicasets.apps",
                  .subresource = "status",
                  .name = "web",
                  .refused = ErrorCode::kForbidden,
                  .error = "no"}},
      .writes_left_out = 1,
      .outcome = "failed",
      .error = "forbidden: no"};
  const ReportedReconcile quiet{.time = kNow,
                                .times = 3,
                                .since = kNow - 1s,
                                .cause = "it was time",
                                .outcome = "again",
                                .requeue_after = 30s};
  const std::vector<ReportedController> expected = {
      {.name = "replicaset-controller",
       .running = true,
       .caches = {{.resource = "replicasets.apps", .synced = true, .version = "12"},
                  {.resource = "pods", .problem = "pods is forbidden"}},
       .queues = {{.name = "replicaset",
                   .resource = "replicasets.apps",
                   .keys = {{.key = "shop/web",
                             .state = "delayed",
                             .in_state_for = 1500ms,
                             .due_in = 5s,
                             .retries = 1,
                             .reconciles = {scaled, quiet}}}}}}};
  EXPECT_EQ(*read, expected);
}

TEST(Told, TakesNothingElseForATrace) {
  EXPECT_EQ(ParseTraceReport("<html>").error().code(), ErrorCode::kMalformed);
  EXPECT_EQ(ParseTraceReport(R"({"kind":"Status"})").error().message(),
            "response is not a trace of a controller manager");
}

TEST(Told, AReasonThatIsNotKnownIsOneAllTheSame) {
  const auto read =
      ParseTraceReport(R"({"now":"","controllers":[{"queues":[{"keys":[{"turns":[{"writes":[
    {"verb":"create","reason":"teapot"}]}]}]}]}]})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at(0).queues[0].keys[0].reconciles[0].writes[0].refused, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace flyball::ctl::trace
