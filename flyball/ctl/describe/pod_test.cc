#include "flyball/ctl/describe/describe_fixture.h"
#include "flyball/ctl/describe/describers.h"
#include "flyball/ctl/describe/pod_template.h"
#include "gtest/gtest.h"

namespace flyball::ctl::describe {
namespace {

using PodDescription = Describers;

TEST_F(PodDescription, AnnotationsThatAreLongHaveLinesOfTheirOwn) {
  out_.Annotations("Annotations",
                   {{"a", "short"},
                    {"b", "two\nlines\n"},
                    {"c", std::string(150, 'x')},
                    {"kubectl.kubernetes.io/last-applied-configuration", "not shown"}});
  EXPECT_EQ(std::move(out_).Take(),
            "Annotations:  a: short\n"
            "              b:\n"
            "                two\n"
            "                lines\n"
            "              c:\n"
            "                " +
                std::string(138, 'x') + "...\n");
}

TEST_F(PodDescription, EventsAreToldByTheirLastTime) {
  out_.Field(0, "A very long title", "x");
  out_.Events({Parse<core::v1::Event>(R"({"type":"Warning","reason":"BackOff","count":3,
                   "firstTimestamp":"2026-01-01T23:50:00Z","lastTimestamp":"2026-01-01T23:59:00Z",
                   "source":{"component":"kubelet"},"message":" again\n",
                   "involvedObject":{"fieldPath":"spec.containers{c}"}})"),
               Parse<core::v1::Event>(R"({"type":"Normal","reason":"Scheduled",
                   "eventTime":"2026-01-01T23:55:00.000000Z","reportingComponent":"scheduler",
                   "message":"to n1"})"),
               Parse<core::v1::Event>(R"({"type":"Normal","reason":"Pulled",
                   "eventTime":"2026-01-01T23:55:00.000000Z","reportingComponent":"kubelet",
                   "lastTimestamp":"2026-01-01T23:58:00Z",
                   "series":{"count":2,"lastObservedTime":"2026-01-01T23:59:50.000000Z"}})"),
               Parse<core::v1::Event>(R"({"type":"Normal","reason":"Never"})")},
              kNow);
  EXPECT_EQ(std::move(out_).Take(),
            "A very long title:  x\n"
            "Events:\n"
            "  Type     Reason     Age                From       Message\n"
            "  ----     ------     ----               ----       -------\n"
            "  Normal   Scheduled  5m                 scheduler  to n1\n"
            "  Normal   Never      <unknown>                     \n"
            "  Normal   Pulled     10s (x2 over 5m)   kubelet    \n"
            "  Warning  BackOff    60s (x3 over 10m)  kubelet    spec.containers{c}: again\n");
}

TEST_F(PodDescription, APodIsToldWithAllItsParts) {
  const auto pod = Parse<core::v1::Pod>(R"({
    "metadata":{"name":"web-0","namespace":"shop","uid":"u1","labels":{"app":"web"},
      "deletionTimestamp":"2026-01-01T23:59:00Z","deletionGracePeriodSeconds":30,
      "ownerReferences":[{"kind":"ReplicaSet","name":"web","controller":true}]},
    "spec":{"priority":7,"priorityClassName":"high","runtimeClassName":"gvisor",
      "serviceAccountName":"default","nodeName":"n1","nodeSelector":{"disk":"ssd"},
      "securityContext":{"seccompProfile":{"type":"Localhost","localhostProfile":"p.json"}},
      "resources":{"limits":{"cpu":"2"}},
      "readinessGates":[{"conditionType":"lb"},{"conditionType":"Ready"}],
      "tolerations":[{"key":"b","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
                     {"operator":"Exists"},{"key":"a","value":"x","effect":"NoSchedule"}],
      "topologySpreadConstraints":[{"topologyKey":"zone","maxSkew":1,
        "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}],
      "initContainers":[{"name":"setup","image":"i","command":["sh","-c","a\nb"],"args":["x"]}],
      "containers":[{"name":"c","image":"nginx:1",
        "ports":[{"containerPort":80,"protocol":"TCP","name":"http"},
                 {"containerPort":53,"protocol":"UDP","hostPort":5353}],
        "securityContext":{"seccompProfile":{"type":"Localhost","localhostProfile":"c.json"}},
        "env":[{"name":"A","value":"1\n2"},
               {"name":"N","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}},
               {"name":"NS","valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}},
               {"name":"U","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}},
               {"name":"L","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['app']"}}},
               {"name":"X","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['x']"}}},
               {"name":"I","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}},
               {"name":"M","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"1Mi"}}},
               {"name":"C","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}},
               {"name":"R","valueFrom":{"resourceFieldRef":{"resource":"requests.cpu"}}},
               {"name":"S","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}},
               {"name":"K","valueFrom":{"configMapKeyRef":{"name":"m","key":"k","optional":true}}}],
        "envFrom":[{"configMapRef":{"name":"m"}},{"prefix":"P","secretRef":{"name":"s","optional":true}}],
        "resources":{"limits":{"memory":"1000001k"},"requests":{"cpu":"1500m"}},
        "livenessProbe":{"httpGet":{"scheme":"HTTP","path":"/h","port":80},"timeoutSeconds":1},
        "readinessProbe":{"exec":{"command":["cat","/r"]}},
        "startupProbe":{"grpc":{"port":9,"service":"s"}},
        "volumeMounts":[{"name":"v","mountPath":"/b","subPath":"p"},
                        {"name":"w","mountPath":"/a","readOnly":true}],
        "volumeDevices":[{"name":"d","devicePath":"/dev/x"}]}],
      "ephemeralContainers":[{"name":"debug","image":"busybox"}]},
    "status":{"phase":"Running","reason":"Evicted","message":"no room","hostIP":"10.0.0.1",
      "podIP":"10.1.0.1","podIPs":[{"ip":"10.1.0.1"}],"startTime":"2026-01-01T00:00:00Z",
      "nominatedNodeName":"n2","qosClass":"Burstable",
      "conditions":[{"type":"Ready","status":"True"}],
      "containerStatuses":[{"name":"c","ready":true,"restartCount":2,"containerID":"x://1",
        "imageID":"img","state":{"running":{"startedAt":"2026-01-01T01:00:00Z"}},
        "lastState":{"terminated":{"exitCode":1,"signal":9,"reason":"Error","message":"oops",
          "startedAt":"2026-01-01T00:10:00Z","finishedAt":"2026-01-01T00:20:00Z"}}}],
      "initContainerStatuses":[{"name":"setup","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})");
  AddPod(pod, kNow, out_);
  EXPECT_EQ(std::move(out_).Take(),
            R"(Name:                      web-0
Namespace:                 shop
Priority:                  7
Priority Class Name:       high
Runtime Class Name:        gvisor
Service Account:           default
Node:                      n1/10.0.0.1
Start Time:                Thu, 01 Jan 2026 00:00:00 +0000
Labels:                    app=web
Annotations:               <none>
Status:                    Terminating (lasts 60s)
Termination Grace Period:  30s
Reason:                    Evicted
Message:                   no room
SeccompProfile:            Localhost
LocalhostProfile:          p.json
IP:                        10.1.0.1
IPs:
  IP:               10.1.0.1
Controlled By:      ReplicaSet/web
NominatedNodeName:  n2
Resources:
  Limits:
    cpu:  2
Init Containers:
  setup:
    Container ID:  
    Image:         i
    Image ID:      
    Port:          <none>
    Host Port:     <none>
    Command:
      sh
      -c
      a
      b
    Args:
      x
    State:          Waiting
      Reason:       CrashLoopBackOff
    Ready:          False
    Restart Count:  0
    Environment:    <none>
    Mounts:         <none>
Containers:
  c:
    Container ID:        x://1
    Image:               nginx:1
    Image ID:            img
    Ports:               80/TCP (http), 53/UDP
    Host Ports:          0/TCP (http), 5353/UDP
    SeccompProfile:      Localhost
      LocalhostProfile:  c.json
    State:               Running
      Started:           Thu, 01 Jan 2026 01:00:00 +0000
    Last State:          Terminated
      Reason:            Error
      Message:           oops
      Exit Code:         1
      Signal:            9
      Started:           Thu, 01 Jan 2026 00:10:00 +0000
      Finished:          Thu, 01 Jan 2026 00:20:00 +0000
    Ready:               True
    Restart Count:       2
    Limits:
      memory:  1000001k
    Requests:
      cpu:      1500m
    Liveness:   http-get http://:80/h delay=0s timeout=1s period=0s successThreshold=0 failureThreshold=0
    Readiness:  exec [cat /r] delay=0s timeout=0s period=0s successThreshold=0 failureThreshold=0
    Startup:    grpc <pod>:9 s delay=0s timeout=0s period=0s successThreshold=0 failureThreshold=0
    Environment Variables from:
      m  ConfigMap               Optional: false
      s  Secret with prefix 'P'  Optional: true
    Environment:
      A:   1
           2
      N:   web-0 (v1:metadata.name)
      NS:  shop (:metadata.namespace)
      U:   u1 (:metadata.uid)
      L:   web (:metadata.labels['app'])
      X:    (:metadata.annotations['x'])
      I:    (:status.podIP)
      M:   954 (limits.memory)
      C:   node allocatable (limits.cpu)
      R:   2 (requests.cpu)
      S:   <set to the key 'k' in secret 's'>      Optional: false
      K:   <set to the key 'k' of config map 'm'>  Optional: true
    Mounts:
      /a from w (ro)
      /b from v (rw,path="p")
    Devices:
      /dev/x from d
Ephemeral Containers:
  debug:
    Image:        busybox
    Port:         <none>
    Host Port:    <none>
    Environment:  <none>
    Mounts:       <none>
Readiness Gates:
  Type    Status
  lb      <none> 
  Ready   True 
Conditions:
  Type                        Status
  Ready                       True 
Volumes:                      <none>
QoS Class:                    Burstable
Node-Selectors:               disk=ssd
Tolerations:                  op=Exists
                              a=x:NoSchedule
                              b:NoExecute op=Exists for 300s
Topology Spread Constraints:  zone:DoNotSchedule when max skew 1 is exceeded for selector app=web
)");
}

TEST_F(PodDescription, VolumesAreToldByTheirSource) {
  const auto spec = Parse<core::v1::PodSpec>(R"({"volumes":[
      {"name":"a","hostPath":{"path":"/x"}},{"name":"b","emptyDir":{"medium":"Memory"}},
      {"name":"c","secret":{"secretName":"s","optional":true}},{"name":"d","configMap":{"name":"m"}},
      {"name":"e","nfs":{"server":"h","path":"/p"}},
      {"name":"f","persistentVolumeClaim":{"claimName":"p"}},
      {"name":"g","image":{"reference":"r","pullPolicy":"Always"}},
      {"name":"h","downwardAPI":{"items":[{"path":"l","fieldRef":{"fieldPath":"metadata.labels"}},
        {"path":"c","resourceFieldRef":{"resource":"limits.cpu"}}]}},
      {"name":"i","projected":{"sources":[{"secret":{"name":"s"}},{"downwardAPI":{}},
        {"configMap":{"name":"m"}},{"serviceAccountToken":{"expirationSeconds":3607}}]}},
      {"name":"j","csi":{"driver":"d","volumeAttributes":{"k":"v"}}},{"name":"k"}]})");
  AddVolumes(spec.volumes, "  ", out_);
  EXPECT_EQ(
      std::move(out_).TakeUnaligned(),
      "  Volumes:\n"
      "   a:\n    Type:\tHostPath (bare host directory volume)\n    Path:\t/x\n"
      "    HostPathType:\t<none>\n"
      "   b:\n    Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)\n"
      "    Medium:\tMemory\n    SizeLimit:\t<unset>\n"
      "   c:\n    Type:\tSecret (a volume populated by a Secret)\n    SecretName:\ts\n"
      "    Optional:\ttrue\n"
      "   d:\n    Type:\tConfigMap (a volume populated by a ConfigMap)\n    Name:\tm\n"
      "    Optional:\tfalse\n"
      "   e:\n    Type:\tNFS (an NFS mount that lasts the lifetime of a pod)\n"
      "    Server:\th\n    Path:\t/p\n    ReadOnly:\tfalse\n"
      "   f:\n    Type:\tPersistentVolumeClaim (a reference to a PersistentVolumeClaim in the "
      "same namespace)\n    ClaimName:\tp\n    ReadOnly:\tfalse\n"
      "   g:\n    Type:\tImage (a container image or OCI artifact)\n    Reference:\tr\n"
      "    PullPolicy:\tAlways\n"
      "   h:\n    Type:\tDownwardAPI (a volume populated by information about the pod)\n"
      "    Items:\n      metadata.labels -> l\n      limits.cpu -> c\n"
      "   i:\n    Type:\tProjected (a volume that contains injected data from multiple "
      "sources)\n    SecretName:\ts\n    Optional:\tfalse\n    DownwardAPI:\ttrue\n"
      "    ConfigMapName:\tm\n    Optional:\tfalse\n    TokenExpirationSeconds:\t3607\n"
      "   j:\n    Type:\tCSI (a Container Storage Interface (CSI) volume source)\n"
      "    Driver:\td\n    FSType:\t\n    ReadOnly:\tfalse\n    VolumeAttributes:\tk=v\n"
      "   k:\n  <unknown>\n");
}

}  // namespace
}  // namespace flyball::ctl::describe
