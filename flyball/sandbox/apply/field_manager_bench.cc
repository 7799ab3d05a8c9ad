#include "benchmark/benchmark.h"
#include "flyball/api/core/v1.h"
#include "flyball/sandbox/apply/field_manager.h"
#include "flyball/sandbox/apply/reset_fields.h"

namespace flyball::sandbox::apply {
namespace {

/// A pod of a Deployment, as it is on a cluster: one container, a service account's volume.
constexpr std::string_view kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{
"name":"web-7c5ddbdf54-8xk2p","generateName":"web-7c5ddbdf54-","namespace":"default","uid":"9d1bf0b8",
"resourceVersion":"5121","creationTimestamp":"2026-01-01T00:00:00Z",
"labels":{"app":"web","pod-template-hash":"7c5ddbdf54"},"annotations":{"team":"a"},
"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7c5ddbdf54","uid":"6cc1",
"controller":true,"blockOwnerDeletion":true}]},
"spec":{"containers":[{"name":"web","image":"nginx:1.27","imagePullPolicy":"IfNotPresent",
"ports":[{"containerPort":80,"name":"http","protocol":"TCP"}],
"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","value":"3"}],
"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"100m","memory":"64Mi"}},
"livenessProbe":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"periodSeconds":10,"timeoutSeconds":1,
"successThreshold":1,"failureThreshold":3},
"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",
"volumeMounts":[{"name":"config","mountPath":"/etc/web"},
{"name":"kube-api-access-x","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","readOnly":true}]}],
"dnsPolicy":"ClusterFirst","enableServiceLinks":true,"nodeName":"node-1","preemptionPolicy":"PreemptLowerPriority",
"priority":0,"restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},
"serviceAccount":"default","serviceAccountName":"default","terminationGracePeriodSeconds":30,
"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],
"volumes":[{"name":"config","configMap":{"name":"web","defaultMode":420}},
{"name":"kube-api-access-x","projected":{"defaultMode":420,"sources":[
{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},
{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]}}]},
"status":{"phase":"Pending","qosClass":"Burstable"}})";

constexpr std::string_view kStatus =
    R"({"phase":"Running","qosClass":"Burstable","hostIP":"10.0.0.1",
"hostIPs":[{"ip":"10.0.0.1"}],"podIP":"10.1.0.7","podIPs":[{"ip":"10.1.0.7"}],"startTime":"2026-01-01T00:00:01Z",
"conditions":[{"type":"PodReadyToStartContainers","status":"True","lastTransitionTime":"2026-01-01T00:00:02Z"},
{"type":"Initialized","status":"True","lastTransitionTime":"2026-01-01T00:00:01Z"},
{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:02Z"},
{"type":"ContainersReady","status":"True","lastTransitionTime":"2026-01-01T00:00:02Z"},
{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-01-01T00:00:01Z"}],
"containerStatuses":[{"name":"web","ready":true,"restartCount":0,"started":true,"image":"nginx:1.27",
"imageID":"nginx@sha256:1","containerID":"containerd://1","lastState":{},
"state":{"running":{"startedAt":"2026-01-01T00:00:02Z"}}}]})";

/// A pod that its controller created and its node runs, and the next status the node writes.
struct RunningPod {
  RunningPod() {
    const Json created = Json::Parse(kPod).value();
    running = created;
    running.If<Json::Object>()->insert_or_assign("status", Json::Parse(kStatus).value());
    const Entries by_controller =
        main.Update(nullptr, created, nullptr, {"kube-controller-manager", api::Time::FromUnix(1)});
    const ManagedObject before{created, by_controller};
    entries = status.Update(&before, running, nullptr, {"kubelet", api::Time::FromUnix(2)});
    restarted = running;
    Json* containers =
        restarted.If<Json::Object>()->find("status")->If<Json::Object>()->find("containerStatuses");
    (*containers->If<Json::Array>())[0].If<Json::Object>()->insert_or_assign("restartCount", 1);
  }

  const TypeSchema schema = TypeSchema::OfType(core::v1::Pod::kType);
  const FieldManager main{FieldScope{.schema = schema,
                                     .api_version = "v1",
                                     .kind = "Pod",
                                     .filters = {{"v1", OwnableFields(core::v1::Pod::kType, "")}}}};
  const FieldManager status{
      FieldScope{.schema = schema,
                 .api_version = "v1",
                 .kind = "Pod",
                 .subresource = "status",
                 .filters = {{"v1", OwnableFields(core::v1::Pod::kType, "status")}}}};
  Json running;
  Json restarted;
  Entries entries;
};

void BM_CreatePod(benchmark::State& state) {
  const RunningPod pod;
  const Json created = Json::Parse(kPod).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        pod.main.Update(nullptr, created, nullptr, {"kubectl", api::Time::FromUnix(3)}));
  }
}
BENCHMARK(BM_CreatePod);

void BM_UpdatePodStatus(benchmark::State& state) {
  const RunningPod pod;
  const ManagedObject before{pod.running, pod.entries};
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        pod.status.Update(&before, pod.restarted, nullptr, {"kubelet", api::Time::FromUnix(3)}));
  }
}
BENCHMARK(BM_UpdatePodStatus);

void BM_UpdatePodWithoutChange(benchmark::State& state) {
  const RunningPod pod;
  const ManagedObject before{pod.running, pod.entries};
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        pod.status.Update(&before, pod.running, nullptr, {"kubelet", api::Time::FromUnix(3)}));
  }
}
BENCHMARK(BM_UpdatePodWithoutChange);

void BM_ApplyPodAgain(benchmark::State& state) {
  RunningPod pod;
  const Json config = Json::Parse(kPod).value();
  ManagedObject live{pod.running, pod.entries};
  auto applied = pod.main.Apply(&live, config, {"helm", api::Time::FromUnix(3)}, true).value();
  pod.entries = applied.managed_fields;
  if (applied.object) pod.running = *applied.object;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        pod.main.Apply(&live, config, {"helm", api::Time::FromUnix(4)}, false));
  }
}
BENCHMARK(BM_ApplyPodAgain);

}  // namespace
}  // namespace flyball::sandbox::apply
