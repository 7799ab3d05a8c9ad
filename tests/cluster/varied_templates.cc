#include "tests/cluster/varied_templates.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>

#include "flyball/api/merge_patch.h"
#include "tests/cluster/from_yaml.h"

namespace flyball::cluster {
namespace {

/// Each is a part of a template: of its metadata, of its pod's spec, and of its container.
constexpr std::array<std::string_view, 26> kWays = {
    R"(metadata: {annotations: {text: "a<b>&'c' \u2028\u2029 \u0001 \" \\ ü 😀", empty: ""}})",
    R"(metadata: {labels: {a.example.com/b: "", zone: Z-1_x.y}, annotations: {json: '{"a":[1,2.0,1e3]}'}})",
    R"(spec: {terminationGracePeriodSeconds: 1, enableServiceLinks: true, dnsPolicy: ClusterFirst,
              schedulerName: default-scheduler, automountServiceAccountToken: false})",
    R"(spec: {securityContext: {}, nodeSelector: {}, tolerations: [], imagePullSecrets: []})",
    R"(spec: {securityContext: {runAsUser: 2147483647, fsGroup: 0, supplementalGroups: [1, 65534],
              fsGroupChangePolicy: OnRootMismatch, seccompProfile: {type: RuntimeDefault},
              sysctls: [{name: net.ipv4.ip_unprivileged_port_start, value: "0"}]}})",
    R"(spec: {tolerations: [{key: x, operator: Exists, effect: NoExecute,
                             tolerationSeconds: 9007199254740993}, {key: why, value: "1"}]})",
    R"(spec: {tolerations: [{key: z, operator: Equal, value: "", effect: PreferNoSchedule}],
              readinessGates: [], hostAliases: [{ip: 10.1.2.3, hostnames: [a, b.example.com]}]})",
    R"(spec: {dnsConfig: {nameservers: [10.0.0.10], searches: [a.b], options: [{name: ndots, value: "2"},
              {name: edns0}]}, setHostnameAsFQDN: false, shareProcessNamespace: true})",
    R"(spec: {volumes: [{name: a}, {name: b, emptyDir: {sizeLimit: 1.5Gi, medium: Memory}},
                        {name: c, configMap: {name: x, defaultMode: 256, optional: true,
                                              items: [{key: k, path: p, mode: 0}]}}]})",
    R"(spec: {volumes: [{name: d, projected: {sources: [
                {serviceAccountToken: {path: token}},
                {downwardAPI: {items: [{path: cpu, resourceFieldRef: {containerName: main,
                   resource: limits.cpu, divisor: 1m}}]}}]}},
              {name: e, secret: {secretName: s, optional: false}},
              {name: f, hostPath: {path: /var/lib/x, type: ""}}]})",
    R"(spec: {volumes: [{name: g, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce],
                resources: {requests: {storage: 1000Mi}}}}}}, {name: h, downwardAPI: {items: [
                {path: labels, fieldRef: {fieldPath: metadata.labels}}]}}]})",
    R"(spec: {affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [
                {weight: 1, preference: {matchExpressions: [{key: generation, operator: Gt, values: ["5"]}]}}]},
              podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100,
                podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: {}}}}]}}})",
    R"(spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone,
                whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchExpressions: [
                  {key: a, operator: NotIn, values: [b, c]}]}}], preemptionPolicy: PreemptLowerPriority})",
    R"(spec: {initContainers: [{name: first, image: "busybox", command: [sh, -c, "true && echo <x>"]},
              {name: side, image: "busybox@sha256:0123456789012345678901234567890123456789012345678901234567890123",
               restartPolicy: Always}]})",
    R"(container: {resources: {requests: {cpu: "0.1", memory: 1e6, ephemeral-storage: 1Gi},
                               limits: {cpu: "1000m", memory: "1073741824"}}})",
    R"(container: {resources: {requests: {cpu: 100m}, limits: {cpu: 0.5, memory: 128974848}}})",
    R"(container: {resources: {limits: {memory: 123Mi}, requests: {memory: 12.5Mi}}})",
    R"(container: {env: [{name: A, value: ""}, {name: B}, {name: C, value: "$(A) $$(B) <&>"},
                         {name: D, valueFrom: {fieldRef: {fieldPath: status.podIP}}},
                         {name: E, valueFrom: {resourceFieldRef: {resource: requests.cpu}}},
                         {name: F, valueFrom: {configMapKeyRef: {name: names, key: k, optional: true}}}]})",
    R"(container: {ports: [{containerPort: 80}, {containerPort: 53, protocol: UDP, name: dns},
                           {containerPort: 53, protocol: TCP, name: dns-tcp}]})",
    R"(container: {readinessProbe: {httpGet: {path: "/x?y=<z>&a", port: 80, scheme: HTTP, httpHeaders: [
                     {name: X-A, value: ""}]}},
                   startupProbe: {tcpSocket: {port: http}, periodSeconds: 7, timeoutSeconds: 1}})",
    R"(container: {livenessProbe: {grpc: {port: 9000, service: ""}, failureThreshold: 3,
                                   successThreshold: 1, initialDelaySeconds: 0,
                                   terminationGracePeriodSeconds: 5}})",
    R"(container: {lifecycle: {preStop: {sleep: {seconds: 1}}, postStart: {httpGet: {port: 1}}},
                   imagePullPolicy: IfNotPresent, terminationMessagePath: /dev/termination-log})",
    R"(container: {securityContext: {capabilities: {add: [NET_ADMIN], drop: [ALL]}, privileged: false,
                                     readOnlyRootFilesystem: true, runAsNonRoot: false,
                                     procMount: Default}, stdin: true, tty: false})",
    R"(container: {envFrom: [{prefix: P_, configMapRef: {name: c}}, {secretRef: {name: s, optional: true}}],
                   args: [], command: ["", " ", "--x=\t"], workingDir: /})",
    R"(container: {resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired},
                                  {resourceName: memory, restartPolicy: RestartContainer}],
                   terminationMessagePolicy: FallbackToLogsOnError})",
    R"(spec: {restartPolicy: Always, hostNetwork: false, serviceAccountName: default,
              overhead: null, os: {name: linux}, hostname: h, subdomain: s})",
};

/// Whether a way is in a template: as many as it takes for all to be in one, and some at random.
bool IsIn(std::size_t way, int number, int count, std::mt19937& random) {
  const bool at_random = random() % 5 == 0;
  return at_random || way % static_cast<std::size_t>(count) == static_cast<std::size_t>(number);
}

}  // namespace

core::v1::PodTemplateSpec VariedTemplate(int number, int count, const std::string& app,
                                         const std::string& image) {
  using api::Json;
  std::mt19937 random(static_cast<std::uint32_t>(number) + 1);
  Json parts = Json::Object();
  for (std::size_t way = 0; way < kWays.size(); ++way) {
    if (!IsIn(way, number, count, random)) continue;
    parts = api::ApplyMergePatch(parts, FromYaml(kWays.at(way)));
  }
  const auto part = [&](const char* name, Json fixed) {
    const Json* const found = parts.Find(name);
    return api::ApplyMergePatch(found == nullptr ? Json::Object() : *found, fixed);
  };
  const Json container = part("container", Json::Object{{"name", "main"}, {"image", image}});
  const Json made = Json::Object{
      {"metadata", part("metadata", Json::Object{{"labels", Json::Object{{"app", app}}}})},
      {"spec", part("spec", Json::Object{{"containers", Json::Array{container}}})}};
  return FromYaml<core::v1::PodTemplateSpec>(made.ToString());
}

}  // namespace flyball::cluster
