#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/networking/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using core::v1::Endpoints;
using core::v1::Service;
using discovery::v1::EndpointSlice;
using networking::v1::Ingress;
using networking::v1::IngressClass;
using networking::v1::IPAddress;
using networking::v1::NetworkPolicy;
using networking::v1::ServiceCIDR;

constexpr std::size_t kFew = 3;

std::string ExternalAddresses(const Service& service) {
  const auto& spec = service.spec;
  const std::string external = Join(spec.externalIPs);
  if (spec.type == "ClusterIP" || spec.type == "NodePort") return Or(external, "<none>");
  if (spec.type == "ExternalName") return spec.externalName;
  if (spec.type != "LoadBalancer") return "<unknown>";
  const std::string balanced = IngressAddresses(service.status.loadBalancer.ingress);
  if (external.empty()) return Or(balanced, "<pending>");
  return balanced.empty() ? external : balanced + "," + external;
}

std::string PortsText(const std::vector<core::v1::ServicePort>& ports) {
  std::vector<std::string> texts;
  for (const auto& port : ports) {
    std::string text = std::to_string(port.port);
    if (port.nodePort > 0) text += ":" + std::to_string(port.nodePort);
    texts.push_back(text + "/" + port.protocol);
  }
  return Or(Join(texts), "<none>");
}

constexpr Column kServiceColumns[] = {kName,       {"Type"}, {"Cluster-IP"},  {"External-IP"},
                                      {"Port(s)"}, kAge,     Wide("Selector")};

Cells ServiceCells(const Service& service, WallTime now) {
  const auto& spec = service.spec;
  return {service.metadata.name,
          spec.type,
          spec.clusterIPs.empty() ? "<none>" : spec.clusterIPs[0],
          ExternalAddresses(service),
          PortsText(spec.ports),
          AgeOf(service, now),
          LabelsText(spec.selector)};
}

/// "10.0.0.1:80", "[fd00::1]:80".
std::string WithPort(const std::string& address, std::int32_t port) {
  const bool brackets = address.contains(':');
  return (brackets ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

std::string EndpointsText(const Endpoints& endpoints) {
  if (endpoints.subsets.empty()) return "<none>";
  std::vector<std::string> texts;
  for (const auto& subset : endpoints.subsets) {
    if (subset.ports.empty()) {
      for (const auto& address : subset.addresses) texts.push_back(address.ip);
    }
    for (const auto& port : subset.ports) {
      for (const auto& address : subset.addresses) {
        texts.push_back(WithPort(address.ip, port.port));
      }
    }
  }
  return FirstFew(texts, kFew);
}

constexpr Column kEndpointsColumns[] = {kName, {"Endpoints"}, kAge};

Cells EndpointsCells(const Endpoints& endpoints, WallTime now) {
  return {endpoints.metadata.name, EndpointsText(endpoints), AgeOf(endpoints, now)};
}

constexpr Column kSliceColumns[] = {kName, {"AddressType"}, {"Ports"}, {"Endpoints"}, kAge};

Cells EndpointSliceCells(const EndpointSlice& slice, WallTime now) {
  std::vector<std::string> ports;
  for (const auto& port : slice.ports) {
    ports.push_back(port.port ? std::to_string(*port.port) : TextOr(port.name, "*"));
  }
  std::vector<std::string> addresses;
  for (const auto& endpoint : slice.endpoints) {
    for (const auto& address : endpoint.addresses) addresses.push_back(address);
  }
  return {slice.metadata.name, slice.addressType, Or(FirstFew(ports, kFew), "<unset>"),
          Or(FirstFew(addresses, kFew), "<unset>"), AgeOf(slice, now)};
}

/// PARITY: rules without a host count among the more there are.
std::string HostsText(const std::vector<networking::v1::IngressRule>& rules) {
  std::vector<std::string> hosts;
  bool more = false;
  for (const auto& rule : rules) {
    more |= hosts.size() == kFew;
    if (!more && !rule.host.empty()) hosts.push_back(rule.host);
  }
  if (hosts.empty()) return "*";
  std::string text = Join(hosts);
  if (more) text += " + " + std::to_string(rules.size() - kFew) + " more...";
  return text;
}

constexpr Column kIngressColumns[] = {kName, {"Class"}, {"Hosts"}, {"Address"}, {"Ports"}, kAge};

Cells IngressCells(const Ingress& ingress, WallTime now) {
  return {ingress.metadata.name,
          TextOr(ingress.spec.ingressClassName, "<none>"),
          HostsText(ingress.spec.rules),
          IngressAddresses(ingress.status.loadBalancer.ingress),
          ingress.spec.tls.empty() ? "80" : "80, 443",
          AgeOf(ingress, now)};
}

constexpr Column kIngressClassColumns[] = {kName, {"Controller"}, {"Parameters"}, kAge};

Cells IngressClassCells(const IngressClass& object, WallTime now) {
  std::string name = object.metadata.name;
  const std::string* const is_default =
      object.metadata.annotations.find("ingressclass.kubernetes.io/is-default-class");
  if (is_default != nullptr && *is_default == "true") name += " (default)";
  std::string parameters = "<none>";
  if (const auto& given = object.spec.parameters) {
    parameters = given->kind;
    if (given->apiGroup) parameters += "." + *given->apiGroup;
    parameters += "/" + given->name;
  }
  return {name, object.spec.controller, parameters, AgeOf(object, now)};
}

constexpr Column kPolicyColumns[] = {kName, {"Pod-Selector"}, kAge};

Cells NetworkPolicyCells(const NetworkPolicy& policy, WallTime now) {
  return {policy.metadata.name, SelectorText(policy.spec.podSelector), AgeOf(policy, now)};
}

constexpr Column kServiceCidrColumns[] = {kName, {"CIDRs"}, kAge};

Cells ServiceCidrCells(const ServiceCIDR& object, WallTime now) {
  return {object.metadata.name, Join(object.spec.cidrs), AgeOf(object, now)};
}

/// PARITY: rows have an age, for which there is no column.
constexpr Column kAddressColumns[] = {kName, {"ParentRef"}};

Cells IpAddressCells(const IPAddress& object, WallTime now) {
  std::string parent = "<none>";
  if (const auto& ref = object.spec.parentRef) {
    parent = ref->resource;
    if (!ref->group.empty()) parent += "." + ref->group;
    parent = InLowerCase(parent);
    if (!ref->namespace_.empty()) parent += "/" + ref->namespace_;
    parent += "/" + ref->name;
  }
  return {object.metadata.name, parent, AgeOf(object, now)};
}

constexpr Printer kPrinters[] = {
    For<Service, ServiceCells>(kServiceColumns),
    For<Endpoints, EndpointsCells>(kEndpointsColumns),
    For<EndpointSlice, EndpointSliceCells>(kSliceColumns),
    For<Ingress, IngressCells>(kIngressColumns),
    For<IngressClass, IngressClassCells>(kIngressClassColumns),
    For<NetworkPolicy, NetworkPolicyCells>(kPolicyColumns),
    For<ServiceCIDR, ServiceCidrCells>(kServiceCidrColumns),
    For<IPAddress, IpAddressCells>(kAddressColumns),
};

}  // namespace

std::span<const Printer> NetworkPrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
