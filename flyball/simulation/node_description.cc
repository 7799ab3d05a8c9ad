#include "flyball/simulation/node_description.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/api/quantity.h"
#include "flyball/simulation/spread.h"

namespace flyball::simulation {
namespace {

using api::Json;
using core::v1::NodeCondition;

constexpr std::string_view kNotReadyTaint = "node.kubernetes.io/not-ready";

struct Wording {
  std::string_view type, reason, message;
};
// PARITY: kubelet's words, in its order; Ready comes last.
constexpr std::array<Wording, 3> kPressures = {{
    {"MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
    {"DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
    {"PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
}};

std::vector<NodeCondition> ConditionsOf(bool ready, WallTime now) {
  std::vector<NodeCondition> conditions;
  const auto add = [&](const Wording& wording, bool holds) {
    NodeCondition& condition = conditions.emplace_back();
    condition.type = wording.type;
    condition.status = holds ? "True" : "False";
    condition.reason = wording.reason;
    condition.message = wording.message;
    condition.lastHeartbeatTime = api::Time(now);
    condition.lastTransitionTime = api::Time(now);
  };
  for (const Wording& pressure : kPressures) add(pressure, false);
  if (ready) {
    add({"Ready", "KubeletReady", "kubelet is posting ready status"}, true);
  } else {
    add({"Ready", "KubeletNotReady", "simulated: the node is not to be ready"}, false);
  }
  return conditions;
}

bool Shows(const views::KubeletNode& node, const NodeCondition& condition) {
  return std::ranges::any_of(node.status.conditions, [&](const auto& shown) {
    return shown.type == condition.type && shown.status == condition.status;
  });
}

/// An id of the form that machines have.
std::string MachineId(std::string_view name, std::string_view what) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  for (std::uint64_t half = 0; half < 2; ++half) {
    std::uint64_t bits = Mixed(half, name, what);
    for (int i = 0; i < 16; ++i, bits >>= 4) id += kDigits[bits & 0xf];
  }
  return id;
}

Result<core::v1::ResourceList> CapacityOf(const NodeShape& shape) {
  api::Map<std::string> amounts = shape.resources;
  amounts["cpu"] = shape.cpu;
  amounts["memory"] = shape.memory;
  amounts["ephemeral-storage"] = shape.ephemeral_storage;
  amounts["pods"] = shape.pods;
  core::v1::ResourceList capacity;
  for (const auto& [name, text] : amounts) {
    FLYBALL_TRY(capacity[name], api::Quantity::Parse(text));
  }
  return capacity;
}

}  // namespace

Result<core::v1::Node> DescribeNode(const std::string& name, const NodeShape& shape,
                                    const std::string& address, WallTime now) {
  core::v1::Node node;
  node.metadata.name = name;
  node.metadata.labels = shape.labels;
  node.metadata.labels["kubernetes.io/hostname"] = name;
  node.metadata.labels["kubernetes.io/os"] = shape.operating_system;
  node.metadata.labels["kubernetes.io/arch"] = shape.architecture;
  node.metadata.labels["beta.kubernetes.io/os"] = shape.operating_system;
  node.metadata.labels["beta.kubernetes.io/arch"] = shape.architecture;
  node.metadata.annotations["volumes.kubernetes.io/controller-managed-attach-detach"] = "true";
  node.spec.taints = shape.taints;
  FLYBALL_TRY(node.status.capacity, CapacityOf(shape));
  node.status.allocatable = node.status.capacity;
  node.status.conditions = ConditionsOf(true, now);
  for (const auto& [type, text] : {std::pair("InternalIP", address), std::pair("Hostname", name)}) {
    core::v1::NodeAddress& its = node.status.addresses.emplace_back();
    its.type = type;
    its.address = text;
  }
  core::v1::NodeSystemInfo& info = node.status.nodeInfo;
  info.machineID = MachineId(name, "machine");
  info.systemUUID = MachineId(name, "system");
  info.bootID = MachineId(name, "boot");
  info.kernelVersion = "6.1.0-simulated";
  info.osImage = "Flyball simulated node";
  info.containerRuntimeVersion = "containerd://2.0.0";
  info.kubeletVersion = shape.kubelet_version;
  info.operatingSystem = shape.operating_system;
  info.architecture = shape.architecture;
  return node;
}

bool ShowsConditions(const views::KubeletNode& node, bool ready) {
  return std::ranges::all_of(ConditionsOf(ready, {}), [&](const NodeCondition& condition) {
    return Shows(node, condition);
  });
}

client::Patch ConditionsPatch(const views::KubeletNode& node, bool ready, WallTime now) {
  Json::Array conditions;
  for (const NodeCondition& condition : ConditionsOf(ready, now)) {
    Json json = *api::ToJson(condition);
    // What is left out stays as it is.
    if (Shows(node, condition)) json.If<Json::Object>()->erase("lastTransitionTime");
    conditions.push_back(std::move(json));
  }
  Json::Object status;
  status["conditions"] = std::move(conditions);
  Json::Object patch;
  patch["status"] = std::move(status);
  return client::Patch::Strategic(std::move(patch));
}

std::optional<client::Patch> NotReadyTaintPatch(const views::KubeletNode& node) {
  for (std::size_t i = 0; i < node.spec.taints.size(); ++i) {
    if (node.spec.taints[i].key != kNotReadyTaint) continue;
    const std::string path = "/spec/taints/" + std::to_string(i);
    Json::Object is_it;
    is_it["op"] = "test";
    is_it["path"] = path + "/key";
    is_it["value"] = kNotReadyTaint;
    Json::Object remove;
    remove["op"] = "remove";
    remove["path"] = path;
    const Json patch(Json::Array{std::move(is_it), std::move(remove)});
    return client::Patch{client::PatchType::kJson, patch.ToString()};
  }
  return std::nullopt;
}

coordination::v1::Lease DescribeLease(const views::KubeletNode& node, WallTime now) {
  coordination::v1::Lease lease;
  const std::string name(node.metadata.name.view());
  lease.metadata.namespace_ = "kube-node-lease";
  lease.metadata.name = name;
  meta::v1::OwnerReference& owner = lease.metadata.ownerReferences.emplace_back();
  owner.apiVersion = "v1";
  owner.kind = "Node";
  owner.name = name;
  owner.uid = node.metadata.uid.view();
  lease.spec.holderIdentity = name;
  lease.spec.leaseDurationSeconds = 40;
  lease.spec.renewTime = api::MicroTime(now);
  return lease;
}

}  // namespace flyball::simulation
