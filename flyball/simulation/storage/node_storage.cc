#include "flyball/simulation/storage/node_storage.h"

#include <algorithm>
#include <set>
#include <utility>

#include "flyball/api/json.h"

namespace flyball::simulation {
namespace {

using api::Json;
using storage::v1::CSINode;

/// Labels of nodes that volumes may be tied to.
constexpr std::string_view kTopologyKeys[] = {"kubernetes.io/hostname",
                                              "topology.kubernetes.io/zone"};

bool IsOver(const views::KubeletPod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

client::Patch InUsePatch(const std::vector<std::string>& names) {
  Json::Array list(names.begin(), names.end());
  return client::Patch::Merge(Json::Object{
      {"status", Json::Object{{"volumesInUse", names.empty() ? Json() : Json(std::move(list))}}}});
}

}  // namespace

CSINode DescribeCsiNode(const views::KubeletNode& node, const std::string& driver) {
  CSINode described;
  const std::string name(node.metadata.name.view());
  described.metadata.name = name;
  auto& owner = described.metadata.ownerReferences.emplace_back();
  owner.apiVersion = "v1";
  owner.kind = "Node";
  owner.name = name;
  owner.uid = node.metadata.uid.view();
  auto& has = described.spec.drivers.emplace_back();
  has.name = driver;
  has.nodeID = name;
  for (const std::string_view key : kTopologyKeys) {
    if (node.metadata.labels.find(key)) has.topologyKeys.emplace_back(key);
  }
  return described;
}

NodeStorage::Memory& NodeStorage::MemoryOf(const std::string& name) {
  MutexLock lock(mutex_);
  return memories_[name];
}

Result<std::optional<SteadyTime>> NodeStorage::SeeTo(runtime::Context& context,
                                                     const std::string& name,
                                                     const views::KubeletNode& node) {
  Memory& memory = MemoryOf(name);
  if (!memory.published) {
    FLYBALL_TRY(Publish(name, node));
    memory.published = true;
  }
  const auto in_use = InUse(node, memory);
  const bool shown = std::ranges::equal(
      in_use, node.status.volumesInUse,
      [](const std::string& wanted, const auto& name_shown) { return name_shown == wanted; });
  if (!shown) {
    const auto nodes = deps_.client_of(name).Of<core::v1::Node>();
    FLYBALL_TRY(const auto patched, nodes.Patch({"", name}, InUsePatch(in_use), {}, "status"));
    context.writes().Stored(nodes.resource(), {"", name}, patched.metadata.resourceVersion);
  }
  std::optional<SteadyTime> next;
  for (const auto& [volume, until] : memory.unmounting)
    next = std::min(next.value_or(until), until);
  return next;
}

Result<> NodeStorage::Publish(const std::string& name, const views::KubeletNode& node) const {
  const auto nodes = deps_.client_of(name).Of<CSINode>();
  const CSINode wanted = DescribeCsiNode(node, options_.driver);
  const auto created = nodes.Create(wanted);
  if (created) return {};
  if (created.error().code() != ErrorCode::kAlreadyExists) {
    return std::unexpected(created.error());
  }
  FLYBALL_TRY(CSINode there, nodes.Get({"", name}));
  const auto& drivers = there.spec.drivers;
  if (std::ranges::find(drivers, options_.driver, &storage::v1::CSINodeDriver::name) !=
      drivers.end()) {
    return {};
  }
  there.spec.drivers.push_back(wanted.spec.drivers.front());
  FLYBALL_TRY(nodes.Update(there));
  return {};
}

std::vector<std::string> NodeStorage::InUse(const views::KubeletNode& node, Memory& memory) const {
  std::set<std::string> names;
  for (const auto& pod : deps_.pods_of(node.metadata.name)) {
    if (IsOver(*pod)) continue;
    for (std::string& name : deps_.volumes->Attachable(*pod)) names.insert(std::move(name));
  }
  const SteadyTime now = deps_.clock.SteadyNow();
  for (const auto& shown : node.status.volumesInUse) {
    const std::string name(shown.view());
    if (!names.contains(name)) memory.unmounting.try_emplace(name, now + options_.unmount);
  }
  std::erase_if(memory.unmounting, [&](const auto& entry) {
    return names.contains(entry.first) || entry.second <= now;
  });
  for (const auto& [name, until] : memory.unmounting) names.insert(name);
  return {names.begin(), names.end()};
}

}  // namespace flyball::simulation
