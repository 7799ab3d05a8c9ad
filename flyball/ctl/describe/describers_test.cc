#include "flyball/ctl/describe/describers.h"

#include "flyball/ctl/describe/describe_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::ctl::describe {
namespace {

using testing::HasSubstr;

TEST_F(Describers, ADeploymentNamesItsReplicaSets) {
  const auto deployment = Parse<apps::v1::Deployment>(R"({"metadata":{"name":"web","namespace":"d"},
      "spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},
        "strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":1}},
        "template":{"metadata":{"labels":{"app":"web"}},
          "spec":{"containers":[{"name":"c","image":"i:2"}]}}},
      "status":{"replicas":4,"updatedReplicas":2,"availableReplicas":3,"unavailableReplicas":1,
        "conditions":[{"type":"Available","status":"True","reason":"MinimumReplicasAvailable"}]}})");
  const auto set = [](const std::string& name, const std::string& image, int day) {
    return Parse<apps::v1::ReplicaSet>(R"({"metadata":{"name":")" + name +
                                       R"(","creationTimestamp":"2026-01-0)" + std::to_string(day) +
                                       R"(T00:00:00Z"},"spec":{"replicas":2,"template":{
        "metadata":{"labels":{"app":"web","pod-template-hash":"h"}},
        "spec":{"containers":[{"name":"c","image":")" +
                                       image + R"("}]}}},"status":{"replicas":1}})");
  };
  AddDeployment(deployment, {set("new", "i:2", 2), set("old", "i:1", 1), set("older", "i:2", 1)},
                out_);
  EXPECT_EQ(std::move(out_).Take(),
            R"(Name:                   web
Namespace:              d
CreationTimestamp:      Mon, 01 Jan 0001 00:00:00 +0000
Labels:                 <none>
Annotations:            <none>
Selector:               app=web
Replicas:               3 desired | 2 updated | 4 total | 3 available | 1 unavailable
StrategyType:           RollingUpdate
MinReadySeconds:        0
RollingUpdateStrategy:  25% max unavailable, 1 max surge
Pod Template:
  Labels:  app=web
  Containers:
   c:
    Image:         i:2
    Port:          <none>
    Host Port:     <none>
    Environment:   <none>
    Mounts:        <none>
  Volumes:         <none>
  Node-Selectors:  <none>
  Tolerations:     <none>
Conditions:
  Type           Status  Reason
  ----           ------  ------
  Available      True    MinimumReplicasAvailable
OldReplicaSets:  new (1/2 replicas created), old (1/2 replicas created)
NewReplicaSet:   older (1/2 replicas created)
)");
}

TEST_F(Describers, AReplicaSetCountsItsPods) {
  const auto pod = [](const std::string& phase, const std::string& uid) {
    return Parse<core::v1::Pod>(R"({"metadata":{"ownerReferences":[{"uid":")" + uid +
                                R"(","controller":true}]},"status":{"phase":")" + phase + R"("}})");
  };
  const PodCounts counts =
      CountPods({pod("Running", "1"), pod("Pending", "1"), pod("Succeeded", "1"),
                 pod("Failed", "1"), pod("Failed", "1"), pod("Running", "2")},
                "1");
  EXPECT_EQ(counts, (PodCounts{1, 1, 1, 2}));
  AddReplicaSet(Parse<apps::v1::ReplicaSet>(R"({"metadata":{"name":"s","namespace":"d",
                    "ownerReferences":[{"kind":"Deployment","name":"web","controller":true}]},
                    "spec":{"replicas":5},"status":{"replicas":4}})"),
                counts, out_);
  EXPECT_THAT(std::move(out_).Take(),
              testing::AllOf(HasSubstr("Selector:       <none>\n"),
                             HasSubstr("Controlled By:  Deployment/web\n"
                                       "Replicas:       4 current / 5 desired\n"
                                       "Pods Status:    1 Running / 1 Waiting / 1 Succeeded / 2 "
                                       "Failed\n")));
}

TEST_F(Describers, AJobTellsItsTimes) {
  std::string indexes = "0";
  for (int i = 1; i < 40; ++i) indexes += "," + std::to_string(i);
  AddJob(Parse<batch::v1::Job>(R"({"metadata":{"name":"j","namespace":"d",
             "ownerReferences":[{"kind":"CronJob","name":"c","controller":true}]},
             "spec":{"parallelism":2,"completionMode":"Indexed","suspend":false,"backoffLimit":6,
               "ttlSecondsAfterFinished":9,"activeDeadlineSeconds":60,
               "selector":{"matchLabels":{"a":"b"}},
               "template":{"metadata":{"annotations":{"x":"y"}},
                 "spec":{"serviceAccountName":"r","priorityClassName":"p",
                         "initContainers":[{"name":"i"}]}}},
             "status":{"startTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-01T00:00:45Z",
               "active":1,"ready":1,"succeeded":2,"failed":3,"completedIndexes":")" +
                               indexes + R"("}})"),
         out_);
  EXPECT_EQ(std::move(out_).Take(),
            R"(Name:                        j
Namespace:                   d
Selector:                    a=b
Labels:                      <none>
Annotations:                 <none>
Controlled By:               CronJob/c
Parallelism:                 2
Completions:                 <unset>
Completion Mode:             Indexed
Suspend:                     false
Backoff Limit:               6
TTL Seconds After Finished:  9
Start Time:                  Thu, 01 Jan 2026 00:00:00 +0000
Completed At:                Thu, 01 Jan 2026 00:00:45 +0000
Duration:                    45s
Active Deadline Seconds:     60s
Pods Statuses:               1 Active (1 Ready) / 2 Succeeded / 3 Failed
Completed Indexes:           0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,...
Pod Template:
  Labels:           <none>
  Annotations:      x: y
  Service Account:  r
  Init Containers:
   i:
    Image:        
    Port:         <none>
    Host Port:    <none>
    Environment:  <none>
    Mounts:       <none>
  Containers: <none>
  Volumes:              <none>
  Priority Class Name:  p
  Node-Selectors:       <none>
  Tolerations:          <none>
)");
}

TEST_F(Describers, AServiceTellsWhereItLeads) {
  const auto service = Parse<core::v1::Service>(R"({"metadata":{"name":"web","namespace":"d"},
      "spec":{"type":"LoadBalancer","selector":{"app":"web"},"clusterIP":"10.0.0.9",
        "clusterIPs":["10.0.0.9"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",
        "externalIPs":["1.2.3.4"],"loadBalancerIP":"5.6.7.8","externalName":"x.example.com",
        "sessionAffinity":"None","externalTrafficPolicy":"Local","internalTrafficPolicy":"Cluster",
        "healthCheckNodePort":31000,"loadBalancerSourceRanges":["10.0.0.0/8"],
        "trafficDistribution":"PreferClose",
        "ports":[{"port":80,"protocol":"TCP","targetPort":"http","nodePort":30080,
                  "appProtocol":"h2c"},{"name":"s","port":443,"protocol":"TCP","targetPort":8443}]},
      "status":{"loadBalancer":{"ingress":[{"ip":"9.9.9.9","ipMode":"VIP"},{"hostname":"lb"}]}}})");
  const auto slice = Parse<discovery::v1::EndpointSlice>(R"({"ports":[{"name":"","port":8080},
      {"name":"t","port":1}],"endpoints":[{"addresses":["10.1.0.1"]},
      {"addresses":["10.1.0.2"],"conditions":{"ready":false}},{"addresses":["10.1.0.3"]},
      {"addresses":["fd::4"]},{"addresses":["10.1.0.5"]}]})");
  AddService(service, {slice}, out_);
  EXPECT_EQ(std::move(out_).Take(),
            R"(Name:                        web
Namespace:                   d
Labels:                      <none>
Annotations:                 <none>
Selector:                    app=web
Type:                        LoadBalancer
IP Family Policy:            SingleStack
IP Families:                 IPv4
IP:                          10.0.0.9
IPs:                         10.0.0.9
External IPs:                1.2.3.4
Desired LoadBalancer IP:     5.6.7.8
External Name:               x.example.com
LoadBalancer Ingress:        9.9.9.9 (VIP), lb
Port:                        <unset>  80/TCP
TargetPort:                  http/TCP
AppProtocol:                 h2c
NodePort:                    <unset>  30080/TCP
Endpoints:                   10.1.0.1:8080,10.1.0.3:8080,[fd::4]:8080 + 1 more...
Port:                        s  443/TCP
TargetPort:                  8443/TCP
Endpoints:                   
Session Affinity:            None
External Traffic Policy:     Local
Internal Traffic Policy:     Cluster
HealthCheck NodePort:        31000
LoadBalancer Source Ranges:  10.0.0.0/8
Traffic Distribution:        PreferClose
)");
  Description headless;
  AddService(Parse<core::v1::Service>(R"({"spec":{"ports":[{"port":1}]}})"),
             {Parse<discovery::v1::EndpointSlice>(R"({"endpoints":[{"addresses":["10.1.0.1"]}]})")},
             headless);
  EXPECT_THAT(std::move(headless).Take(), HasSubstr("Endpoints:         10.1.0.1\n"));
}

TEST_F(Describers, ASecretKeepsItsSecrets) {
  AddSecret(Parse<core::v1::Secret>(R"({"metadata":{"name":"s","namespace":"d"},
                "type":"kubernetes.io/service-account-token",
                "data":{"token":"YWJj","ca.crt":"YWJjZA=="}})"),
            out_);
  EXPECT_EQ(std::move(out_).Take(),
            "Name:         s\nNamespace:    d\nLabels:       <none>\nAnnotations:  <none>\n\n"
            "Type:  kubernetes.io/service-account-token\n\nData\n====\n"
            "ca.crt:  4 bytes\ntoken:   abc\n");
}

TEST_F(Describers, ANamespaceTellsItsLimits) {
  AddNamespace(
      Parse<core::v1::Namespace>(R"({"metadata":{"name":"shop"},"status":{"phase":"Terminating",
          "conditions":[{"type":"NamespaceContentRemaining","status":"True","reason":"Some",
            "message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})"),
      {Parse<core::v1::ResourceQuota>(R"({"metadata":{"name":"q2"}})"),
       Parse<core::v1::ResourceQuota>(R"({"metadata":{"name":"q1"},
           "spec":{"scopes":["NotBestEffort","CrossNamespacePodAffinity"]},
           "status":{"hard":{"cpu":"2","pods":"10"},"used":{"pods":"3"}}})")},
      {Parse<core::v1::LimitRange>(R"({"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},
           "default":{"memory":"1Gi"}}]}})")},
      out_);
  EXPECT_EQ(std::move(out_).Take(),
            R"(Name:         shop
Labels:       <none>
Annotations:  <none>
Status:       Terminating
Conditions:
  Type                       Status  LastTransitionTime               Reason  Message
  ----                       ------  ------------------               ------  -------
  NamespaceContentRemaining  True    Thu, 01 Jan 2026 00:00:00 +0000  Some    m

Resource Quotas
  Name:    q1
  Scopes:  CrossNamespacePodAffinity, NotBestEffort
  * Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.
  Resource  Used  Hard
  --------  ---   ---
  cpu       0     2
  pods      3     10
  Name:     q2
  Resource  Used  Hard
  --------  ---   ---

Resource Limits
 Type       Resource  Min  Max  Default Request  Default Limit  Max Limit/Request Ratio
 ----       --------  ---  ---  ---------------  -------------  -----------------------
 Container  cpu       -    2    -                -              -
 Container  memory    -    -    -                1Gi            -
)");
}

TEST_F(Describers, ANodeTellsWhatItsPodsTake) {
  const auto node = Parse<core::v1::Node>(R"({"metadata":{"name":"n1",
      "labels":{"kubernetes.io/role":"b","node-role.kubernetes.io/a":""}},
      "spec":{"taints":[{"key":"z","effect":"NoSchedule"},{"key":"y","value":"v"},{"key":"x"}],
        "unschedulable":true,"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"],"providerID":"p"},
      "status":{"addresses":[{"type":"InternalIP","address":"1.1.1.1"}],
        "conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"ok",
          "lastHeartbeatTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}],
        "capacity":{"cpu":"4","memory":"8Gi","pods":"110"},
        "allocatable":{"cpu":"2","memory":"4Gi","pods":"110","hugepages-2Mi":"0","example.com/gpu":"1"},
        "nodeInfo":{"machineID":"m","kubeletVersion":"v1.37.1"}}})");
  NodeSurroundings surroundings;
  surroundings.lease = Parse<coordination::v1::Lease>(
      R"({"spec":{"holderIdentity":"n1","renewTime":"2026-01-01T00:00:00.000000Z"}})");
  surroundings.pods = {Parse<core::v1::Pod>(R"({"metadata":{"name":"a","namespace":"d",
          "creationTimestamp":"2026-01-01T23:59:00Z"},"spec":{"overhead":{"cpu":"100m","memory":"1Mi"},
          "containers":[{"resources":{"requests":{"cpu":"500m","memory":"1Gi"},"limits":{"cpu":"1"}}}],
          "initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}},
            {"resources":{"requests":{"cpu":"1"}}}]}})"),
                       Parse<core::v1::Pod>(R"({"metadata":{"name":"b","namespace":"d"},
          "spec":{"resources":{"requests":{"cpu":"200m"}},
            "containers":[{"resources":{"requests":{"example.com/gpu":"1"}}}]}})")};
  AddNode(node, surroundings, kNow, out_);
  EXPECT_EQ(std::move(out_).Take(),
            R"(Name:               n1
Roles:              a,b
Labels:             kubernetes.io/role=b
                    node-role.kubernetes.io/a=
Annotations:        <none>
CreationTimestamp:  Mon, 01 Jan 0001 00:00:00 +0000
Taints:             x
                    y=v:
                    z:NoSchedule
Unschedulable:      true
Lease:
  HolderIdentity:  n1
  AcquireTime:     <unset>
  RenewTime:       Thu, 01 Jan 2026 00:00:00 +0000
Conditions:
  Type    Status  LastHeartbeatTime                 LastTransitionTime                Reason         Message
  ----    ------  -----------------                 ------------------                ------         -------
  Ready   True    Thu, 01 Jan 2026 00:00:00 +0000   Thu, 01 Jan 2026 00:00:00 +0000   KubeletReady   ok
Addresses:
  InternalIP:  1.1.1.1
Capacity:
  cpu:     4
  memory:  8Gi
  pods:    110
Allocatable:
  cpu:              2
  example.com/gpu:  1
  hugepages-2Mi:    0
  memory:           4Gi
  pods:             110
System Info:
  Machine ID:                 m
  System UUID:                
  Boot ID:                    
  Kernel Version:             
  OS Image:                   
  Operating System:           
  Architecture:               
  Container Runtime Version:  
  Kubelet Version:            v1.37.1
PodCIDR:                      10.0.0.0/24
PodCIDRs:                     10.0.0.0/24
ProviderID:                   p
Non-terminated Pods:          (2 in total)
  Namespace                   Name    CPU Requests  CPU Limits   Memory Requests  Memory Limits  Age
  ---------                   ----    ------------  ----------   ---------------  -------------  ---
  d                           a       1200m (60%)   1100m (55%)  1025Mi (25%)     0 (0%)         60s
  d                           b       200m (10%)    0 (0%)       0 (0%)           0 (0%)         <unknown>
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource           Requests      Limits
  --------           --------      ------
  cpu                1400m (70%)   1100m (55%)
  memory             1025Mi (25%)  0 (0%)
  ephemeral-storage  0 (0%)        0 (0%)
  hugepages-2Mi      0 (0%)        0 (0%)
  example.com/gpu    1             0
)");
}

TEST_F(Describers, ANodeMayKeepItsPodsToItself) {
  AddNode({}, {.lease_error = "leases \"n1\" is forbidden"}, kNow, out_);
  EXPECT_THAT(std::move(out_).Take(),
              testing::AllOf(HasSubstr("Lease:              Failed to get lease: leases \"n1\" is "
                                       "forbidden\n"),
                             HasSubstr("Pods:                         not authorized\n")));
}

TEST_F(Describers, AKindThatNobodyKnowsIsToldFieldByField) {
  AddAnything(*api::Json::Parse(R"({"apiVersion":"example.com/v1","kind":"Widget",
                  "metadata":{"name":"w","namespace":"d","labels":{"a":"b"},"generation":1,
                    "managedFields":[{"manager":"m"}]},
                  "spec":{"size":3,"on":true,"list":["a",2],"things":[{"name":"x"}],"my_key":null}})"),
              out_);
  EXPECT_EQ(std::move(out_).Take(),
            R"(Name:         w
Namespace:    d
Labels:       a=b
Annotations:  <none>
API Version:  example.com/v1
Kind:         Widget
Metadata:
  Generation:  1
Spec:
  List:
    a
    2
  my_key:  <nil>
  On:      true
  Size:    3
  Things:
    Name:  x
)");
}

TEST_F(Describers, FieldNamesBecomeTitles) {
  EXPECT_EQ(LabelOfField("lastTransitionTime"), "Last Transition Time");
  EXPECT_EQ(LabelOfField("apiVersion"), "API Version");
  EXPECT_EQ(LabelOfField("uid"), "UID");
  EXPECT_EQ(LabelOfField("podIP"), "Pod IP");
  EXPECT_EQ(LabelOfField("clusterIPs"), "Cluster I Ps");
  EXPECT_EQ(LabelOfField("HTTPServer"), "HTTPServer");
  EXPECT_EQ(LabelOfField("last-seen"), "Last - Seen");
  EXPECT_EQ(LabelOfField("a.b"), "a.b");
}

}  // namespace
}  // namespace flyball::ctl::describe
