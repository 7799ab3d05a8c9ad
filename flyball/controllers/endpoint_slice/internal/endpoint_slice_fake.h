#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/protobuf_encode.h"
#include "flyball/api/view_decode.h"
#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/common/slice_packing.h"
#include "flyball/controllers/endpoint_slice/plan.h"
#include "flyball/controllers/endpoint_slice/service_slices.h"

/// Services, pods, nodes and slices for tests.
namespace flyball::controllers::endpoint_slice {

inline core::v1::Service FakeService() {
  core::v1::Service service;
  service.metadata.namespace_ = "shop";
  service.metadata.name = "web";
  service.metadata.uid = "uid-of-web";
  service.spec.type = "ClusterIP";
  service.spec.clusterIP = "10.96.0.1";
  service.spec.ipFamilies = {"IPv4"};
  service.spec.selector = {{"app", "web"}};
  core::v1::ServicePort& port = service.spec.ports.emplace_back();
  port.protocol = "TCP";
  port.port = 80;
  port.targetPort = api::IntOrString(8080);
  return service;
}

/// Ready, on a node of its own name's: "a" has 10.0.0.1 on "node-a" if told so.
inline core::v1::Pod FakePod(const std::string& name, const std::string& address,
                             const std::string& node = "node") {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "shop";
  pod.metadata.name = name;
  pod.metadata.uid = "uid-of-" + name;
  pod.metadata.labels = {{"app", "web"}};
  pod.spec.nodeName = node;
  pod.status.phase = "Running";
  pod.status.podIP = address;
  pod.status.podIPs.emplace_back().ip = address;
  pod.status.conditions.push_back(ReadyCondition(api::Time::FromUnix(1000)));
  return pod;
}

/// Ready, with so many CPUs.
inline core::v1::Node FakeNode(const std::string& name, const std::string& zone = "",
                               const std::string& cpus = "4") {
  core::v1::Node node;
  node.metadata.name = name;
  if (!zone.empty()) node.metadata.labels = {{"topology.kubernetes.io/zone", zone}};
  node.status.allocatable["cpu"] = *api::Quantity::Parse(cpus);
  core::v1::NodeCondition& condition = node.status.conditions.emplace_back();
  condition.type = "Ready";
  condition.status = "True";
  return node;
}

inline cache::Ref<views::Node> ViewOf(const core::v1::Node& node) {
  api::ViewDecoder decoder;
  return decoder.Decode<views::Node>(api::EncodeProtobuf(node).value()).value();
}
using controllers::ViewOf;

/// Its endpoint says nothing but that it is ready, or not, and where it is.
inline discovery::v1::Endpoint FakeEndpoint(const std::string& zone, bool ready = true) {
  discovery::v1::Endpoint endpoint;
  endpoint.conditions.ready = ready;
  if (!zone.empty()) endpoint.zone = zone;
  return endpoint;
}

inline discovery::v1::EndpointSlice FakeSlice(const std::string& name,
                                              std::vector<discovery::v1::Endpoint> endpoints) {
  discovery::v1::EndpointSlice slice;
  slice.metadata.name = name;
  slice.endpoints = std::move(endpoints);
  return slice;
}

inline common::SliceRef RefTo(discovery::v1::EndpointSlice slice) {
  return std::make_shared<const discovery::v1::EndpointSlice>(std::move(slice));
}

/// The zones that endpoints are for, "-" for those without hints: "west west -".
inline std::string HintsOf(const discovery::v1::EndpointSlice& slice) {
  std::string text;
  for (const auto& endpoint : slice.endpoints) {
    if (!text.empty()) text += " ";
    if (!endpoint.hints) {
      text += "-";
      continue;
    }
    for (const auto& zone : endpoint.hints->forZones) text += zone.name;
    for (const auto& node : endpoint.hints->forNodes) text += "@" + node.name;
  }
  return text;
}

}  // namespace flyball::controllers::endpoint_slice
