#include "flyball/ctl/describe/describers.h"

namespace flyball::ctl::describe {
namespace {

std::string IngressText(const std::vector<core::v1::LoadBalancerIngress>& all) {
  std::vector<std::string> texts;
  for (const auto& ingress : all) {
    texts.push_back(ingress.ip.empty() ? ingress.hostname : ingress.ip);
    if (!ingress.ip.empty() && ingress.ipMode) texts.back() += " (" + *ingress.ipMode + ")";
  }
  return Join(texts, ", ");
}

std::string HostPort(const std::string& host, std::int32_t port) {
  const std::string text = host.contains(':') ? "[" + host + "]" : host;
  return text + ":" + std::to_string(port);
}

/// Where a port of a service leads: a few of the addresses that are ready.
std::string EndpointsText(const std::vector<discovery::v1::EndpointSlice>& slices,
                          const std::string& port_name) {
  constexpr std::size_t kFew = 3;
  std::vector<std::string> shown;
  std::size_t count = 0;
  const auto add = [&](const discovery::v1::Endpoint& endpoint, const auto& text) {
    if (!endpoint.conditions.ready.value_or(true) || endpoint.addresses.empty()) return;
    if (++count <= kFew) shown.push_back(text(endpoint.addresses.front()));
  };
  for (const auto& slice : slices) {
    if (slice.ports.empty()) {
      // A headless service need not have ports.
      for (const auto& endpoint : slice.endpoints) {
        add(endpoint, [](const std::string& address) { return address; });
      }
    }
    for (const auto& port : slice.ports) {
      if (port.name.value_or("") != port_name) continue;
      for (const auto& endpoint : slice.endpoints) {
        add(endpoint,
            [&](const std::string& address) { return HostPort(address, port.port.value_or(0)); });
      }
    }
  }
  std::string text = Join(shown, ",");
  if (count > kFew) text += " + " + std::to_string(count - kFew) + " more...";
  return slices.empty() ? "<none>" : text;
}

void AddPort(const core::v1::ServicePort& port,
             const std::vector<discovery::v1::EndpointSlice>& slices, Description& out) {
  const std::string name = port.name.empty() ? "<unset>" : port.name;
  const auto number = [&](const std::string& text) { return text + "/" + port.protocol; };
  out.Field(0, "Port", name + "\t" + number(std::to_string(port.port)));
  out.Field(0, "TargetPort", number(port.targetPort.ToString()));
  if (port.appProtocol) out.Field(0, "AppProtocol", *port.appProtocol);
  if (port.nodePort != 0) {
    out.Field(0, "NodePort", name + "\t" + number(std::to_string(port.nodePort)));
  }
  out.Field(0, "Endpoints", EndpointsText(slices, port.name));
}

void AddAddresses(const core::v1::Service& service, Description& out) {
  const auto& spec = service.spec;
  if (spec.ipFamilyPolicy) out.Field(0, "IP Family Policy", *spec.ipFamilyPolicy);
  out.Field(0, "IP Families", OrNone(Join(spec.ipFamilies, ",")));
  out.Field(0, "IP", spec.clusterIP);
  out.Field(0, "IPs", OrNone(Join(spec.clusterIPs, ",")));
  if (!spec.externalIPs.empty()) out.Field(0, "External IPs", Join(spec.externalIPs, ","));
  if (!spec.loadBalancerIP.empty()) {
    out.Field(0, "Desired LoadBalancer IP", spec.loadBalancerIP);
  }
  if (!spec.externalName.empty()) out.Field(0, "External Name", spec.externalName);
  if (!service.status.loadBalancer.ingress.empty()) {
    out.Field(0, "LoadBalancer Ingress", IngressText(service.status.loadBalancer.ingress));
  }
}

}  // namespace

void AddService(const core::v1::Service& service,
                const std::vector<discovery::v1::EndpointSlice>& slices, Description& out) {
  const auto& spec = service.spec;
  std::vector<std::string> selector;
  for (const auto& [key, value] : spec.selector) selector.push_back(key + ("=" + value));
  out.Field(0, "Name", service.metadata.name);
  out.Field(0, "Namespace", service.metadata.namespace_);
  out.Labels("Labels", service.metadata.labels);
  out.Annotations("Annotations", service.metadata.annotations);
  out.Field(0, "Selector", OrNone(Join(selector, ",")));
  out.Field(0, "Type", spec.type);
  AddAddresses(service, out);
  for (const auto& port : spec.ports) AddPort(port, slices, out);
  out.Field(0, "Session Affinity", spec.sessionAffinity);
  if (!spec.externalTrafficPolicy.empty()) {
    out.Field(0, "External Traffic Policy", spec.externalTrafficPolicy);
  }
  if (spec.internalTrafficPolicy) {
    out.Field(0, "Internal Traffic Policy", *spec.internalTrafficPolicy);
  }
  if (spec.healthCheckNodePort != 0) {
    out.Field(0, "HealthCheck NodePort", spec.healthCheckNodePort);
  }
  if (!spec.loadBalancerSourceRanges.empty()) {
    out.Field(0, "LoadBalancer Source Ranges", Join(spec.loadBalancerSourceRanges, ","));
  }
  if (spec.trafficDistribution) out.Field(0, "Traffic Distribution", *spec.trafficDistribution);
}

void AddConfigMap(const core::v1::ConfigMap& map, Description& out) {
  out.Field(0, "Name", map.metadata.name);
  out.Field(0, "Namespace", map.metadata.namespace_);
  out.Labels("Labels", map.metadata.labels);
  out.Annotations("Annotations", map.metadata.annotations);
  out.Line(0, "\nData\n====");
  for (const auto& [key, value] : map.data) {
    out.Line(0, key + ":\n----");
    out.Line(0, value);
    out.Line(0, "");
  }
  out.Line(0, "\nBinaryData\n====");
  for (const auto& [key, value] : map.binaryData) {
    out.Line(0, key + ": " + std::to_string(value.size()) + " bytes");
  }
  out.Line(0, "");
}

void AddSecret(const core::v1::Secret& secret, Description& out) {
  out.Field(0, "Name", secret.metadata.name);
  out.Field(0, "Namespace", secret.metadata.namespace_);
  out.Labels("Labels", secret.metadata.labels);
  out.Annotations("Annotations", secret.metadata.annotations);
  out.Line(0, "\nType:\t" + secret.type);
  out.Line(0, "\nData\n====");
  for (const auto& [key, value] : secret.data) {
    // PARITY: the token of a service account is shown, nothing else is.
    const bool token = key == "token" && secret.type == "kubernetes.io/service-account-token";
    out.Field(0, key, token ? value : std::to_string(value.size()) + " bytes");
  }
}

}  // namespace flyball::ctl::describe
