#include "flyball/sandbox/kinds/service_checks.h"

#include <set>
#include <string>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/api/label_validation.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/service_allocation.h"
#include "flyball/sandbox/kinds/service_ranges.h"

namespace flyball::sandbox {
namespace {

using core::v1::Service;
using core::v1::ServicePort;

void CheckTarget(const api::IntOrString& port, const std::string& path, FieldErrors& errors) {
  if (port.IsString()) {
    CheckPortName(port.text(), path, errors);
  } else {
    CheckPort(port.number(), path, errors);
  }
}

void CheckPorts(const Service& service, FieldErrors& errors) {
  const auto& ports = service.spec.ports;
  std::set<std::string> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const ServicePort& port = ports[i];
    const std::string at = At("spec.ports", i);
    if (ports.size() > 1 || !port.name.empty()) CheckLabelName(port.name, at + ".name", errors);
    if (!port.name.empty() && !names.insert(port.name).second) {
      errors.push_back(FieldError::Duplicate(at + ".name", port.name));
    }
    CheckPort(port.port, at + ".port", errors);
    CheckOneOf(port.protocol, {"SCTP", "TCP", "UDP"}, at + ".protocol", errors);
    CheckTarget(port.targetPort, at + ".targetPort", errors);
  }
}

void CheckPortsAreApart(const Service& service, FieldErrors& errors) {
  const auto& ports = service.spec.ports;
  std::set<std::pair<std::string, std::int32_t>> on_nodes;
  std::set<std::pair<std::string, std::int32_t>> seen;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string at = At("spec.ports", i);
    if (ports[i].nodePort != 0) {
      if (service.spec.type == "ClusterIP") {
        errors.push_back(
            FieldError::Forbidden(at + ".nodePort", "may not be used when `type` is 'ClusterIP'"));
      }
      if (!on_nodes.emplace(ports[i].protocol, ports[i].nodePort).second) {
        FieldError error = FieldError::Duplicate(at + ".nodePort", "");
        error.value = std::to_string(ports[i].nodePort);
        errors.push_back(std::move(error));
      }
    }
    if (!seen.emplace(ports[i].protocol, ports[i].port).second) {
      // PARITY: shown is what makes it the same, as upstream's internal type has it.
      FieldError error = FieldError::Duplicate(at, "");
      error.value = "{\"Name\":\"\",\"Protocol\":\"" + ports[i].protocol +
                    "\",\"AppProtocol\":null,\"Port\":" + std::to_string(ports[i].port) +
                    ",\"TargetPort\":0,\"NodePort\":0}";
      errors.push_back(std::move(error));
    }
  }
}

void CheckType(const Service& service, FieldErrors& errors) {
  const auto& spec = service.spec;
  const std::string external = "may not be set for ExternalName services";
  if (spec.type == "LoadBalancer" || spec.type == "NodePort") {
    if (IsHeadless(service)) {
      errors.push_back(FieldError::Invalid(
          "spec.clusterIPs[0]", "None", "may not be set to 'None' for " + spec.type + " services"));
    }
  } else if (spec.type == "ExternalName") {
    if (!spec.clusterIPs.empty()) {
      errors.push_back(FieldError::Forbidden("spec.clusterIPs", external));
    }
    if (!spec.ipFamilies.empty()) {
      errors.push_back(FieldError::Forbidden("spec.ipFamilies", external));
    }
    if (spec.ipFamilyPolicy) {
      errors.push_back(FieldError::Forbidden("spec.ipFamilyPolicy", external));
    }
    std::string_view name = spec.externalName;
    if (name.ends_with('.')) name.remove_suffix(1);
    CheckSubdomain(name, "spec.externalName", errors);
  }
}

void CheckAddresses(const Service& service, FieldErrors& errors) {
  const auto& spec = service.spec;
  if (spec.type == "ExternalName") return;
  const std::string path = "spec.clusterIPs";
  if (!spec.clusterIP.empty() && !spec.clusterIPs.empty() &&
      spec.clusterIPs.front() != spec.clusterIP) {
    errors.push_back({FieldError::Kind::kInvalid, path, Listed(spec.clusterIPs),
                      "first value must match `clusterIP`"});
  }
  if (spec.clusterIP.empty() && !spec.clusterIPs.empty()) {
    errors.push_back({FieldError::Kind::kInvalid, path, Listed(spec.clusterIPs),
                      "must be empty when `clusterIP` is not specified"});
  }
  for (std::size_t i = 0; i < spec.clusterIPs.size(); ++i) {
    const std::string& ip = spec.clusterIPs[i];
    if ((i == 0 && ip == "None") || ParseAddress(ip) || ip.contains(':')) continue;
    errors.push_back(FieldError::Invalid(
        At(path, i), ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
  }
}

}  // namespace

std::string Listed(const std::vector<std::string>& texts) {
  api::Json::Array shown;
  for (const std::string& text : texts) shown.emplace_back(text);
  return api::Json(std::move(shown)).ToString();
}

FieldErrors CheckService(const Service& service) {
  FieldErrors errors;
  const auto& spec = service.spec;
  if (spec.ports.empty() && !IsHeadless(service) && spec.type != "ExternalName") {
    errors.push_back(FieldError::Required("spec.ports", ""));
  }
  CheckType(service, errors);
  CheckPorts(service, errors);
  CheckLabels(spec.selector, "spec.selector", errors);
  CheckOneOf(spec.sessionAffinity, {"ClientIP", "None"}, "spec.sessionAffinity", errors);
  CheckAddresses(service, errors);
  CheckOneOf(spec.type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, "spec.type",
             errors);
  CheckPortsAreApart(service, errors);
  if (spec.allocateLoadBalancerNodePorts && spec.type != "LoadBalancer") {
    errors.push_back(FieldError::Forbidden("spec.allocateLoadBalancerNodePorts",
                                           "may only be used when `type` is 'LoadBalancer'"));
  }
  if (spec.loadBalancerClass && spec.type != "LoadBalancer") {
    errors.push_back(FieldError::Forbidden("spec.loadBalancerClass",
                                           "may only be used when `type` is 'LoadBalancer'"));
  }
  return errors;
}

FieldErrors CheckServiceChange(const Service& now, const Service& before) {
  FieldErrors errors;
  if (!NeedsClusterIp(now) || !NeedsClusterIp(before)) return errors;
  const auto& ips = now.spec.clusterIPs;
  const auto& old = before.spec.clusterIPs;
  if (ips.empty() && !old.empty()) {
    errors.push_back({FieldError::Kind::kInvalid, "spec.clusterIPs[0]", "null",
                      "primary clusterIP can not be unset"});
  }
  for (std::size_t i = 0; i < std::min(ips.size(), old.size()); ++i) {
    if (ips[i] == old[i]) continue;
    errors.push_back({FieldError::Kind::kInvalid, At("spec.clusterIPs", i), Listed(ips),
                      "may not change once set"});
  }
  return errors;
}

}  // namespace flyball::sandbox
