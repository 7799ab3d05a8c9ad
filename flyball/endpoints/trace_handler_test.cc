#include "flyball/endpoints/trace_handler.h"

#include "flyball/base/fake_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::endpoints {
namespace {

using runtime::ReconcileRecord;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 16)};

TEST(TraceHandler, ShowsRecordsOfReconciles) {
  const ReconcileRecord scaled{.time = kNow - seconds(2),
                               .took = milliseconds(3),
                               .cause = "replicasets.apps shop/web updated",
                               .causes = 2,
                               .reads = {"12", "11"},
                               .decided = {"create 2 pods: there are 0 of 2"},
                               .writes = {{.verb = runtime::TracedWrite::Verb::kCreate,
                                           .resource = "pods",
                                           .name = "web-x2",
                                           .times = 2},
                                          {.verb = runtime::TracedWrite::Verb::kUpdate,
                                           .resource = "replicasets.apps",
                                           .subresource = "status",
                                           .name = "web",
                                           .refused = ErrorCode::kForbidden,
                                           .error = "no"}},
                               .writes_left_out = 1,
                               .end = ReconcileRecord::End::kFailed,
                               .error = "forbidden: no"};
  const ReconcileRecord quiet{.time = kNow,
                              .times = 3,
                              .since = kNow - seconds(1),
                              .cause = "it was time",
                              .reads = {"12", "12"},
                              .end = ReconcileRecord::End::kRequeueAfter,
                              .requeue_after = seconds(30)};
  const runtime::ControllerTrace controller{
      .name = "replicaset-controller",
      .running = true,
      .caches = {{.resource = "replicasets.apps", .synced = true, .resource_version = "12"},
                 {.resource = "pods", .problem = "pods is forbidden"}},
      .queues = {{.name = "replicaset",
                  .resource = "replicasets.apps",
                  .keys = {{.now = {.key = "shop/web", .due_in = seconds(5), .retries = 1},
                            .records = {scaled, quiet}}}}}};
  EXPECT_EQ(TraceText({controller}, kNow), R"({
  "controllers": [
    {
      "caches": [
        {
          "resource": "replicasets.apps",
          "resourceVersion": "12",
          "synced": true
        },
        {
          "problem": "pods is forbidden",
          "resource": "pods",
          "synced": false
        }
      ],
      "name": "replicaset-controller",
      "queues": [
        {
          "keys": [
            {
              "dueIn": 5,
              "key": "shop/web",
              "retries": 1,
              "state": "delayed",
              "turns": [
                {
                  "cause": "replicasets.apps shop/web updated",
                  "causes": 2,
                  "decided": [
                    "create 2 pods: there are 0 of 2"
                  ],
                  "error": "forbidden: no",
                  "outcome": "failed",
                  "reads": {
                    "pods": "11",
                    "replicasets.apps": "12"
                  },
                  "time": "2026-11-15T23:59:58.000000Z",
                  "took": 0.003,
                  "writes": [
                    {
                      "name": "web-x2",
                      "resource": "pods",
                      "times": 2,
                      "verb": "create"
                    },
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
                  "reads": {
                    "pods": "12",
                    "replicasets.apps": "12"
                  },
                  "since": "2026-11-15T23:59:59.000000Z",
                  "time": "2026-11-16T00:00:00.000000Z",
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
  "now": "2026-11-16T00:00:00.000000Z"
}
)");
}

TEST(TraceHandler, AsksForWhatTheQueryNames) {
  FakeClock clock;
  runtime::TraceQuery asked;
  const HttpHandler page = TraceHandler(
      [&](const runtime::TraceQuery& query) {
        asked = query;
        return std::vector<runtime::ControllerTrace>();
      },
      clock);
  const auto target = *RequestTarget::Parse(
      "/debug/trace?key=shop/web&key=shop%2Fapi&controller=deployment-controller");
  const auto answer = page({{}, target, {}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(asked.keys, ElementsAre("shop/web", "shop/api"));
  EXPECT_THAT(asked.controllers, ElementsAre("deployment-controller"));
}

}  // namespace
}  // namespace flyball::endpoints
