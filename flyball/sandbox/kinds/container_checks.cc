#include "flyball/sandbox/kinds/container_checks.h"

#include <algorithm>
#include <utility>

#include "flyball/api/label_validation.h"
#include "flyball/sandbox/kinds/checks.h"

namespace flyball::sandbox {
namespace {

using core::v1::Container;
using core::v1::ContainerPort;
using core::v1::EnvVar;
using core::v1::Probe;

void CheckPorts(const std::vector<ContainerPort>& ports, const std::string& path,
                FieldErrors& errors) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const ContainerPort& port = ports[i];
    const std::string at = At(path, i);
    if (!port.name.empty()) {
      const std::size_t before = errors.size();
      CheckPortName(port.name, at + ".name", errors);
      if (errors.size() == before && !names.insert(port.name).second) {
        errors.push_back(FieldError::Duplicate(at + ".name", port.name));
      }
    }
    if (port.containerPort == 0) {
      errors.push_back(FieldError::Required(at + ".containerPort", ""));
    } else {
      CheckPort(port.containerPort, at + ".containerPort", errors);
    }
    if (port.hostPort != 0) CheckPort(port.hostPort, at + ".hostPort", errors);
    CheckOneOf(port.protocol, {"SCTP", "TCP", "UDP"}, at + ".protocol", errors);
  }
}

void CheckSource(const EnvVar& variable, const std::string& path, FieldErrors& errors) {
  const auto& source = *variable.valueFrom;
  const int sources = (source.fieldRef ? 1 : 0) + (source.resourceFieldRef ? 1 : 0) +
                      (source.configMapKeyRef ? 1 : 0) + (source.secretKeyRef ? 1 : 0) +
                      (source.fileKeyRef ? 1 : 0);
  const char* why = nullptr;
  if (sources == 0) {
    why =
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
        "`fileKeyRef`";
  } else if (!variable.value.empty()) {
    why = "may not be specified when `value` is not empty";
  } else if (sources > 1) {
    why = "may not have more than one field specified at a time";
  }
  if (why != nullptr) errors.push_back(FieldError::Invalid(path, "", why));
}

void CheckEnvironment(const std::vector<EnvVar>& variables, const std::string& path,
                      FieldErrors& errors) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const EnvVar& variable = variables[i];
    const std::string at = At(path, i);
    const auto fits = [](char c) { return c >= ' ' && c <= '~' && c != '='; };
    if (variable.name.empty()) {
      errors.push_back(FieldError::Required(at + ".name", ""));
    } else if (!std::ranges::all_of(variable.name, fits)) {
      errors.push_back(
          FieldError::Invalid(at + ".name", variable.name,
                              "a valid environment variable name must consist only of printable "
                              "ASCII characters other than '='"));
    }
    if (variable.valueFrom) CheckSource(variable, at + ".valueFrom", errors);
  }
}

void CheckMounts(const Container& container, const std::string& path,
                 const std::set<std::string>& volumes, FieldErrors& errors) {
  std::set<std::string> paths;
  for (std::size_t i = 0; i < container.volumeMounts.size(); ++i) {
    const auto& mount = container.volumeMounts[i];
    const std::string at = At(path, i);
    if (mount.name.empty()) errors.push_back(FieldError::Required(at + ".name", ""));
    if (!volumes.contains(mount.name)) {
      FieldError error = FieldError::Invalid(at + ".name", mount.name, "");
      error.kind = FieldError::Kind::kNotFound;
      errors.push_back(std::move(error));
    }
    if (mount.mountPath.empty()) errors.push_back(FieldError::Required(at + ".mountPath", ""));
    if (!paths.insert(mount.mountPath).second) {
      errors.push_back(FieldError::Invalid(at + ".mountPath", mount.mountPath, "must be unique"));
    }
  }
}

void CheckResources(const core::v1::ResourceRequirements& resources, const std::string& path,
                    FieldErrors& errors) {
  for (const auto& [name, quantity] : resources.limits) {
    CheckQuantity(quantity, At(path + ".limits", name), errors);
  }
  for (const auto& [name, quantity] : resources.requests) {
    const std::string at = path + ".requests";
    CheckQuantity(quantity, At(at, name), errors);
    const api::Quantity* const limit = resources.limits.find(name);
    if (limit != nullptr && quantity > *limit) {
      errors.push_back(FieldError::Invalid(
          at, quantity.ToString(),
          "must be less than or equal to " + name + " limit of " + limit->ToString()));
    }
  }
}

void CheckHttp(const core::v1::HTTPGetAction& action, const std::string& path,
               FieldErrors& errors) {
  if (action.path.empty()) errors.push_back(FieldError::Required(path + ".path", ""));
  if (action.port.IsString()) {
    CheckPortName(action.port.text(), path + ".port", errors);
  } else {
    CheckPort(action.port.number(), path + ".port", errors);
  }
  CheckOneOf(action.scheme, {"HTTP", "HTTPS"}, path + ".scheme", errors);
}

void CheckProbe(const api::Box<Probe>& probe, const std::string& path, FieldErrors& errors) {
  if (!probe) return;
  const int handlers = (probe->exec ? 1 : 0) + (probe->httpGet ? 1 : 0) +
                       (probe->tcpSocket ? 1 : 0) + (probe->grpc ? 1 : 0);
  if (handlers == 0) {
    errors.push_back(FieldError::Required(path, "must specify a handler type"));
  }
  const char* const last = probe->grpc ? "grpc" : probe->tcpSocket ? "tcpSocket" : "httpGet";
  if (handlers > 1) {
    errors.push_back(
        FieldError::Forbidden(path + "." + last, "may not specify more than 1 handler type"));
  }
  if (probe->exec && probe->exec->command.empty()) {
    errors.push_back(FieldError::Required(path + ".exec.command", ""));
  }
  if (probe->httpGet) CheckHttp(*probe->httpGet, path + ".httpGet", errors);
  CheckNotNegative(probe->initialDelaySeconds, path + ".initialDelaySeconds", errors);
  CheckNotNegative(probe->timeoutSeconds, path + ".timeoutSeconds", errors);
  CheckNotNegative(probe->periodSeconds, path + ".periodSeconds", errors);
  CheckNotNegative(probe->successThreshold, path + ".successThreshold", errors);
  CheckNotNegative(probe->failureThreshold, path + ".failureThreshold", errors);
}

}  // namespace

void CheckContainer(const Container& container, const std::string& path,
                    const std::set<std::string>& volumes, FieldErrors& errors) {
  CheckLabelName(container.name, path + ".name", errors);
  if (container.image.empty()) errors.push_back(FieldError::Required(path + ".image", ""));
  CheckOneOf(container.terminationMessagePolicy, {"File", "FallbackToLogsOnError"},
             path + ".terminationMessagePolicy", errors);
  CheckPorts(container.ports, path + ".ports", errors);
  CheckEnvironment(container.env, path + ".env", errors);
  CheckMounts(container, path + ".volumeMounts", volumes, errors);
  CheckOneOf(container.imagePullPolicy, {"Always", "IfNotPresent", "Never"},
             path + ".imagePullPolicy", errors);
  CheckResources(container.resources, path + ".resources", errors);
}

void CheckProbes(const Container& container, const std::string& path, FieldErrors& errors) {
  const auto once = [&](const api::Box<Probe>& probe, const std::string& at) {
    if (probe && probe->successThreshold != 1) {
      errors.push_back(FieldError::InvalidNumber(at + ".successThreshold", probe->successThreshold,
                                                 "must be 1"));
    }
  };
  CheckProbe(container.livenessProbe, path + ".livenessProbe", errors);
  once(container.livenessProbe, path + ".livenessProbe");
  CheckProbe(container.readinessProbe, path + ".readinessProbe", errors);
  CheckProbe(container.startupProbe, path + ".startupProbe", errors);
  once(container.startupProbe, path + ".startupProbe");
}

void CheckInitContainer(const Container& container, const std::string& path, FieldErrors& errors) {
  if (container.restartPolicy == "Always") return CheckProbes(container, path, errors);
  const auto forbid = [&](bool set, const char* field) {
    if (!set) return;
    errors.push_back(FieldError::Forbidden(
        path + "." + field, "may not be set for init containers without restartPolicy=Always"));
  };
  forbid(container.lifecycle.has_value(), "lifecycle");
  forbid(container.livenessProbe.has_value(), "livenessProbe");
  forbid(container.readinessProbe.has_value(), "readinessProbe");
  forbid(container.startupProbe.has_value(), "startupProbe");
}

void CheckHostPorts(const Container& container, const std::string& path,
                    std::set<std::string>& taken, FieldErrors& errors) {
  for (std::size_t i = 0; i < container.ports.size(); ++i) {
    const ContainerPort& port = container.ports[i];
    if (port.hostPort == 0) continue;
    const std::string text =
        port.protocol + "/" + port.hostIP + "/" + std::to_string(port.hostPort);
    if (taken.insert(text).second) continue;
    errors.push_back(FieldError::Duplicate(At(path + ".ports", i) + ".hostPort", text));
  }
}

}  // namespace flyball::sandbox
