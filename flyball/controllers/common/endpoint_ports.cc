#include "flyball/controllers/common/endpoint_ports.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "flyball/api/fnv.h"

namespace flyball::controllers::common {
namespace {

using core::v1::ServicePort;
using discovery::v1::EndpointPort;
using views::Pod;

std::optional<std::int32_t> FindNamed(const Pod::Container& container, const ServicePort& port) {
  for (const auto& its : container.ports) {
    if (its.name == port.targetPort.text() && its.protocol == port.protocol) {
      return its.containerPort;
    }
  }
  return std::nullopt;
}

template <typename Text>
std::string TextOr(const std::optional<Text>& text) {
  return text ? *text : "<nil>";
}

/// A port as Go prints it, which is what upstream hashes.
std::string PrintedAsInGo(const EndpointPort& port) {
  return "(v1.EndpointPort){Name:(*string)" + TextOr(port.name) + " Protocol:(*v1.Protocol)" +
         TextOr(port.protocol) + " Port:(*int32)" +
         (port.port ? std::to_string(*port.port) : std::string("<nil>")) +
         " AppProtocol:(*string)" + TextOr(port.appProtocol) + "}";
}

}  // namespace

std::optional<std::int32_t> FindPort(const Pod& pod, const ServicePort& port) {
  if (!port.targetPort.IsString()) return port.targetPort.number();
  for (const auto& container : pod.spec.containers) {
    if (const auto found = FindNamed(container, port)) return found;
  }
  // Sidecars are init containers that stay.
  for (const auto& container : pod.spec.initContainers) {
    if (container.restartPolicy != "Always") continue;
    if (const auto found = FindNamed(container, port)) return found;
  }
  return std::nullopt;
}

void SortPorts(std::vector<EndpointPort>& ports) {
  if (ports.size() < 2) return;
  std::ranges::sort(ports, {},
                    [](const EndpointPort& port) { return api::Fnv128a(PrintedAsInGo(port)); });
}

std::string PortSetKey(std::span<const EndpointPort> ports) {
  std::vector<std::string> printed;
  printed.reserve(ports.size());
  for (const EndpointPort& port : ports) printed.push_back(PrintedAsInGo(port));
  std::ranges::sort(printed);
  std::string key;
  for (const std::string& each : printed) key += each;
  return key;
}

}  // namespace flyball::controllers::common
