#include <algorithm>
#include <cmath>
#include <utility>

#include "flyball/base/stable_sort.h"
#include "flyball/ctl/describe/pod_template.h"
#include "flyball/ctl/resource_argument.h"

namespace flyball::ctl::describe {
namespace {

using core::v1::Container;
using core::v1::ContainerState;
using core::v1::ContainerStatus;

std::string PortsText(const std::vector<core::v1::ContainerPort>& ports,
                      std::int32_t core::v1::ContainerPort::* number) {
  std::vector<std::string> texts;
  for (const auto& port : ports) {
    texts.push_back(std::to_string(port.*number) + "/" + port.protocol);
    if (!port.name.empty()) texts.back() += " (" + port.name + ")";
  }
  return Join(texts, ", ");
}

void AddPorts(std::string_view name, const std::string& ports, Description& out) {
  const bool several = ports.contains(',');
  out.Field(2, std::string(name) + (several ? "s" : ""), OrNone(ports));
}

void AddWords(std::string_view title, const std::vector<std::string>& words, Description& out) {
  if (words.empty()) return;
  out.Line(2, std::string(title) + ":");
  for (const std::string& word : words) {
    for (const std::string& line : SplitLines(word)) out.Line(3, line);
  }
}

void AddState(std::string_view title, const ContainerState& state, Description& out) {
  if (state.running) {
    out.Field(2, title, "Running");
    out.Field(3, "Started", DateText(state.running->startedAt));
  } else if (state.terminated) {
    const auto& end = *state.terminated;
    out.Field(2, title, "Terminated");
    if (!end.reason.empty()) out.Field(3, "Reason", end.reason);
    if (!end.message.empty()) out.Field(3, "Message", end.message);
    out.Field(3, "Exit Code", end.exitCode);
    if (end.signal > 0) out.Field(3, "Signal", end.signal);
    out.Field(3, "Started", DateText(end.startedAt));
    out.Field(3, "Finished", DateText(end.finishedAt));
  } else {
    out.Field(2, title, "Waiting");
    if (state.waiting && !state.waiting->reason.empty()) {
      out.Field(3, "Reason", state.waiting->reason);
    }
  }
}

std::string ProbeText(const core::v1::Probe& probe) {
  const auto seconds = [](std::int32_t count) { return std::to_string(count) + "s"; };
  const std::string how = "delay=" + seconds(probe.initialDelaySeconds) +
                          " timeout=" + seconds(probe.timeoutSeconds) +
                          " period=" + seconds(probe.periodSeconds) +
                          " successThreshold=" + std::to_string(probe.successThreshold) +
                          " failureThreshold=" + std::to_string(probe.failureThreshold);
  if (probe.exec) return "exec [" + Join(probe.exec->command, " ") + "] " + how;
  if (probe.httpGet) {
    const auto& get = *probe.httpGet;
    return "http-get " + InLowerCase(get.scheme) + "://" + get.host + ":" + get.port.ToString() +
           get.path + " " + how;
  }
  if (probe.tcpSocket) {
    return "tcp-socket " + probe.tcpSocket->host + ":" + probe.tcpSocket->port.ToString() + " " +
           how;
  }
  if (probe.grpc) {
    return "grpc <pod>:" + std::to_string(probe.grpc->port) + " " +
           probe.grpc->service.value_or("") + " " + how;
  }
  return "unknown " + how;
}

/// What a variable that refers to a field of its pod will be. Only metadata is known beforehand.
std::string FieldText(const core::v1::Pod* pod, std::string_view path) {
  if (pod == nullptr) return {};
  const meta::v1::ObjectMeta& metadata = pod->metadata;
  if (path == "metadata.name") return metadata.name;
  if (path == "metadata.namespace") return metadata.namespace_;
  if (path == "metadata.uid") return metadata.uid;
  for (const auto& [name, values] : {std::pair("metadata.labels['", &metadata.labels),
                                     std::pair("metadata.annotations['", &metadata.annotations)}) {
    if (!path.starts_with(name) || !path.ends_with("']")) continue;
    path.remove_prefix(std::string_view(name).size());
    path.remove_suffix(2);
    const std::string* const value = values->find(path);
    return value == nullptr ? "" : *value;
  }
  return {};
}

/// What a variable that refers to a resource of its container will be, in units of the divisor,
/// rounded up.
std::string ResourceText(const Container& container, const core::v1::ResourceFieldSelector& field) {
  const std::string& path = field.resource;
  const bool limit = path.starts_with("limits.");
  const std::string name = path.substr(path.find('.') + 1);
  const auto& all = limit ? container.resources.limits : container.resources.requests;
  const api::Quantity* const found = all.find(name);
  if (found == nullptr || found->IsZero()) {
    return limit && (name == "cpu" || name == "memory") ? "node allocatable" : "0";
  }
  const auto units = [&](const api::Quantity& quantity) {
    return static_cast<double>(name == "cpu" ? quantity.MilliValue() : quantity.Value());
  };
  const api::Quantity one = api::Quantity::Parse("1").value();
  const double divided = units(*found) / units(field.divisor.IsZero() ? one : field.divisor);
  return std::to_string(static_cast<std::int64_t>(std::ceil(divided)));
}

std::string OptionalText(const std::optional<bool>& optional) {
  return std::string("\tOptional: ") + (optional.value_or(false) ? "true" : "false");
}

void AddVariable(const core::v1::EnvVar& variable, const Container& container,
                 const core::v1::Pod* pod, Description& out) {
  if (!variable.valueFrom) {
    std::string name = variable.name + ":";
    for (const std::string& line : SplitLines(variable.value)) {
      out.Line(3, std::exchange(name, "") + "\t" + line);
    }
    return;
  }
  const auto& from = *variable.valueFrom;
  if (from.fieldRef) {
    out.Field(3, variable.name,
              FieldText(pod, from.fieldRef->fieldPath) + " (" + from.fieldRef->apiVersion + ":" +
                  from.fieldRef->fieldPath + ")");
  } else if (from.resourceFieldRef) {
    out.Field(3, variable.name,
              ResourceText(container, *from.resourceFieldRef) + " (" +
                  from.resourceFieldRef->resource + ")");
  } else if (from.secretKeyRef) {
    out.Field(3, variable.name,
              "<set to the key '" + from.secretKeyRef->key + "' in secret '" +
                  from.secretKeyRef->name + "'>" + OptionalText(from.secretKeyRef->optional));
  } else if (from.configMapKeyRef) {
    out.Field(3, variable.name,
              "<set to the key '" + from.configMapKeyRef->key + "' of config map '" +
                  from.configMapKeyRef->name + "'>" + OptionalText(from.configMapKeyRef->optional));
  }
}

void AddVariables(const Container& container, const core::v1::Pod* pod, Description& out) {
  if (!container.envFrom.empty()) {
    out.Line(2, "Environment Variables from:");
    for (const auto& source : container.envFrom) {
      const bool map = source.configMapRef.has_value();
      const std::string prefix =
          source.prefix.empty() ? "" : " with prefix '" + source.prefix + "'";
      const std::string name = map                ? source.configMapRef->name
                               : source.secretRef ? source.secretRef->name
                                                  : "";
      const auto optional = map                ? source.configMapRef->optional
                            : source.secretRef ? source.secretRef->optional
                                               : std::optional<bool>();
      out.Line(3, name + "\t" + (map ? "ConfigMap" : "Secret") + prefix + OptionalText(optional));
    }
  }
  out.Line(2, container.env.empty() ? "Environment:\t<none>" : "Environment:");
  for (const auto& variable : container.env) AddVariable(variable, container, pod, out);
}

void AddMounts(const Container& container, Description& out) {
  auto mounts = container.volumeMounts;
  StableSort(mounts, {}, &core::v1::VolumeMount::mountPath);
  out.Line(2, mounts.empty() ? "Mounts:\t<none>" : "Mounts:");
  for (const auto& mount : mounts) {
    std::string flags = mount.readOnly ? "ro" : "rw";
    if (!mount.subPath.empty()) flags += ",path=\"" + mount.subPath + "\"";
    out.Line(3, mount.mountPath + " from " + mount.name + " (" + flags + ")");
  }
  if (container.volumeDevices.empty()) return;
  auto devices = container.volumeDevices;
  StableSort(devices, {}, &core::v1::VolumeDevice::devicePath);
  out.Line(2, "Devices:");
  for (const auto& device : devices) out.Line(3, device.devicePath + " from " + device.name);
}

void AddSeccomp(const Container& container, Description& out) {
  if (!container.securityContext || !container.securityContext->seccompProfile) return;
  const auto& profile = *container.securityContext->seccompProfile;
  out.Field(2, "SeccompProfile", profile.type);
  if (profile.type == "Localhost") {
    out.Field(3, "LocalhostProfile", profile.localhostProfile.value_or(""));
  }
}

void AddContainer(const Container& container, const ContainerStatus* status,
                  const core::v1::Pod* pod, Description& out) {
  if (status != nullptr) out.Field(2, "Container ID", status->containerID);
  out.Field(2, "Image", container.image);
  if (status != nullptr) out.Field(2, "Image ID", status->imageID);
  AddPorts("Port", PortsText(container.ports, &core::v1::ContainerPort::containerPort), out);
  AddPorts("Host Port", PortsText(container.ports, &core::v1::ContainerPort::hostPort), out);
  AddSeccomp(container, out);
  AddWords("Command", container.command, out);
  AddWords("Args", container.args, out);
  if (status != nullptr) {
    AddState("State", status->state, out);
    if (status->lastState.terminated) AddState("Last State", status->lastState, out);
    out.Field(2, "Ready", BoolText(status->ready));
    out.Field(2, "Restart Count", status->restartCount);
  }
  AddResources(container.resources, 2, out);
  if (container.livenessProbe) out.Field(2, "Liveness", ProbeText(*container.livenessProbe));
  if (container.readinessProbe) out.Field(2, "Readiness", ProbeText(*container.readinessProbe));
  if (container.startupProbe) out.Field(2, "Startup", ProbeText(*container.startupProbe));
  AddVariables(container, pod, out);
  AddMounts(container, out);
}

}  // namespace

void AddResources(const core::v1::ResourceRequirements& resources, int level, Description& out) {
  for (const auto& [title, all] :
       {std::pair("Limits:", &resources.limits), std::pair("Requests:", &resources.requests)}) {
    if (!all->empty()) out.Line(level, title);
    for (const auto& [name, quantity] : *all) out.Field(level + 1, name, quantity.ToString());
  }
}

void AddContainers(std::string_view title, const std::vector<Container>& containers,
                   const std::vector<ContainerStatus>& statuses, const core::v1::Pod* pod,
                   Description& out) {
  const bool in_template = title.starts_with(' ');
  out.Line(0, std::string(title) + ":" + (containers.empty() ? " <none>" : ""));
  for (const Container& container : containers) {
    out.Line(1, (in_template ? " " : "") + container.name + ":");
    const auto status = std::ranges::find(statuses, container.name, &ContainerStatus::name);
    AddContainer(container, status == statuses.end() ? nullptr : &*status, pod, out);
  }
}

}  // namespace flyball::ctl::describe
