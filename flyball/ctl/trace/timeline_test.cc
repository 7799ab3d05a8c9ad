#include "flyball/ctl/trace/timeline.h"

#include "flyball/ctl/trace/trace_fixture.h"

namespace flyball::ctl::trace {
namespace {

using namespace std::chrono_literals;

TEST(Timeline, ShowsWhatEachReconcileDid) {
  Observation observation = Healthy();
  observation.controllers->at(1).queues[0].keys[0].due_in = 20s;
  observation.controllers->at(1).queues[0].keys[0].reconciles = {
      {.time = kNow - 10s},
      {.time = kNow - 5s,
       .took = 3200us,
       .cause = "replicasets.apps shop/web-1 added",
       .causes = 3,
       .reads = {{"replicasets.apps", "12"}},
       .decided = {"create 2 pods: there are 0 of 2"},
       .writes = {{.verb = "create", .resource = "pods", .name = "web-1-a", .times = 2},
                  {.verb = "update",
                   .resource = "replicasets.apps",
                   .subresource = "status",
                   .name = "web-1",
                   .refused = ErrorCode::kConflict,
                   .error = "it has changed"}},
       .writes_left_out = 1,
       .outcome = "failed",
       .error = "conflict: it has changed"},
      {.time = kNow - 1s,
       .took = 40us,
       .times = 3,
       .since = kNow - 4s,
       .cause = "it was time",
       .outcome = "again",
       .requeue_after = 30s}};
  EXPECT_EQ(RenderTimeline(observation, {.reconciles = 2, .pods = 1}), R"(
deployment web, by deployment-controller; now: nothing to do
  11:59:55.000  deployments.apps shop/web added
                read deployments.apps at 12
                took 3.0ms; done until something changes

replicaset web-1, by replicaset-controller; now: is looked at again in 20s
  (1 earlier turn left out: --turns)
  11:59:55.000  replicasets.apps shop/web-1 added, and 2 more
                read replicasets.apps at 12
                decided: create 2 pods: there are 0 of 2
                did create pods web-1-a and 1 more
                could not update replicasets.apps/status web-1: it has changed
                did 1 write more
                took 3.2ms; failed: conflict: it has changed
  11:59:59.000  it was time
                the same 3 times since 11:59:56.000
                took 40us; looks again after 30s

pod web-1-a: Running, ready, on node-1, made 10m ago

(1 pod left out: --pods)
)");
}

TEST(Timeline, ShowsPodsThatAreNotReadyFirst) {
  Observation observation = Healthy();
  observation.controllers.reset();
  observation.chain.pods[1] = PodWith("web-1-b", R"({"phase":"Running","containerStatuses":[
    {"name":"c","restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}}},
    {"name":"d","state":{"terminated":{"exitCode":1}}},{"name":"e","state":{"running":{}}},
    {"name":"f"}]})");
  EXPECT_EQ(RenderTimeline(observation, {}), R"(
pod web-1-b: Running, not ready, on node-1, made 10m ago
  container c: waiting: CrashLoopBackOff, restarted 2 times
  container d: ended with 1
  container e: running
  container f: not started

pod web-1-a: Running, ready, on node-1, made 10m ago
)");
}

TEST(Timeline, NamesObjectsThatNoControllerHasReconciled) {
  Observation observation = Healthy();
  observation.chain.pods.clear();
  observation.controllers->at(0).queues[0].keys.clear();
  observation.controllers->pop_back();
  EXPECT_EQ(RenderTimeline(observation, {}),
            "\ndeployment web: no controller remembers it\n"
            "\nreplicaset web-1: no controller remembers it\n");
}

TEST(Timeline, SpansAreAsExactAsPeopleNeedThem) {
  EXPECT_EQ(SpanText(850us), "850us");
  EXPECT_EQ(SpanText(3200us), "3.2ms");
  EXPECT_EQ(SpanText(45ms), "45ms");
  EXPECT_EQ(SpanText(1400ms), "1.4s");
  EXPECT_EQ(SpanText(75s), "75s");
  EXPECT_EQ(SpanText(320s), "5m20s");
}

}  // namespace
}  // namespace flyball::ctl::trace
