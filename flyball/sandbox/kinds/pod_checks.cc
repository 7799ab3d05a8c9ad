#include "flyball/sandbox/kinds/pod_checks.h"

#include <algorithm>
#include <limits>
#include <set>

#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/container_checks.h"
#include "flyball/sandbox/name_rules.h"

namespace flyball::sandbox {
namespace {

using core::v1::Container;
using core::v1::Pod;
using core::v1::PodSpec;
using core::v1::Toleration;

void CheckVolumeSource(const core::v1::Volume& volume, const std::string& path,
                       FieldErrors& errors) {
  if (static_cast<const core::v1::VolumeSource&>(volume) == core::v1::VolumeSource()) {
    errors.push_back(FieldError::Required(path, "must specify a volume type"));
  }
  if (volume.hostPath && volume.hostPath->path.empty()) {
    errors.push_back(FieldError::Required(path + ".hostPath.path", ""));
  }
  if (volume.secret && volume.secret->secretName.empty()) {
    errors.push_back(FieldError::Required(path + ".secret.secretName", ""));
  }
  if (volume.configMap && volume.configMap->name.empty()) {
    errors.push_back(FieldError::Required(path + ".configMap.name", ""));
  }
  if (volume.persistentVolumeClaim && volume.persistentVolumeClaim->claimName.empty()) {
    errors.push_back(FieldError::Required(path + ".persistentVolumeClaim.claimName", ""));
  }
}

/// Gives the names of those that are in order.
std::set<std::string> CheckVolumes(const PodSpec& spec, const std::string& path,
                                   FieldErrors& errors) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) {
    const core::v1::Volume& volume = spec.volumes[i];
    const std::string at = At(path, i);
    const std::size_t before = errors.size();
    CheckVolumeSource(volume, at, errors);
    CheckLabelName(volume.name, at + ".name", errors);
    if (names.contains(volume.name)) {
      errors.push_back(FieldError::Duplicate(at + ".name", volume.name));
    }
    if (errors.size() == before) names.insert(volume.name);
  }
  return names;
}

void CheckTolerations(const std::vector<Toleration>& tolerations, const std::string& path,
                      FieldErrors& errors) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const Toleration& each = tolerations[i];
    const std::string at = At(path, i);
    if (!each.key.empty()) {
      for (const std::string& problem : QualifiedNameProblems(each.key)) {
        errors.push_back(FieldError::Invalid(at + ".key", each.key, problem));
      }
    } else if (each.operator_ != "Exists") {
      errors.push_back(FieldError::Invalid(at + ".operator", each.operator_,
                                           "operator must be Exists when `key` is empty, which "
                                           "means \"match all values and all keys\""));
    }
    if (each.tolerationSeconds && each.effect != "NoExecute") {
      errors.push_back(
          FieldError::Invalid(at + ".effect", each.effect,
                              "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    if (each.operator_ == "Exists") {
      if (!each.value.empty()) {
        errors.push_back(FieldError::Invalid(at + ".operator", each.value,
                                             "value must be empty when `operator` is 'Exists'"));
      }
    } else if (each.operator_.empty() || each.operator_ == "Equal") {
      for (const std::string& problem : LabelValueProblems(each.value)) {
        errors.push_back(FieldError::Invalid(at + ".operator", each.value, problem));
      }
    } else {
      CheckOneOf(each.operator_, {"Equal", "Exists"}, at + ".operator", errors);
    }
    if (!each.effect.empty()) {
      CheckOneOf(each.effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}, at + ".effect",
                 errors);
    }
  }
}

void CheckContainers(const PodSpec& spec, const std::string& path,
                     const std::set<std::string>& volumes, FieldErrors& errors) {
  const std::string main = path + ".containers";
  if (spec.containers.empty()) errors.push_back(FieldError::Required(main, ""));
  std::set<std::string> names;
  std::set<std::string> host_ports;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const Container& container = spec.containers[i];
    CheckContainer(container, At(main, i), volumes, errors);
    if (!names.insert(container.name).second) {
      errors.push_back(FieldError::Duplicate(At(main, i) + ".name", container.name));
    }
    CheckProbes(container, At(main, i), errors);
  }
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    CheckHostPorts(spec.containers[i], At(main, i), host_ports, errors);
  }
  const std::string init = path + ".initContainers";
  for (std::size_t i = 0; i < spec.initContainers.size(); ++i) {
    const Container& container = spec.initContainers[i];
    const std::string at = At(init, i);
    CheckContainer(container, at, volumes, errors);
    if (!names.insert(container.name).second) {
      errors.push_back(FieldError::Duplicate(at + ".name", container.name));
    }
    std::set<std::string> own_ports;  // they run one after the other
    CheckHostPorts(container, at, own_ports, errors);
    CheckInitContainer(container, at, errors);
  }
}

/// A pod that shares its node's network has the same ports there as in itself.
void CheckNodePorts(const std::vector<Container>& containers, const std::string& path,
                    FieldErrors& errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const auto& ports = containers[i].ports;
    for (std::size_t j = 0; j < ports.size(); ++j) {
      // Pods have it by default; in templates it may wait for that.
      if (ports[j].hostPort == ports[j].containerPort || ports[j].hostPort == 0) continue;
      errors.push_back(
          FieldError::InvalidNumber(At(At(path, i) + ".ports", j) + ".hostPort", ports[j].hostPort,
                                    "must match `containerPort` when `hostNetwork` is true"));
    }
  }
}

void CheckNames(const PodSpec& spec, const std::string& path, FieldErrors& errors) {
  if (!spec.serviceAccountName.empty()) {
    CheckSubdomain(spec.serviceAccountName, path + ".serviceAccountName", errors);
  }
  if (!spec.nodeName.empty()) CheckSubdomain(spec.nodeName, path + ".nodeName", errors);
  if (!spec.hostname.empty()) CheckLabelName(spec.hostname, path + ".hostname", errors);
  if (!spec.subdomain.empty()) CheckLabelName(spec.subdomain, path + ".subdomain", errors);
  if (!spec.priorityClassName.empty()) {
    CheckSubdomain(spec.priorityClassName, path + ".priorityClassName", errors);
  }
  if (spec.runtimeClassName) {
    CheckSubdomain(*spec.runtimeClassName, path + ".runtimeClassName", errors);
  }
}

}  // namespace

void CheckPodSpec(const PodSpec& spec, const std::string& path, FieldErrors& errors) {
  const std::set<std::string> volumes = CheckVolumes(spec, path + ".volumes", errors);
  CheckContainers(spec, path, volumes, errors);
  if (spec.hostNetwork) {
    CheckNodePorts(spec.containers, path + ".containers", errors);
    CheckNodePorts(spec.initContainers, path + ".initContainers", errors);
  }
  CheckOneOf(spec.restartPolicy, {"Always", "OnFailure", "Never"}, path + ".restartPolicy", errors);
  CheckOneOf(spec.dnsPolicy, {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
             path + ".dnsPolicy", errors);
  CheckLabels(spec.nodeSelector, path + ".nodeSelector", errors);
  CheckNames(spec, path, errors);
  if (spec.activeDeadlineSeconds &&
      (*spec.activeDeadlineSeconds < 1 ||
       *spec.activeDeadlineSeconds > std::numeric_limits<std::int32_t>::max())) {
    errors.push_back(FieldError::InvalidNumber(path + ".activeDeadlineSeconds",
                                               *spec.activeDeadlineSeconds,
                                               "must be between 1 and 2147483647, inclusive"));
  }
  CheckTolerations(spec.tolerations, path + ".tolerations", errors);
}

void CheckPodTemplate(const core::v1::PodTemplateSpec& pod, const std::string& path,
                      FieldErrors& errors) {
  CheckLabels(pod.metadata.labels, path + ".labels", errors);
  CheckPodSpec(pod.spec, path + ".spec", errors);
  if (!pod.spec.ephemeralContainers.empty()) {
    errors.push_back(FieldError::Forbidden(path + ".spec.ephemeralContainers",
                                           "ephemeral containers not allowed in pod template"));
  }
}

FieldErrors CheckNewPod(const Pod& pod) {
  FieldErrors errors;
  CheckPodSpec(pod.spec, "spec", errors);
  if (pod.spec.terminationGracePeriodSeconds) {
    CheckNotNegative(*pod.spec.terminationGracePeriodSeconds, "spec.terminationGracePeriodSeconds",
                     errors);
  }
  if (!pod.spec.ephemeralContainers.empty()) {
    errors.push_back(FieldError::Forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (!pod.spec.nodeName.empty() && !pod.spec.schedulingGates.empty()) {
    errors.push_back(FieldError::Forbidden(
        "spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  return errors;
}

}  // namespace flyball::sandbox
