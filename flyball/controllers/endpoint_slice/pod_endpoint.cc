#include "flyball/controllers/endpoint_slice/pod_endpoint.h"

#include <string>

#include "flyball/controllers/common/endpoint_ports.h"
#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::endpoint_slice {

using core::v1::Service;
using discovery::v1::Endpoint;
using discovery::v1::EndpointPort;

Endpoint EndpointOf(const views::Pod& pod, const views::Node* node, const Service& service,
                    common::IpFamily family) {
  Endpoint endpoint;
  endpoint.addresses = common::AddressesOf(pod, family);
  const bool serving = common::IsReady(pod);
  const bool terminating = pod.metadata.deletionTimestamp.has_value();
  // Who does not know of "terminating" must not send anything new to a pod that ends.
  endpoint.conditions.ready = service.spec.publishNotReadyAddresses || (serving && !terminating);
  endpoint.conditions.serving = serving;
  endpoint.conditions.terminating = terminating;
  core::v1::ObjectReference& target = endpoint.targetRef.emplace();
  target.kind = "Pod";
  target.namespace_ = pod.metadata.namespace_.view();
  target.name = pod.metadata.name.view();
  target.uid = pod.metadata.uid.view();
  if (!pod.spec.nodeName.empty()) endpoint.nodeName = std::string(pod.spec.nodeName.view());
  if (node != nullptr) {
    const auto zone = node->metadata.labels.find("topology.kubernetes.io/zone");
    if (zone && !zone->empty()) endpoint.zone = std::string(*zone);
  }
  if (common::HasHostnameIn(pod, service)) {
    endpoint.hostname = std::string(pod.spec.hostname.view());
  }
  return endpoint;
}

PortNumbers PortNumbersIn(const views::Pod& pod, const Service& service) {
  PortNumbers numbers;
  numbers.reserve(service.spec.ports.size());
  for (const auto& port : service.spec.ports) numbers.push_back(common::FindPort(pod, port));
  return numbers;
}

std::vector<EndpointPort> PortsFor(const Service& service, const PortNumbers& numbers) {
  std::vector<EndpointPort> ports;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!numbers[i]) continue;
    const core::v1::ServicePort& of_service = service.spec.ports[i];
    EndpointPort& port = ports.emplace_back();
    port.name = of_service.name;
    port.port = numbers[i];
    port.protocol = of_service.protocol;
    port.appProtocol = of_service.appProtocol;
  }
  common::SortPorts(ports);
  return ports;
}

}  // namespace flyball::controllers::endpoint_slice
