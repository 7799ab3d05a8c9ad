#include "flyball/ctl/rollout_status.h"

#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

struct Case {
  std::string_view object;
  std::string_view text;
  bool done = false;
};

/// The state of an object, or why there is none.
RolloutState StateOf(std::string_view object, std::int64_t revision = 0) {
  const auto state = StateOfRollout(*api::Json::Parse(object), revision);
  return state ? *state : RolloutState{"error: " + state.error().message()};
}

void Check(std::initializer_list<Case> cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(StateOf(each.object), (RolloutState{std::string(each.text), each.done}))
        << each.object;
  }
}

TEST(RolloutStatus, ADeploymentGoesThroughItsStages) {
  Check({
      {R"({"kind":"Deployment","metadata":{"name":"web","generation":2},
           "status":{"observedGeneration":1}})",
       "Waiting for deployment spec update to be observed...\n"},
      {R"({"kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3},
           "status":{"updatedReplicas":1}})",
       "Waiting for deployment \"web\" rollout to finish: 1 out of 3 new replicas have been "
       "updated...\n"},
      {R"({"kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3},
           "status":{"updatedReplicas":3,"replicas":5}})",
       "Waiting for deployment \"web\" rollout to finish: 2 old replicas are pending "
       "termination...\n"},
      {R"({"kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3},
           "status":{"updatedReplicas":3,"replicas":3,"availableReplicas":1}})",
       "Waiting for deployment \"web\" rollout to finish: 1 of 3 updated replicas are "
       "available...\n"},
      {R"({"kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3},
           "status":{"updatedReplicas":3,"replicas":3,"availableReplicas":3}})",
       "deployment \"web\" successfully rolled out\n", true},
      {R"({"kind":"Deployment","metadata":{"name":"web"},"status":{"conditions":[
           {"type":"Progressing","reason":"ProgressDeadlineExceeded","status":"False"}]}})",
       "error: deployment \"web\" exceeded its progress deadline"},
  });
}

TEST(RolloutStatus, ADaemonSetGoesThroughItsStages) {
  Check({
      {R"({"kind":"DaemonSet","metadata":{"name":"d"},
           "spec":{"updateStrategy":{"type":"OnDelete"}}})",
       "error: rollout status is only available for RollingUpdate strategy type"},
      {R"({"kind":"DaemonSet","metadata":{"name":"d","generation":2},
           "spec":{"updateStrategy":{"type":"RollingUpdate"}}})",
       "Waiting for daemon set spec update to be observed...\n"},
      {R"({"kind":"DaemonSet","metadata":{"name":"d"},
           "spec":{"updateStrategy":{"type":"RollingUpdate"}},
           "status":{"desiredNumberScheduled":3,"updatedNumberScheduled":1}})",
       "Waiting for daemon set \"d\" rollout to finish: 1 out of 3 new pods have been "
       "updated...\n"},
      {R"({"kind":"DaemonSet","metadata":{"name":"d"},
           "spec":{"updateStrategy":{"type":"RollingUpdate"}},
           "status":{"desiredNumberScheduled":3,"updatedNumberScheduled":3,"numberAvailable":2}})",
       "Waiting for daemon set \"d\" rollout to finish: 2 of 3 updated pods are available...\n"},
      {R"({"kind":"DaemonSet","metadata":{"name":"d"},
           "spec":{"updateStrategy":{"type":"RollingUpdate"}},
           "status":{"desiredNumberScheduled":3,"updatedNumberScheduled":3,"numberAvailable":3}})",
       "daemon set \"d\" successfully rolled out\n", true},
  });
}

TEST(RolloutStatus, AStatefulSetGoesThroughItsStages) {
  Check({
      {R"({"kind":"StatefulSet","metadata":{"name":"s"},
           "spec":{"updateStrategy":{"type":"OnDelete"}}})",
       "error: rollout status is only available for RollingUpdate strategy type"},
      {R"({"kind":"StatefulSet","metadata":{"name":"s"},
           "spec":{"updateStrategy":{"type":"RollingUpdate"}}})",
       "Waiting for statefulset spec update to be observed...\n"},
      {R"({"kind":"StatefulSet","metadata":{"name":"s"},
           "spec":{"replicas":3,"updateStrategy":{"type":"RollingUpdate"}},
           "status":{"observedGeneration":1,"readyReplicas":1}})",
       "Waiting for 2 pods to be ready...\n"},
      {R"({"kind":"StatefulSet","metadata":{"name":"s"},
           "spec":{"replicas":3,"updateStrategy":{"type":"RollingUpdate",
                   "rollingUpdate":{"partition":1}}},
           "status":{"observedGeneration":1,"readyReplicas":3,"updatedReplicas":1}})",
       "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...\n"},
      {R"({"kind":"StatefulSet","metadata":{"name":"s"},
           "spec":{"replicas":3,"updateStrategy":{"type":"RollingUpdate",
                   "rollingUpdate":{"partition":0}}},
           "status":{"observedGeneration":1,"readyReplicas":3,"updatedReplicas":3}})",
       "partitioned roll out complete: 3 new pods have been updated...\n", true},
      {R"({"kind":"StatefulSet","metadata":{"name":"s"},
           "spec":{"replicas":3,"updateStrategy":{"type":"RollingUpdate"}},
           "status":{"observedGeneration":1,"readyReplicas":3,"updatedReplicas":1,
                     "updateRevision":"b","currentRevision":"a"}})",
       "waiting for statefulset rolling update to complete 1 pods at revision b...\n"},
      {R"({"kind":"StatefulSet","metadata":{"name":"s"},
           "spec":{"replicas":3,"updateStrategy":{"type":"RollingUpdate"}},
           "status":{"observedGeneration":1,"readyReplicas":3,"currentReplicas":3,
                     "updateRevision":"b","currentRevision":"b"}})",
       "statefulset rolling update complete 3 pods at revision b...\n", true},
  });
}

TEST(RolloutStatus, ARevisionThatIsAskedForMustBeTheOneThatRuns) {
  const std::string_view at_two = R"({"kind":"Deployment","metadata":{"name":"web",
      "annotations":{"deployment.kubernetes.io/revision":"2"}}})";
  EXPECT_EQ(StateOf(at_two, 2).text, "deployment \"web\" successfully rolled out\n");
  EXPECT_EQ(StateOf(at_two, 1).text,
            "error: desired revision (1) is different from the running revision (2)");
  EXPECT_EQ(StateOf(R"({"kind":"Deployment","metadata":{"name":"web",
      "annotations":{"deployment.kubernetes.io/revision":"x"}}})")
                .text,
            "error: cannot get the revision of deployment \"web\": x is no number");
}

TEST(RolloutStatus, OtherKindsRollNothingOut) {
  EXPECT_EQ(StateOf(R"({"kind":"Pod"})").text,
            "error: no status viewer has been implemented for Pod");
}

}  // namespace
}  // namespace flyball::ctl
