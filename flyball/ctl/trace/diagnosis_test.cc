#include "flyball/ctl/trace/diagnosis.h"

#include <gmock/gmock.h>

#include <functional>

#include "flyball/ctl/trace/trace_fixture.h"

namespace flyball::ctl::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kRunning = R"({"phase":"Running","conditions":[
  {"type":"Ready","status":"False","lastTransitionTime":"2026-11-16T11:58:00Z"}],
  "containerStatuses":[{"name":"c","image":"nginx:1","ready":false,"restartCount":4,"state":)";
const std::string kPending = R"({"phase":"Pending","containerStatuses":[
  {"name":"c","image":"nginx:nope","state":)";

void Fails(Observation& observation, std::size_t controller, ErrorCode code,
           const std::string& error) {
  ReportedReconcile& reconcile = LastReconcile(observation, controller);
  reconcile.outcome = "failed";
  reconcile.times = 7;
  reconcile.error = error;
  reconcile.writes = {
      {.verb = "create", .resource = "pods", .name = "web-1-", .refused = code, .error = error}};
}

struct Case {
  std::string name;
  std::function<void(Observation& observation)> spoil;
  std::vector<std::string> causes;  // all that is found, in this order
};

void SpoilPods(Observation& observation, const std::string& status) {
  for (core::v1::Pod& pod : observation.chain.pods) pod = PodWith(pod.metadata.name, status);
}

std::vector<Case> Cases() {
  return {
      {"all is well", [](Observation&) {}, {}},
      {"all is well without a manager", [](Observation& s) { s.controllers.reset(); }, {}},
      {"bad image",
       [](Observation& s) {
         SpoilPods(s, kPending + R"({"waiting":{"reason":"ImagePullBackOff",
           "message":"Back-off pulling image"}}}]})");
       },
       {"The image \"nginx:nope\" cannot be pulled (2 of 2 pods)"}},
      {"one bad image",
       [](Observation& s) {
         s.chain.pods[0] =
             PodWith("web-1-a", kPending + R"({"waiting":{"reason":"ErrImagePull"}}}]})");
       },
       {"The image \"nginx:nope\" cannot be pulled (1 of 2 pods)"}},
      {"no node fits",
       [](Observation& s) {
         SpoilPods(s, R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
           "reason":"Unschedulable","message":"0/3 nodes are available: 3 Insufficient cpu."}]})");
         for (auto& pod : s.chain.pods) pod.spec.nodeName.clear();
       },
       {"No node fits: 0/3 nodes are available: 3 Insufficient cpu. (2 of 2 pods)"}},
      {"a scheduling gate",
       [](Observation& s) {
         SpoilPods(s, R"({"phase":"Pending"})");
         for (auto& pod : s.chain.pods) {
           pod.spec.nodeName.clear();
           pod.spec.schedulingGates.emplace_back().name = "example.com/wait";
         }
       },
       {"The scheduling gate example.com/wait has not been taken off (2 of 2 pods)"}},
      {"no scheduler",
       [](Observation& s) {
         SpoilPods(s, R"({"phase":"Pending"})");
         for (auto& pod : s.chain.pods) pod.spec.nodeName.clear();
       },
       {"There is no node yet, and no scheduler has looked for one (2 of 2 pods)"}},
      {"crash loop",
       [](Observation& s) {
         SpoilPods(s, kRunning + R"({"waiting":{"reason":"CrashLoopBackOff"}},
           "lastState":{"terminated":{"exitCode":3,"reason":"Error"}}}]})");
       },
       {"The container c crashes again and again: it ends with exit code 3 (2 of 2 pods)"}},
      {"out of memory",
       [](Observation& s) {
         SpoilPods(s, kRunning + R"({"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]})");
       },
       {"The container c crashes again and again: it ends with exit code 137: OOMKilled (2 of 2 "
        "pods)"}},
      {"a config map that is not there",
       [](Observation& s) {
         SpoilPods(s, kPending + R"({"waiting":{"reason":"CreateContainerConfigError",
           "message":"configmap \"x\" not found"}}}]})");
       },
       {"The container c cannot be started: CreateContainerConfigError: configmap \"x\" not found "
        "(2 of 2 pods)"}},
      {"not ready",
       [](Observation& s) { SpoilPods(s, kRunning + R"({"running":{}}}]})"); },
       {"The container c runs, but is not ready: it does not pass its readiness probe (2 of 2 "
        "pods)"}},
      {"a node that does nothing",
       [](Observation& s) { SpoilPods(s, R"({"phase":"Pending"})"); },
       {"The node does not start it (2 of 2 pods)"}},
      {"evicted",
       [](Observation& s) {
         s.chain.pods[1] = PodWith("web-1-b", R"({"phase":"Failed","reason":"Evicted",
           "message":"low on memory"})");
       },
       {"Failed: Evicted: low on memory (1 of 2 pods)"}},
      {"paused",
       [](Observation& s) { s.chain.asked = Deployment(R"(,"paused":true)"); },
       {"deployment web is paused: what is changed in its template waits to be rolled out"}},
      {"paused with a change",
       [](Observation& s) {
         s.chain.asked = Deployment(R"(,"paused":true,"template":{"metadata":{"labels":
           {"app":"web","v":"2"}}})");
       },
       {"deployment web is paused: its template has changed, and that waits to be rolled out"}},
      {"deadline exceeded",
       [](Observation& s) {
         SpoilPods(s, kRunning + R"({"running":{}}}]})");
         s.chain.asked = Deployment(R"(,"progressDeadlineSeconds":90)", R"(,"conditions":[
           {"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded",
            "message":"ReplicaSet \"web-1\" has timed out progressing."}])");
       },
       {"The container c runs, but is not ready: it does not pass its readiness probe (2 of 2 "
        "pods)",
        "The rollout of deployment web has exceeded its progress deadline of 1m30s"}},
      {"selector conflict",
       [](Observation& s) {
         Link other = Deployment();
         other.object = ParseJson(R"({"kind":"Deployment","metadata":{"name":"api"},
           "spec":{"selector":{"matchLabels":{"app":"web"}},
           "template":{"metadata":{"labels":{"app":"web"}}}}})");
         s.chain.neighbours = {other};
       },
       {"The selector of deployment web (app=web) also selects the pods of deployment api"}},
      {"another's selector is the wider one",
       [](Observation& s) {
         s.chain.neighbours = {{"replicationcontrollers", ParseJson(R"({
           "kind":"ReplicationController","metadata":{"name":"old"},"spec":{"selector":{"app":"web"},
           "template":{"metadata":{"labels":{"app":"other"}}}}})")}};
       },
       {"The selector of replicationcontroller old (app=web) also selects the pods of deployment "
        "web"}},
      {"other labels",
       [](Observation& s) {
         s.chain.neighbours = {{"deployments.apps", ParseJson(R"({"kind":"Deployment",
           "metadata":{"name":"api"},"spec":{"selector":{"matchLabels":{"app":"api"}},
           "template":{"metadata":{"labels":{"app":"api"}}}}})")}};
       },
       {}},
      {"finalizer stuck",
       [](Observation& s) {
         s.chain.asked = Deployment("", "", R"(,"deletionTimestamp":"2026-11-16T11:58:00Z",
           "finalizers":["example.com/hold"])");
       },
       {"deployment web cannot go: its finalizer example.com/hold waits for whoever put it there "
        "to take it off"}},
      {"foreground deletion",
       [](Observation& s) {
         s.chain.asked = Deployment("", "", R"(,"deletionTimestamp":"2026-11-16T11:58:00Z",
           "finalizers":["foregroundDeletion"])");
         s.chain.pods[0] = PodWith("web-1-a", "{}", R"(,"deletionTimestamp":"2026-11-16T11:59:00Z",
           "finalizers":["example.com/hold"])");
         s.chain.pods[1] =
             PodWith("web-1-b", "{}", R"(,"deletionTimestamp":"2026-11-16T11:59:00Z")");
       },
       {"deployment web cannot go: its finalizer foregroundDeletion waits for what it owns to be "
        "gone",
        "pod web-1-a cannot go: its finalizer example.com/hold waits for whoever put it there to "
        "take it off",
        "pod web-1-b does not end: node node-1 has not said that its containers are gone"}},
      {"invalid template",
       [](Observation& s) {
         s.chain.pods.clear();
         Fails(s, 1, ErrorCode::kInvalid, "Pod \"web-1-\" is invalid: spec.containers[0].image");
       },
       {"The template is invalid: the API server does not take it: Pod \"web-1-\" is invalid: "
        "spec.containers[0].image"}},
      {"invalid template, in the words of a condition",
       [](Observation& s) {
         s.chain.pods.clear();
         s.controllers.reset();
         s.chain.owned = {ReplicaSet(R"(,"conditions":[{"type":"ReplicaFailure","status":"True",
           "reason":"FailedCreate","message":"Pod \"web-1-\" is invalid: spec.x"}])")};
       },
       {"The template is invalid: the API server does not take it: Pod \"web-1-\" is invalid: "
        "spec.x"}},
      {"told by a turn and by two conditions",
       [](Observation& s) {
         const std::string said = R"(,"conditions":[{"type":"ReplicaFailure","status":"True",
           "reason":"FailedCreate","message":"pods \"web-1-\" is forbidden: exceeded quota: q"}])";
         s.chain.pods.clear();
         s.chain.asked = Deployment("", said);
         s.chain.owned = {ReplicaSet(said)};
         Fails(s, 1, ErrorCode::kForbidden, "pods \"web-1-\" is forbidden: exceeded quota: q");
       },
       {"A quota is used up: pods \"web-1-\" is forbidden: exceeded quota: q"}},
      {"no such service account",
       [](Observation& s) {
         Fails(s, 1, ErrorCode::kForbidden,
               "pods \"web-1-\" is forbidden: error looking up service account shop/x");
       },
       {"The pods' service account is not there: pods \"web-1-\" is forbidden: error looking up "
        "service account shop/x"}},
      {"no permission to write",
       [](Observation& s) {
         Fails(s, 1, ErrorCode::kForbidden,
               "pods is forbidden: User \"x\" cannot create resource \"pods\"");
       },
       {"The controller lacks a permission: pods is forbidden: User \"x\" cannot create resource "
        "\"pods\""}},
      {"a webhook",
       [](Observation& s) {
         Fails(s, 1, ErrorCode::kBadRequest, "admission webhook \"w\" denied the request: no");
       },
       {"An admission webhook refuses it: admission webhook \"w\" denied the request: no"}},
      {"API server refusing writes",
       [](Observation& s) { Fails(s, 1, ErrorCode::kUnavailable, "etcd is read only"); },
       {"The API server refuses writes: etcd is read only"}},
      {"a conflict now and then",
       [](Observation& s) { Fails(s, 1, ErrorCode::kConflict, "old"); },
       {}},
      {"conflicts without end",
       [](Observation& s) {
         Fails(s, 1, ErrorCode::kConflict, "old");
         s.controllers->at(1).queues[0].keys[0].retries = 9;
       },
       {"A write is refused again and again: old"}},
      {"an exception",
       [](Observation& s) {
         Fails(s, 0, ErrorCode::kInternal, "exception: out of range");
         LastReconcile(s, 0).writes.clear();
         LastReconcile(s, 0).outcome = "given up";
       },
       {"deployment-controller fails on deployment web, 7 times in a row, and has given up until "
        "it changes: exception: out of range"}},
      {"stuck",
       [](Observation& s) {
         auto& key = s.controllers->at(0).queues[0].keys[0];
         key.state = "processing";
         key.in_state_for = std::chrono::minutes(3);
       },
       {"deployment-controller has been at deployment web for more than a minute"}},
      {"cache not synced for lack of permission",
       [](Observation& s) {
         auto& controller = s.controllers->at(1);
         controller.running = false;
         controller.caches = {{.resource = "replicasets.apps", .problem = "may not list them"}};
       },
       {"replicaset-controller does not run: it cannot read replicasets.apps: may not list them"}},
      {"cache out of date",
       [](Observation& s) { s.controllers->at(1).caches[0].problem = "connection refused"; },
       {"replicaset-controller goes by an old copy of the cluster: it cannot read "
        "replicasets.apps: connection refused"}},
      {"just starting",
       [](Observation& s) {
         s.controllers->at(0).running = false;
         s.controllers->at(0).caches[0].synced = false;
       },
       {"deployment-controller does not run yet: it reads what it needs first"}},
      {"no such controller",
       [](Observation& s) { s.controllers->pop_back(); },
       {"No replicaset-controller runs in this manager: nobody looks after replicasets.apps"}},
      {"a manager that does not lead",
       [](Observation& s) { s.controllers->clear(); },
       {"The manager runs no controllers: it does not lead, or has not reached the API server "
        "yet"}},
      {"a change that nobody has seen",
       [](Observation& s) {
         s.chain.asked = Deployment("", "", R"(,"generation":2)");
         s.controllers->at(0).queues[0].keys[0].state = "held";
       },
       {"The last change of deployment web has not been looked at yet"}},
  };
}

TEST(Diagnosis, NamesTheCause) {
  for (const Case& each : Cases()) {
    SCOPED_TRACE(each.name);
    Observation observation = Healthy();
    each.spoil(observation);
    std::vector<std::string> causes;
    for (const Finding& finding : Diagnose(observation).findings) causes.push_back(finding.cause);
    EXPECT_EQ(causes, each.causes);
  }
}

TEST(Diagnosis, SaysHowThingsAre) {
  Observation observation = Healthy();
  EXPECT_EQ(Diagnose(observation).state,
            "deployment web in shop: 2 of 2 pods are ready; nothing is wrong");
  observation.chain.pods.pop_back();
  EXPECT_EQ(Diagnose(observation).state,
            "deployment web in shop: 1 of 2 pods are ready; nothing is wrong so far, it is on its "
            "way");
  observation.chain.pods.push_back(PodWith("web-1-b", R"({"phase":"Failed","reason":"Evicted"})"));
  EXPECT_EQ(Diagnose(observation).state, "deployment web in shop: 1 of 2 pods are ready");

  observation = Healthy();
  observation.chain.asked = Deployment("", R"(,"updatedReplicas":1)");
  EXPECT_EQ(Diagnose(observation).state,
            "deployment web in shop: 2 of 2 pods are ready, 1 of an earlier template; nothing is "
            "wrong so far, it is on its way");
}

TEST(Diagnosis, OfAPodLooksAtTheControllersOfItsOwners) {
  Observation observation = Healthy();
  observation.chain.owners = {observation.chain.asked, observation.chain.owned[0]};
  observation.chain.owned.clear();
  observation.chain.pods.resize(1);
  observation.chain.asked = {"pods", ParseJson(R"({"kind":"Pod","metadata":{"name":"web-1-a",
    "namespace":"shop","uid":"uid-web-1-a"}})")};
  EXPECT_EQ(Diagnose(observation).state, "pod web-1-a in shop: ready, Running; nothing is wrong");
  Fails(observation, 1, ErrorCode::kUnavailable, "etcd is read only");
  EXPECT_THAT(Diagnose(observation).findings, SizeIs(1));
}

TEST(Diagnosis, OfANamespaceSaysWhatIsLeftInIt) {
  const auto space = [](const std::string& conditions) {
    return Observation{.chain = {.asked = {"namespaces", ParseJson(R"({"kind":"Namespace",
      "metadata":{"name":"shop","uid":"u","deletionTimestamp":"2026-11-16T11:57:00Z"},
      "spec":{"finalizers":["kubernetes"]},"status":{"phase":"Terminating","conditions":[)" +
                                                                   conditions + "]}}")}},
                       .now = kNow};
  };
  EXPECT_EQ(Diagnose(space("")),
            (Diagnosis{.state = "namespace shop: being deleted",
                       .findings = {{.cause = "namespace shop was deleted 3m ago, and is not empty "
                                              "yet",
                                     .advice = "namespace-controller empties it; give it some "
                                               "time"}}}));
  const auto stuck = Diagnose(space(R"({"type":"NamespaceFinalizersRemaining","status":"True",
    "message":"Some content in the namespace has finalizers remaining: a/b in 1 resource instances"},
    {"type":"NamespaceDeletionContentFailure","status":"False","message":"no"})"));
  ASSERT_THAT(stuck.findings, SizeIs(1));
  EXPECT_EQ(stuck.findings[0].cause,
            "namespace shop cannot go: Some content in the namespace has finalizers remaining: a/b "
            "in 1 resource instances");
}

TEST(Diagnosis, OfJobsAndOfKindsThatNobodyKnows) {
  Observation job{.chain = {.asked = {"jobs.batch", ParseJson(R"({"kind":"Job","metadata":{
    "name":"sum","uid":"u"},"spec":{"suspend":true},"status":{"conditions":[{"type":"Failed",
    "status":"True","reason":"BackoffLimitExceeded","message":"too often"}]}})")}},
                  .now = kNow};
  EXPECT_THAT(Diagnose(job).findings, SizeIs(2));
  EXPECT_EQ(Diagnose(job).findings[1].cause, "job sum has failed: too often");

  Observation widget{.chain = {.asked = {"widgets.example.com", ParseJson(R"({"kind":"Widget",
    "metadata":{"name":"w","uid":"u"},"status":{"conditions":[{"type":"Ready","status":"False",
    "reason":"Broken","message":"no power"}]}})")}},
                     .now = kNow};
  EXPECT_EQ(Diagnose(widget).findings,
            (Findings{{.cause = "widget w says that it is not Ready: no power",
                       .evidence = {"condition Ready, reason Broken"}}}));
}

TEST(Diagnosis, WhereNothingElseExplainsItTheLastComplaintIsTold) {
  Observation observation = Healthy();
  observation.chain.pods.clear();
  auto& event = observation.chain.events.emplace_back();
  event.type = "Warning";
  event.reason = "FailedCreate";
  event.message = "who knows";
  event.involvedObject.uid = "uid-web-1";
  EXPECT_EQ(Diagnose(observation).findings,
            (Findings{{.cause = "Pods are missing, and the last complaint is FailedCreate: who "
                                "knows",
                       .evidence = {"an event about replicaset web-1"}}}));
}

TEST(Diagnosis, IsReadInLines) {
  Observation observation = Healthy();
  SpoilPods(observation,
            kPending + R"({"waiting":{"reason":"ErrImagePull","message":"no such"}}}]})");
  EXPECT_EQ(ToText(Diagnose(observation)),
            "deployment web in shop: 0 of 2 pods are ready\n"
            "1. The image \"nginx:nope\" cannot be pulled (2 of 2 pods)\n"
            "   seen: pod web-1-a, container c: ErrImagePull: no such\n"
            "   seen: pod web-1-b, container c: ErrImagePull: no such\n"
            "   do: correct the image in the template, or let the nodes pull it "
            "(imagePullSecrets, the registry)\n");
}

}  // namespace
}  // namespace flyball::ctl::trace
