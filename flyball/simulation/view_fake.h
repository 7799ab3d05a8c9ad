#pragma once

#include <memory>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/kubelet_views.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/quantity.h"
#include "flyball/api/view_decode.h"

/// Views for tests, made from what a cache would have read them from.
namespace flyball::simulation {

inline std::shared_ptr<const views::KubeletPod> ViewOf(const core::v1::Pod& pod) {
  api::ViewDecoder decoder;
  return decoder.Decode<views::KubeletPod>(api::EncodeProtobuf(pod).value()).value();
}

inline std::shared_ptr<const views::KubeletNode> ViewOf(const core::v1::Node& node) {
  api::ViewDecoder decoder;
  return decoder.Decode<views::KubeletNode>(api::EncodeProtobuf(node).value()).value();
}

inline core::v1::Container ContainerNamed(const std::string& name) {
  core::v1::Container container;
  container.name = name;
  container.image = name + ":1";
  return container;
}

/// A pod of one container, on no node.
inline core::v1::Pod PodNamed(const std::string& name, const std::string& cpu = "") {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "ns";
  pod.metadata.name = name;
  pod.metadata.uid = "uid-of-" + name;
  pod.metadata.generation = 1;
  pod.spec.restartPolicy = "Always";
  pod.spec.schedulerName = "default-scheduler";
  pod.spec.containers.push_back(ContainerNamed("main"));
  if (!cpu.empty()) {
    pod.spec.containers[0].resources.requests["cpu"] = api::Quantity::Parse(cpu).value();
  }
  return pod;
}

/// A node of four cores.
inline core::v1::Node NodeNamed(const std::string& name) {
  core::v1::Node node;
  node.metadata.name = name;
  node.metadata.labels["kubernetes.io/hostname"] = name;
  node.status.allocatable = {{"cpu", api::Quantity::Parse("4").value()},
                             {"memory", api::Quantity::Parse("8Gi").value()},
                             {"pods", api::Quantity::Parse("10").value()}};
  return node;
}

}  // namespace flyball::simulation
