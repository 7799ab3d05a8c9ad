#include <set>
#include <string>

#include "flyball/api/coordination/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/flowcontrol/v1.h"
#include "flyball/api/node/v1.h"
#include "flyball/api/scheduling/v1.h"
#include "flyball/api/storagemigration/v1.h"
#include "flyball/sandbox/printing/cell_text.h"
#include "flyball/sandbox/printing/printer.h"

namespace flyball::sandbox::printing {
namespace {

using coordination::v1::Lease;
using core::v1::ComponentStatus;
using core::v1::ConfigMap;
using core::v1::Namespace;
using core::v1::Node;
using core::v1::ResourceQuota;
using flowcontrol::v1::FlowSchema;
using flowcontrol::v1::PriorityLevelConfiguration;
using node::v1::RuntimeClass;
using scheduling::v1::PriorityClass;
using storagemigration::v1::StorageVersionMigration;

std::string RolesOf(const Node& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : node.metadata.labels) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) {
      roles.insert(key.substr(kPrefix.size()));
    }
    if (key == "kubernetes.io/role" && !value.empty()) roles.insert(value);
  }
  return Or(Join(roles), "<none>");
}

std::string AddressOf(const Node& node, std::string_view type) {
  for (const auto& address : node.status.addresses) {
    if (address.type == type) return address.address;
  }
  return "<none>";
}

/// PARITY: of conditions of one type the last counts.
std::string NodeStatus(const Node& node) {
  std::string text = "Unknown";
  for (const auto& condition : node.status.conditions) {
    if (condition.type == "Ready") text = condition.status == "True" ? "Ready" : "NotReady";
  }
  if (node.spec.unschedulable) text += ",SchedulingDisabled";
  return text;
}

constexpr Column kNodeColumns[] = {kName,
                                   {"Status"},
                                   {"Roles"},
                                   kAge,
                                   {"Version"},
                                   Wide("Internal-IP"),
                                   Wide("External-IP"),
                                   Wide("OS-Image"),
                                   Wide("Kernel-Version"),
                                   Wide("Container-Runtime")};

Cells NodeCells(const Node& node, WallTime now) {
  const auto& info = node.status.nodeInfo;
  std::string kernel = Or(info.kernelVersion, "<unknown>");
  if (!info.architecture.empty()) kernel += " (" + info.architecture + ")";
  return {node.metadata.name,
          NodeStatus(node),
          RolesOf(node),
          AgeOf(node, now),
          info.kubeletVersion,
          AddressOf(node, "InternalIP"),
          AddressOf(node, "ExternalIP"),
          Or(info.osImage, "<unknown>"),
          kernel,
          Or(info.containerRuntimeVersion, "<unknown>")};
}

constexpr Column kNamespaceColumns[] = {kName, {"Status"}, kAge};

Cells NamespaceCells(const Namespace& space, WallTime now) {
  return {space.metadata.name, space.status.phase, AgeOf(space, now)};
}

constexpr Column kConfigMapColumns[] = {kName, {"Data"}, kAge};

Cells ConfigMapCells(const ConfigMap& map, WallTime now) {
  return {map.metadata.name, Count(map.data) + Count(map.binaryData), AgeOf(map, now)};
}

constexpr Column kQuotaColumns[] = {kName, {"Request"}, {"Limit"}, kAge};

Cells QuotaCells(const ResourceQuota& quota, WallTime now) {
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const auto& [resource, hard] : quota.status.hard) {
    const api::Quantity* const used = quota.status.used.find(resource);
    (resource.starts_with("limits.") ? limits : requests)
        .push_back(resource + ": " + (used != nullptr ? used->ToString() : "0") + "/" +
                   hard.ToString());
  }
  return {quota.metadata.name, Join(requests, ", "), Join(limits, ", "), AgeOf(quota, now)};
}

constexpr Column kComponentColumns[] = {kName, {"Status"}, {"Message"}, {"Error"}};

Cells ComponentCells(const ComponentStatus& component, WallTime /*now*/) {
  for (const auto& condition : component.conditions) {
    if (condition.type != "Healthy") continue;
    return {component.metadata.name, condition.status == "True" ? "Healthy" : "Unhealthy",
            condition.message, condition.error};
  }
  return {component.metadata.name, "Unknown", "", ""};
}

constexpr Column kLeaseColumns[] = {kName, {"Holder"}, kAge};

Cells LeaseCells(const Lease& lease, WallTime now) {
  return {lease.metadata.name, TextOr(lease.spec.holderIdentity, ""), AgeOf(lease, now)};
}

constexpr Column kPriorityClassColumns[] = {
    kName, Integer("Value"), Boolean("Global-Default"), kAge, {"PreemptionPolicy"}};

Cells PriorityClassCells(const PriorityClass& object, WallTime now) {
  return {object.metadata.name, object.value, object.globalDefault, AgeOf(object, now),
          TextOr(object.preemptionPolicy, "")};
}

constexpr Column kRuntimeClassColumns[] = {kName, {"Handler"}, kAge};

Cells RuntimeClassCells(const RuntimeClass& object, WallTime now) {
  return {object.metadata.name, object.handler, AgeOf(object, now)};
}

constexpr Column kFlowSchemaColumns[] = {
    kName, {"PriorityLevel"}, {"MatchingPrecedence"}, {"DistinguisherMethod"}, kAge, {"MissingPL"}};

Cells FlowSchemaCells(const FlowSchema& schema, WallTime now) {
  const auto& spec = schema.spec;
  return {
      schema.metadata.name,    spec.priorityLevelConfiguration.name,
      spec.matchingPrecedence, spec.distinguisherMethod ? spec.distinguisherMethod->type : "<none>",
      AgeOf(schema, now),      Or(ConditionStatus(schema.status.conditions, "Dangling"), "?")};
}

constexpr Column kPriorityLevelColumns[] = {kName,      {"Type"},     {"NominalConcurrencyShares"},
                                            {"Queues"}, {"HandSize"}, {"QueueLengthLimit"},
                                            kAge};

Cells PriorityLevelCells(const PriorityLevelConfiguration& level, WallTime now) {
  Cells cells = {level.metadata.name, level.spec.type, "<none>", "<none>", "<none>", "<none>",
                 AgeOf(level, now)};
  if (const auto& limited = level.spec.limited) {
    cells[2] = limited->nominalConcurrencyShares.value_or(0);
    if (const auto& queuing = limited->limitResponse.queuing) {
      cells[3] = queuing->queues;
      cells[4] = queuing->handSize;
      cells[5] = queuing->queueLengthLimit;
    }
  }
  return cells;
}

constexpr Column kMigrationColumns[] = {{"Name"}, {"Resource"}, {"Status"}};

Cells MigrationCells(const StorageVersionMigration& migration, WallTime /*now*/) {
  std::string status = "Unknown";
  for (const auto& condition : migration.status.conditions) {
    const bool told =
        condition.type == "Running" || condition.type == "Failed" || condition.type == "Succeeded";
    if (told && condition.status == "True") status = condition.type;
  }
  const auto& resource = migration.spec.resource;
  return {migration.metadata.name,
          resource.group.empty() ? resource.resource : resource.resource + "." + resource.group,
          status};
}

constexpr Printer kPrinters[] = {
    For<Node, NodeCells>(kNodeColumns),
    For<Namespace, NamespaceCells>(kNamespaceColumns),
    For<ConfigMap, ConfigMapCells>(kConfigMapColumns),
    For<ResourceQuota, QuotaCells>(kQuotaColumns),
    For<ComponentStatus, ComponentCells>(kComponentColumns),
    For<Lease, LeaseCells>(kLeaseColumns),
    For<PriorityClass, PriorityClassCells>(kPriorityClassColumns),
    For<RuntimeClass, RuntimeClassCells>(kRuntimeClassColumns),
    For<FlowSchema, FlowSchemaCells>(kFlowSchemaColumns),
    For<PriorityLevelConfiguration, PriorityLevelCells>(kPriorityLevelColumns),
    For<StorageVersionMigration, MigrationCells>(kMigrationColumns),
};

}  // namespace

std::span<const Printer> ClusterPrinters() { return kPrinters; }

}  // namespace flyball::sandbox::printing
