#include "flyball/api/defaulting.h"

#include <string>

#include "flyball/api/apps/v1.h"
#include "flyball/api/apps/v1beta1.h"
#include "flyball/api/autoscaling/v2.h"
#include "flyball/api/batch/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/node/v1.h"
#include "flyball/api/rbac/v1.h"
#include "flyball/api/storage/v1.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

/// The object that a document says, with its defaults, as YAML.
std::string Defaulted(std::string_view document) {
  auto object = DecodeObject(document, Format::kYaml);
  if (!object) return object.error().Describe();
  ApplyDefaults(*object);
  const std::string once = EncodeObject(*object, Format::kYaml).value_or("no YAML");
  ApplyDefaults(*object);
  EXPECT_EQ(EncodeObject(*object, Format::kYaml).value_or("no YAML"), once) << "the second time";
  return once;
}

TEST(ApplyDefaults, APodGetsWhatTheServerGivesIt) {
  EXPECT_EQ(Defaulted(R"(apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  hostNetwork: true
  serviceAccount: robot
  terminationGracePeriodSeconds: -5
  volumes:
  - name: scratch
  - name: settings
    configMap: {name: s}
  containers:
  - name: web
    image: nginx
    ports:
    - containerPort: 80
    resources:
      limits: {cpu: 1.0001, memory: 1Gi}
      requests: {memory: 1Mi}
    livenessProbe:
      httpGet: {port: 80}
    env:
    - name: IP
      valueFrom: {fieldRef: {fieldPath: status.podIP}}
status: {podIP: 10.0.0.1}
)"),
            R"(apiVersion: v1
kind: Pod
metadata:
  name: a
spec:
  containers:
  - env:
    - name: IP
      valueFrom:
        fieldRef:
          apiVersion: v1
          fieldPath: status.podIP
    image: nginx
    imagePullPolicy: Always
    livenessProbe:
      failureThreshold: 3
      httpGet:
        path: /
        port: 80
        scheme: HTTP
      periodSeconds: 10
      successThreshold: 1
      timeoutSeconds: 1
    name: web
    ports:
    - containerPort: 80
      hostPort: 80
      protocol: TCP
    resources:
      limits:
        cpu: 1001m
        memory: 1Gi
      requests:
        cpu: 1001m
        memory: 1Mi
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: File
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  hostNetwork: true
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext: {}
  serviceAccount: robot
  serviceAccountName: robot
  terminationGracePeriodSeconds: 1
  volumes:
  - emptyDir: {}
    name: scratch
  - configMap:
      defaultMode: 420
      name: s
    name: settings
status:
  podIP: "10.0.0.1"
  podIPs:
  - ip: "10.0.0.1"
)");
}

TEST(ApplyDefaults, ATemplateDoesNotGetWhatOnlyPodsGet) {
  core::v1::PodTemplateSpec pod_template;
  pod_template.spec.hostNetwork = true;
  pod_template.spec.terminationGracePeriodSeconds = -5;
  core::v1::Container& container = pod_template.spec.containers.emplace_back();
  container.ports.emplace_back().containerPort = 80;
  container.resources.limits["cpu"] = Quantity::FromInt64(1, Quantity::Format::kDecimalSi);
  core::v1::PodTemplateSpec wanted = pod_template;
  wanted.spec.restartPolicy = "Always";
  wanted.spec.dnsPolicy = "ClusterFirst";
  wanted.spec.schedulerName = "default-scheduler";
  wanted.spec.securityContext.emplace();
  wanted.spec.containers[0].ports[0].protocol = "TCP";
  wanted.spec.containers[0].imagePullPolicy = "IfNotPresent";
  wanted.spec.containers[0].terminationMessagePath = "/dev/termination-log";
  wanted.spec.containers[0].terminationMessagePolicy = "File";

  ApplyDefaults(pod_template);
  EXPECT_EQ(pod_template, wanted);
}

TEST(ApplyDefaults, AnImageThatIsNoReferenceIsPulledIfNotPresent) {
  core::v1::Pod pod;
  for (const char* image : {"", "nginx", "nginx:1", "NGINX"}) {
    pod.spec.containers.emplace_back().image = image;
  }
  ApplyDefaults(pod);
  std::string policies;
  for (const auto& container : pod.spec.containers) policies += container.imagePullPolicy + " ";
  EXPECT_EQ(policies, "IfNotPresent Always IfNotPresent IfNotPresent ");
}

TEST(ApplyDefaults, ThePodIPCountsWhereTheListSaysOtherwise) {
  core::v1::Pod pod;
  pod.status.podIPs.resize(2);
  pod.status.podIPs[0].ip = "10.0.0.2";
  pod.status.podIPs[1].ip = "fd00::2";
  ApplyDefaults(pod);
  EXPECT_EQ(pod.status.podIP, "10.0.0.2");
  EXPECT_EQ(pod.status.podIPs.size(), 2);
  pod.status.podIP = "10.0.0.1";
  ApplyDefaults(pod);
  ASSERT_EQ(pod.status.podIPs.size(), 1);
  EXPECT_EQ(pod.status.podIPs[0].ip, "10.0.0.1");
}

TEST(ApplyDefaults, AStatefulSetThatNamesItsStrategyGetsNoParametersForIt) {
  EXPECT_EQ(Defaulted(R"(apiVersion: apps/v1
kind: StatefulSet
spec:
  updateStrategy: {type: RollingUpdate}
  template: {spec: {restartPolicy: Never, terminationGracePeriodSeconds: 0}}
  volumeClaimTemplates:
  - spec: {resources: {requests: {storage: 1.5m}}}
)"),
            R"(apiVersion: apps/v1
kind: StatefulSet
metadata: {}
spec:
  persistentVolumeClaimRetentionPolicy:
    whenDeleted: Retain
    whenScaled: Retain
  podManagementPolicy: OrderedReady
  replicas: 1
  revisionHistoryLimit: 10
  selector: null
  serviceName: ""
  template:
    metadata: {}
    spec:
      containers: null
      dnsPolicy: ClusterFirst
      restartPolicy: Never
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 0
  updateStrategy:
    type: RollingUpdate
  volumeClaimTemplates:
  - metadata: {}
    spec:
      resources:
        requests:
          storage: 2m
      volumeMode: Filesystem
    status:
      phase: Pending
status:
  availableReplicas: 0
  replicas: 0
)");
  apps::v1::StatefulSet set;
  ApplyDefaults(set);
  EXPECT_EQ(set.spec.updateStrategy.type, "RollingUpdate");
  EXPECT_EQ(set.spec.updateStrategy.rollingUpdate->partition, 0);
  EXPECT_EQ(set.spec.updateStrategy.rollingUpdate->maxUnavailable, IntOrString(1));
}

TEST(ApplyDefaults, ADeploymentRollsByAQuarterUnlessItRecreates) {
  apps::v1::Deployment deployment;
  apps::v1::Deployment recreating;
  recreating.spec.strategy.type = "Recreate";
  ApplyDefaults(deployment);
  ApplyDefaults(recreating);
  EXPECT_EQ(deployment.spec.strategy.rollingUpdate->maxSurge, IntOrString("25%"));
  EXPECT_EQ(deployment.spec.strategy.rollingUpdate->maxUnavailable, IntOrString("25%"));
  EXPECT_FALSE(recreating.spec.strategy.rollingUpdate.has_value());
  EXPECT_TRUE(deployment.metadata.labels.empty());
}

TEST(ApplyDefaults, AJobThatSaysNothingCompletesOnceAndOneWithParallelismIsAQueue) {
  batch::v1::Job job;
  job.spec.template_.metadata.labels["app"] = "a";
  batch::v1::Job queue;
  queue.spec.parallelism = 0;
  queue.spec.backoffLimitPerIndex = 2;
  queue.spec.podFailurePolicy.emplace();
  ApplyDefaults(job);
  ApplyDefaults(queue);
  EXPECT_EQ(job.spec.completions, 1);
  EXPECT_EQ(job.spec.parallelism, 1);
  EXPECT_EQ(job.spec.backoffLimit, 6);
  EXPECT_EQ(job.spec.podReplacementPolicy, "TerminatingOrFailed");
  EXPECT_EQ(job.metadata.labels, (Map<std::string>{{"app", "a"}}));
  EXPECT_EQ(queue.spec.completions, std::nullopt);
  EXPECT_EQ(queue.spec.parallelism, 0);
  EXPECT_EQ(queue.spec.backoffLimit, 2147483647);
  EXPECT_EQ(queue.spec.podReplacementPolicy, "Failed");
}

TEST(ApplyDefaults, ACronJobsTemplateIsNotYetAJob) {
  batch::v1::CronJob cron;
  cron.spec.jobTemplate.spec.podFailurePolicy.emplace()
      .rules.emplace_back()
      .onPodConditions.emplace_back();
  batch::v1::JobSpec wanted = cron.spec.jobTemplate.spec;
  wanted.podFailurePolicy->rules[0].onPodConditions[0].status = "True";
  ApplyDefaults(wanted.template_);

  ApplyDefaults(cron);
  EXPECT_EQ(cron.spec.jobTemplate.spec, wanted);
  EXPECT_EQ(cron.spec.concurrencyPolicy, "Allow");
  EXPECT_EQ(cron.spec.failedJobsHistoryLimit, 1);
}

TEST(ApplyDefaults, AServicesAffinityIsConfiguredIfThereIsOne) {
  core::v1::Service service;
  service.spec.sessionAffinityConfig.emplace();
  core::v1::Service sticky;
  sticky.spec.sessionAffinity = "ClientIP";
  ApplyDefaults(service);
  ApplyDefaults(sticky);
  EXPECT_EQ(service.spec.sessionAffinity, "None");
  EXPECT_FALSE(service.spec.sessionAffinityConfig.has_value());
  EXPECT_EQ(sticky.spec.sessionAffinityConfig->clientIP->timeoutSeconds, 10800);
}

TEST(ApplyDefaults, AServicesTypeDecidesOnItsTraffic) {
  EXPECT_EQ(Defaulted(R"(apiVersion: v1
kind: Service
spec:
  type: LoadBalancer
  ports:
  - port: 80
  - port: 81
    targetPort: web
status: {loadBalancer: {ingress: [{ip: 1.2.3.4}, {hostname: a}]}}
)"),
            R"(apiVersion: v1
kind: Service
metadata: {}
spec:
  allocateLoadBalancerNodePorts: true
  externalTrafficPolicy: Cluster
  internalTrafficPolicy: Cluster
  ports:
  - port: 80
    protocol: TCP
    targetPort: 80
  - port: 81
    protocol: TCP
    targetPort: web
  sessionAffinity: None
  type: LoadBalancer
status:
  loadBalancer:
    ingress:
    - ip: "1.2.3.4"
      ipMode: VIP
    - hostname: a
)");
  core::v1::Service external;
  external.spec.type = "ExternalName";
  ApplyDefaults(external);
  EXPECT_EQ(external.spec.internalTrafficPolicy, std::nullopt);
  EXPECT_EQ(external.spec.externalTrafficPolicy, "");
}

TEST(ApplyDefaults, AnAutoscalersBehaviorIsCompletedInBothDirections) {
  autoscaling::v2::HorizontalPodAutoscaler autoscaler;
  autoscaler.spec.behavior.emplace().scaleDown.emplace().stabilizationWindowSeconds = 60;
  ApplyDefaults(autoscaler);
  const auto& up = *autoscaler.spec.behavior->scaleUp;
  const auto& down = *autoscaler.spec.behavior->scaleDown;
  EXPECT_EQ(up.stabilizationWindowSeconds, 0);
  EXPECT_EQ(up.policies.size(), 2);
  EXPECT_EQ(down.stabilizationWindowSeconds, 60);
  EXPECT_EQ(down.policies.size(), 1);
  EXPECT_EQ(autoscaler.spec.metrics[0].resource->target.averageUtilization, 80);
}

TEST(ApplyDefaults, ALimitRangeForContainersFillsItsDefaults) {
  EXPECT_EQ(Defaulted(R"(apiVersion: v1
kind: LimitRange
spec:
  limits:
  - type: Container
    max: {cpu: 2}
    min: {cpu: 1, memory: 1Mi}
  - type: Pod
    max: {cpu: 100u}
)"),
            R"(apiVersion: v1
kind: LimitRange
metadata: {}
spec:
  limits:
  - default:
      cpu: "2"
    defaultRequest:
      cpu: "2"
      memory: 1Mi
    max:
      cpu: "2"
    min:
      cpu: "1"
      memory: 1Mi
    type: Container
  - max:
      cpu: 1m
    type: Pod
)");
}

TEST(ApplyDefaults, AVolumeWithinAnAttachmentHasNoModeOfItsOwn) {
  storage::v1::VolumeAttachment attachment;
  auto& spec = attachment.spec.source.inlineVolumeSpec.emplace();
  spec.rbd.emplace();
  core::v1::PersistentVolume volume;
  volume.spec = spec;
  ApplyDefaults(attachment);
  ApplyDefaults(volume);
  EXPECT_EQ(spec.volumeMode, std::nullopt);
  EXPECT_EQ(spec.rbd->pool, "rbd");
  EXPECT_EQ(volume.spec.volumeMode, "Filesystem");
  EXPECT_EQ(volume.status.phase, "Pending");
}

TEST(ApplyDefaults, SubjectsOfRbacNameItsGroup) {
  rbac::v1::RoleBinding binding;
  for (const char* kind : {"User", "Group", "ServiceAccount", "Other"}) {
    binding.subjects.emplace_back().kind = kind;
  }
  ApplyDefaults(binding);
  EXPECT_EQ(binding.roleRef.apiGroup, "rbac.authorization.k8s.io");
  EXPECT_EQ(binding.subjects[0].apiGroup, "rbac.authorization.k8s.io");
  EXPECT_EQ(binding.subjects[1].apiGroup, "rbac.authorization.k8s.io");
  EXPECT_EQ(binding.subjects[2].apiGroup, "");
  EXPECT_EQ(binding.subjects[3].apiGroup, "");
}

TEST(ApplyDefaults, TheItemsOfAListGetTheirs) {
  core::v1::NamespaceList list;
  list.items.resize(2);
  list.items[1].metadata.name = "b";
  ApplyDefaults(list);
  EXPECT_EQ(list.items[0].status.phase, "Active");
  EXPECT_TRUE(list.items[0].metadata.labels.empty());
  EXPECT_EQ(list.items[1].metadata.labels,
            (Map<std::string>{{"kubernetes.io/metadata.name", "b"}}));
}

TEST(ApplyDefaults, NothingHappensToKindsWithout) {
  core::v1::ConfigMap config_map;
  ApplyDefaults(config_map);
  EXPECT_EQ(config_map, core::v1::ConfigMap());
  // It has a resource list, and upstream leaves it as it is.
  node::v1::RuntimeClass runtime_class;
  runtime_class.overhead.emplace().podFixed["cpu"] = Quantity::FromScaled(1, Quantity::kNano);
  const node::v1::RuntimeClass before = runtime_class;
  ApplyDefaults(runtime_class);
  EXPECT_EQ(runtime_class, before);
  // Of an old version: half of its defaults would be worse than none.
  apps::v1beta1::Deployment old;
  ApplyDefaults(old);
  EXPECT_EQ(old, apps::v1beta1::Deployment());
}

}  // namespace
}  // namespace flyball::api
