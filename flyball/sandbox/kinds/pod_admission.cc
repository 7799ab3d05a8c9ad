#include "flyball/sandbox/kinds/pod_admission.h"

#include <algorithm>
#include <string>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/api/node/v1.h"
#include "flyball/api/scheduling/v1.h"

namespace flyball::sandbox {
namespace {

using core::v1::Container;
using core::v1::Pod;
using core::v1::ServiceAccount;
using core::v1::Toleration;
using scheduling::v1::PriorityClass;

constexpr std::string_view kTokenVolume = "kube-api-access-";
constexpr std::string_view kTokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/// An hour, and the seconds by which the server sees that nobody chose it: such tokens last longer.
constexpr std::int64_t kTokenSeconds = 3607;
constexpr std::int64_t kTolerationSeconds = 300;
constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

/// The token, the cluster's certificate and the namespace, as files in one folder.
core::v1::Volume TokenVolume(std::string name) {
  core::v1::Volume volume;
  volume.name = std::move(name);
  auto& projected = volume.projected.emplace();
  projected.defaultMode = 0644;
  auto& token = projected.sources.emplace_back().serviceAccountToken.emplace();
  token.path = "token";
  token.expirationSeconds = kTokenSeconds;
  auto& root = projected.sources.emplace_back().configMap.emplace();
  root.name = "kube-root-ca.crt";
  auto& certificate = root.items.emplace_back();
  certificate.key = "ca.crt";
  certificate.path = "ca.crt";
  auto& file = projected.sources.emplace_back().downwardAPI.emplace().items.emplace_back();
  file.path = "namespace";
  auto& field = file.fieldRef.emplace();
  field.apiVersion = "v1";
  field.fieldPath = "metadata.namespace";
  return volume;
}

/// Mounts the token where nothing else is; says whether it did.
bool MountToken(std::vector<Container>& containers, const std::string& volume) {
  bool mounted = false;
  for (Container& container : containers) {
    const auto taken = [](const core::v1::VolumeMount& mount) {
      return mount.mountPath == kTokenPath;
    };
    if (std::ranges::any_of(container.volumeMounts, taken)) continue;
    auto& mount = container.volumeMounts.emplace_back();
    mount.name = volume;
    mount.readOnly = true;
    mount.mountPath = kTokenPath;
    mounted = true;
  }
  return mounted;
}

void MountToken(Pod& pod, const api::RandomBits& random) {
  const auto existing = std::ranges::find_if(pod.spec.volumes, [](const core::v1::Volume& volume) {
    return volume.name.starts_with(kTokenVolume);
  });
  const bool there = existing != pod.spec.volumes.end();
  const std::string name = there ? existing->name : api::GenerateName(kTokenVolume, random);
  const bool init = MountToken(pod.spec.initContainers, name);
  const bool main = MountToken(pod.spec.containers, name);
  if ((init || main) && !there) pod.spec.volumes.push_back(TokenVolume(name));
}

StatusOr<> AdmitServiceAccount(Pod& pod, const Write& write) {
  auto& spec = pod.spec;
  if (pod.metadata.annotations.contains(kMirrorAnnotation)) {
    if (spec.serviceAccountName.empty()) return {};
    return std::unexpected(
        NotAdmitted(write, pod.metadata, "a mirror pod may not reference service accounts"));
  }
  if (spec.serviceAccountName.empty()) {
    spec.serviceAccountName = "default";
    spec.serviceAccount = "default";
  }
  const std::string& name = spec.serviceAccountName;
  const auto account =
      write.context.Get<ServiceAccount>("serviceaccounts", pod.metadata.namespace_, name);
  if (!account) {
    return std::unexpected(
        NotAdmitted(write, pod.metadata,
                    "error looking up service account " + pod.metadata.namespace_ + "/" + name +
                        ": serviceaccount " + api::Json(name).ToString() + " not found"));
  }
  const bool mount = spec.automountServiceAccountToken.value_or(
      account->automountServiceAccountToken.value_or(true));
  if (mount) MountToken(pod, write.context.random());
  if (spec.imagePullSecrets.empty()) spec.imagePullSecrets = account->imagePullSecrets;
  return {};
}

/// The class of pods that name none: of those that say they are it, the lowest.
std::optional<PriorityClass> DefaultPriority(const StrategyContext& context) {
  std::optional<PriorityClass> lowest;
  for (const RecordPtr& record : context.List("scheduling.k8s.io/priorityclasses", "")) {
    const api::AnyObject object = record->Decode();
    const auto& each = *object.As<PriorityClass>();
    if (each.globalDefault && (!lowest || each.value < lowest->value)) lowest = each;
  }
  return lowest;
}

StatusOr<> AdmitPriority(Pod& pod, const Write& write) {
  auto& spec = pod.spec;
  std::optional<PriorityClass> priority_class;
  if (spec.priorityClassName.empty()) {
    priority_class = DefaultPriority(write.context);
    if (priority_class) spec.priorityClassName = priority_class->metadata.name;
  } else {
    priority_class = write.context.Get<PriorityClass>("scheduling.k8s.io/priorityclasses", "",
                                                      spec.priorityClassName);
    if (!priority_class) {
      return std::unexpected(
          NotAdmitted(write, pod.metadata,
                      "no PriorityClass with name " + spec.priorityClassName + " was found"));
    }
  }
  const std::int32_t priority = priority_class ? priority_class->value : 0;
  if (spec.priority && *spec.priority != priority) {
    return std::unexpected(NotAdmitted(
        write, pod.metadata,
        "the integer value of priority (" + std::to_string(*spec.priority) +
            ") must not be provided in pod spec; priority admission controller computed " +
            std::to_string(priority) + " from the given PriorityClass name"));
  }
  spec.priority = priority;
  const std::optional<std::string> policy =
      priority_class ? priority_class->preemptionPolicy : "PreemptLowerPriority";
  if (!policy) return {};
  if (spec.preemptionPolicy && *spec.preemptionPolicy != *policy) {
    return std::unexpected(NotAdmitted(
        write, pod.metadata,
        "the string value of PreemptionPolicy (" + *spec.preemptionPolicy +
            ") must not be provided in pod spec; priority admission controller computed " +
            *policy + " from the given PriorityClass name"));
  }
  spec.preemptionPolicy = policy;
  return {};
}

void Tolerate(Pod& pod, std::string_view taint) {
  const auto does = [&](const Toleration& toleration) {
    return (toleration.key == taint || toleration.key.empty()) &&
           (toleration.effect == "NoExecute" || toleration.effect.empty());
  };
  if (std::ranges::any_of(pod.spec.tolerations, does)) return;
  Toleration& added = pod.spec.tolerations.emplace_back();
  added.key = taint;
  added.operator_ = "Exists";
  added.effect = "NoExecute";
  added.tolerationSeconds = kTolerationSeconds;
}

StatusOr<> AdmitRuntimeClass(Pod& pod, const Write& write) {
  auto& spec = pod.spec;
  std::optional<node::v1::RuntimeClass> runtime;
  if (spec.runtimeClassName) {
    runtime = write.context.Get<node::v1::RuntimeClass>("node.k8s.io/runtimeclasses", "",
                                                        *spec.runtimeClassName);
    if (!runtime) {
      return std::unexpected(NotAdmitted(write, pod.metadata,
                                         "pod rejected: RuntimeClass " +
                                             api::Json(*spec.runtimeClassName).ToString() +
                                             " not found"));
    }
  }
  if (runtime && runtime->overhead) {
    if (!spec.overhead.empty() && spec.overhead != runtime->overhead->podFixed) {
      return std::unexpected(NotAdmitted(
          write, pod.metadata,
          "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"));
    }
    spec.overhead = runtime->overhead->podFixed;
  } else if (!spec.overhead.empty()) {
    return std::unexpected(NotAdmitted(
        write, pod.metadata,
        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"));
  }
  if (!runtime || !runtime->scheduling) return {};
  for (const auto& [key, value] : runtime->scheduling->nodeSelector) {
    const std::string* const own = spec.nodeSelector.find(key);
    if (own != nullptr && *own != value) {
      return std::unexpected(NotAdmitted(write, pod.metadata,
                                         "conflict: runtimeClass.scheduling.nodeSelector[" + key +
                                             "] = " + value + "; pod.spec.nodeSelector[" + key +
                                             "] = " + *own));
    }
    spec.nodeSelector[key] = value;
  }
  for (const Toleration& each : runtime->scheduling->tolerations) {
    if (std::ranges::find(spec.tolerations, each) == spec.tolerations.end()) {
      spec.tolerations.push_back(each);
    }
  }
  return {};
}

}  // namespace

ApiStatusError NotAdmitted(const Write& write, const meta::v1::ObjectMeta& metadata,
                           std::string_view why) {
  return Forbidden(write.resource.name(), write.named_here ? metadata.generateName : metadata.name,
                   why);
}

void TolerateNodesInTrouble(Pod& pod) {
  Tolerate(pod, "node.kubernetes.io/not-ready");
  Tolerate(pod, "node.kubernetes.io/unreachable");
}

StatusOr<> AdmitPod(Pod& pod, const Write& write) {
  FLYBALL_TRY(AdmitServiceAccount(pod, write));
  FLYBALL_TRY(AdmitPriority(pod, write));
  TolerateNodesInTrouble(pod);
  FLYBALL_TRY(AdmitRuntimeClass(pod, write));
  CopyTopologyLabels(pod.metadata, pod.spec.nodeName, write.context);
  return {};
}

void CopyTopologyLabels(meta::v1::ObjectMeta& metadata, const std::string& node,
                        const StrategyContext& context) {
  if (node.empty()) return;
  const RecordPtr record = context.Find("nodes", "", node);
  if (!record) return;
  for (const char* const label : {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"}) {
    const std::string* const value = record->labels().find(label);
    if (value != nullptr) metadata.labels[label] = *value;
  }
}

}  // namespace flyball::sandbox
