#include <algorithm>

#include "flyball/ctl/describe/describers.h"
#include "flyball/ctl/describe/pod_template.h"

namespace flyball::ctl::describe {
namespace {

void AddIdentity(const core::v1::Pod& pod, Description& out) {
  const auto& spec = pod.spec;
  out.Field(0, "Name", pod.metadata.name);
  out.Field(0, "Namespace", pod.metadata.namespace_);
  if (spec.priority) out.Field(0, "Priority", *spec.priority);
  if (!spec.priorityClassName.empty()) {
    out.Field(0, "Priority Class Name", spec.priorityClassName);
  }
  if (!spec.runtimeClassName.value_or("").empty()) {
    out.Field(0, "Runtime Class Name", *spec.runtimeClassName);
  }
  if (!spec.serviceAccountName.empty()) out.Field(0, "Service Account", spec.serviceAccountName);
  out.Field(0, "Node", spec.nodeName.empty() ? "<none>" : spec.nodeName + "/" + pod.status.hostIP);
  if (pod.status.startTime) out.Field(0, "Start Time", DateText(*pod.status.startTime));
  out.Labels("Labels", pod.metadata.labels);
  out.Annotations("Annotations", pod.metadata.annotations);
}

void AddStatus(const core::v1::Pod& pod, WallTime now, Description& out) {
  const auto& status = pod.status;
  const bool at_end = status.phase == "Failed" || status.phase == "Succeeded";
  if (pod.metadata.deletionTimestamp && !at_end) {
    out.Field(0, "Status",
              "Terminating (lasts " + Since(*pod.metadata.deletionTimestamp, now) + ")");
    out.Field(0, "Termination Grace Period",
              std::to_string(pod.metadata.deletionGracePeriodSeconds.value_or(0)) + "s");
  } else {
    out.Field(0, "Status", status.phase);
  }
  if (!status.reason.empty()) out.Field(0, "Reason", status.reason);
  if (!status.message.empty()) out.Field(0, "Message", status.message);
  if (pod.spec.securityContext && pod.spec.securityContext->seccompProfile) {
    const auto& profile = *pod.spec.securityContext->seccompProfile;
    out.Field(0, "SeccompProfile", profile.type);
    if (profile.type == "Localhost") {
      out.Field(0, "LocalhostProfile", profile.localhostProfile.value_or(""));
    }
  }
  out.Field(0, "IP", status.podIP);
  if (status.podIPs.empty()) {
    out.Field(0, "IPs", "<none>");
  } else {
    out.Line(0, "IPs:");
    for (const auto& address : status.podIPs) out.Field(1, "IP", address.ip);
  }
  if (const std::string controller = ControllerText(pod.metadata); !controller.empty()) {
    out.Field(0, "Controlled By", controller);
  }
  if (!status.nominatedNodeName.empty()) {
    out.Field(0, "NominatedNodeName", status.nominatedNodeName);
  }
}

std::vector<core::v1::Container> EphemeralContainers(const core::v1::Pod& pod) {
  std::vector<core::v1::Container> containers;
  for (const auto& ephemeral : pod.spec.ephemeralContainers) {
    core::v1::Container& container = containers.emplace_back();
    container.name = ephemeral.name;
    container.image = ephemeral.image;
    container.command = ephemeral.command;
    container.args = ephemeral.args;
    container.ports = ephemeral.ports;
    container.envFrom = ephemeral.envFrom;
    container.env = ephemeral.env;
    container.resources = ephemeral.resources;
    container.volumeMounts = ephemeral.volumeMounts;
    container.volumeDevices = ephemeral.volumeDevices;
    container.livenessProbe = ephemeral.livenessProbe;
    container.readinessProbe = ephemeral.readinessProbe;
    container.startupProbe = ephemeral.startupProbe;
    container.securityContext = ephemeral.securityContext;
  }
  return containers;
}

void AddConditions(const core::v1::Pod& pod, Description& out) {
  const auto& conditions = pod.status.conditions;
  if (!pod.spec.readinessGates.empty()) {
    out.Line(0, "Readiness Gates:\n  Type\tStatus");
    for (const auto& gate : pod.spec.readinessGates) {
      const auto found =
          std::ranges::find(conditions, gate.conditionType, &core::v1::PodCondition::type);
      const std::string status = found == conditions.end() ? "<none>" : found->status;
      out.Line(1, gate.conditionType + " \t" + status + " ");
    }
  }
  if (conditions.empty()) return;
  out.Line(0, "Conditions:\n  Type\tStatus");
  for (const auto& condition : conditions) {
    out.Line(1, condition.type + " \t" + condition.status + " ");
  }
}

}  // namespace

void AddPod(const core::v1::Pod& pod, WallTime now, Description& out) {
  const auto& spec = pod.spec;
  AddIdentity(pod, out);
  AddStatus(pod, now, out);
  if (spec.resources) {
    out.Line(0, "Resources:");
    AddResources(*spec.resources, 1, out);
  }
  if (!spec.initContainers.empty()) {
    AddContainers("Init Containers", spec.initContainers, pod.status.initContainerStatuses, &pod,
                  out);
  }
  AddContainers("Containers", spec.containers, pod.status.containerStatuses, &pod, out);
  if (!spec.ephemeralContainers.empty()) {
    AddContainers("Ephemeral Containers", EphemeralContainers(pod),
                  pod.status.ephemeralContainerStatuses, &pod, out);
  }
  AddConditions(pod, out);
  AddVolumes(spec.volumes, "", out);
  out.Field(0, "QoS Class", pod.status.qosClass);
  out.Labels("Node-Selectors", spec.nodeSelector);
  AddTolerations("Tolerations", spec.tolerations, out);
  AddTopologySpread("", spec.topologySpreadConstraints, out);
}

}  // namespace flyball::ctl::describe
