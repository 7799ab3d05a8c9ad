#include <algorithm>
#include <set>
#include <utility>

#include "flyball/base/stable_sort.h"
#include "flyball/ctl/describe/describers.h"

namespace flyball::ctl::describe {
namespace {

using core::v1::ResourceList;

std::string RolesText(const core::v1::Node& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : node.metadata.labels) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) {
      roles.insert(key.substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && !value.empty()) {
      roles.insert(value);
    }
  }
  return OrNone(Join({roles.begin(), roles.end()}, ","));
}

void AddTaints(std::vector<core::v1::Taint> taints, Description& out) {
  StableSort(taints, {},
             [](const core::v1::Taint& taint) { return taint.effect + "," + taint.key; });
  std::vector<std::string> texts;
  for (const auto& taint : taints) {
    std::string text = taint.key;
    if (!taint.value.empty()) text += "=" + taint.value;
    if (!taint.value.empty() || !taint.effect.empty()) text += ":" + taint.effect;
    texts.push_back(std::move(text));
  }
  out.Column("Taints", texts);
}

void AddLease(const NodeSurroundings& surroundings, Description& out) {
  if (!surroundings.lease) {
    out.Field(0, "Lease", "Failed to get lease: " + surroundings.lease_error);
    return;
  }
  const auto date = [](const std::optional<api::MicroTime>& time) {
    if (!time) return std::string("<unset>");
    return DateText(api::Time(time->ToWallTime()));
  };
  const auto& spec = surroundings.lease->spec;
  out.Line(0, "Lease:");
  out.Field(1, "HolderIdentity", spec.holderIdentity.value_or("<unset>"));
  out.Field(1, "AcquireTime", date(spec.acquireTime));
  out.Field(1, "RenewTime", date(spec.renewTime));
}

void AddConditions(const core::v1::Node& node, Description& out) {
  if (node.status.conditions.empty()) return;
  out.Line(0,
           "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
  out.Line(1, "----\t------\t-----------------\t------------------\t------\t-------");
  for (const auto& condition : node.status.conditions) {
    out.Line(1, condition.type + " \t" + condition.status + " \t" +
                    DateText(condition.lastHeartbeatTime) + " \t" +
                    DateText(condition.lastTransitionTime) + " \t" + condition.reason + " \t" +
                    condition.message);
  }
}

void AddAmounts(std::string_view title, const ResourceList& amounts, Description& out) {
  if (amounts.empty()) return;
  out.Line(0, title);
  for (const auto& [name, quantity] : amounts) out.Field(1, name, quantity.ToString());
}

void AddSystem(const core::v1::Node& node, Description& out) {
  const auto& info = node.status.nodeInfo;
  out.Line(0, "System Info:");
  out.Field(1, "Machine ID", info.machineID);
  out.Field(1, "System UUID", info.systemUUID);
  out.Field(1, "Boot ID", info.bootID);
  out.Field(1, "Kernel Version", info.kernelVersion);
  out.Field(1, "OS Image", info.osImage);
  out.Field(1, "Operating System", info.operatingSystem);
  out.Field(1, "Architecture", info.architecture);
  out.Field(1, "Container Runtime Version", info.containerRuntimeVersion);
  out.Field(1, "Kubelet Version", info.kubeletVersion);
  if (!node.spec.podCIDR.empty()) out.Field(0, "PodCIDR", node.spec.podCIDR);
  if (!node.spec.podCIDRs.empty()) out.Field(0, "PodCIDRs", Join(node.spec.podCIDRs, ","));
  if (!node.spec.providerID.empty()) out.Field(0, "ProviderID", node.spec.providerID);
}

void Add(const ResourceList& amounts, ResourceList& to) {
  for (const auto& [name, quantity] : amounts) to[name].Add(quantity);
}

void RaiseTo(const ResourceList& amounts, ResourceList& to) {
  for (const auto& [name, quantity] : amounts) {
    const api::Quantity* const there = to.find(name);
    if (there == nullptr || *there < quantity) to[name] = quantity;
  }
}

using Amounts = ResourceList core::v1::ResourceRequirements::*;

/// What a pod takes: its containers together; or, if that is more, what it takes to start one of
/// its init containers beside those that stay. What it says for itself as a whole counts before
/// that.
ResourceList AmountsOf(const core::v1::Pod& pod, Amounts amounts) {
  ResourceList running;
  for (const auto& container : pod.spec.containers) Add(container.resources.*amounts, running);
  ResourceList staying;
  ResourceList starting;
  for (const auto& container : pod.spec.initContainers) {
    ResourceList here = staying;
    Add(container.resources.*amounts, here);
    if (container.restartPolicy == "Always") {
      staying = here;
      Add(container.resources.*amounts, running);
    }
    RaiseTo(here, starting);
  }
  RaiseTo(starting, running);
  if (pod.spec.resources) {
    for (const auto& [name, quantity] : (*pod.spec.resources).*amounts) running[name] = quantity;
  }
  for (const auto& [name, quantity] : pod.spec.overhead) {
    // Nobody limits what has no limit.
    const bool limits = amounts == &core::v1::ResourceRequirements::limits;
    if (!limits || running.contains(name)) running[name].Add(quantity);
  }
  return running;
}

/// "100m (5%)".
std::string ShareText(const ResourceList& amounts, const ResourceList& allocatable,
                      std::string_view name) {
  const auto units = [&](const ResourceList& list) {
    const api::Quantity* const found = list.find(name);
    if (found == nullptr) return 0.0;
    return static_cast<double>(name == "cpu" ? found->MilliValue() : found->Value());
  };
  const api::Quantity* const found = amounts.find(name);
  const double whole = units(allocatable);
  const auto percent = whole == 0 ? 0 : static_cast<std::int64_t>(units(amounts) / whole * 100);
  return (found == nullptr ? "0" : found->ToString()) + " (" + std::to_string(percent) + "%)";
}

bool IsStandard(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || name == "pods";
}

void AddPods(const core::v1::Node& node, const std::vector<core::v1::Pod>& pods, WallTime now,
             Description& out) {
  const ResourceList& allocatable =
      node.status.allocatable.empty() ? node.status.capacity : node.status.allocatable;
  out.Field(0, "Non-terminated Pods", "(" + std::to_string(pods.size()) + " in total)");
  out.Line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
  out.Line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
  ResourceList requests;
  ResourceList limits;
  for (const core::v1::Pod& pod : pods) {
    const ResourceList wants = AmountsOf(pod, &core::v1::ResourceRequirements::requests);
    const ResourceList may = AmountsOf(pod, &core::v1::ResourceRequirements::limits);
    Add(wants, requests);
    Add(may, limits);
    const auto share = [&](const ResourceList& amounts, std::string_view name) {
      return ShareText(amounts, allocatable, name) + "\t";
    };
    out.Line(1, pod.metadata.namespace_ + "\t" + pod.metadata.name + "\t\t" + share(wants, "cpu") +
                    share(may, "cpu") + share(wants, "memory") + share(may, "memory") +
                    Since(pod.metadata.creationTimestamp, now));
  }
  out.Line(0,
           "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)");
  out.Line(1, "Resource\tRequests\tLimits");
  out.Line(1, "--------\t--------\t------");
  const auto add_share = [&](const std::string& name) {
    out.Line(1, name + "\t" + ShareText(requests, allocatable, name) + "\t" +
                    ShareText(limits, allocatable, name));
  };
  for (const char* name : {"cpu", "memory", "ephemeral-storage"}) add_share(name);
  for (const auto& [name, quantity] : allocatable) {
    if (name.starts_with("hugepages-")) add_share(name);
  }
  const auto text = [](const ResourceList& amounts, const std::string& name) {
    const api::Quantity* const found = amounts.find(name);
    return found == nullptr ? "0" : found->ToString();
  };
  for (const auto& [name, quantity] : allocatable) {
    if (IsStandard(name) || name.starts_with("hugepages-")) continue;
    out.Line(1, name + "\t" + text(requests, name) + "\t" + text(limits, name));
  }
}

}  // namespace

void AddNode(const core::v1::Node& node, const NodeSurroundings& surroundings, WallTime now,
             Description& out) {
  out.Field(0, "Name", node.metadata.name);
  out.Field(0, "Roles", RolesText(node));
  out.Labels("Labels", node.metadata.labels);
  out.Annotations("Annotations", node.metadata.annotations);
  out.Field(0, "CreationTimestamp", DateText(node.metadata.creationTimestamp));
  AddTaints(node.spec.taints, out);
  out.Field(0, "Unschedulable", node.spec.unschedulable ? "true" : "false");
  AddLease(surroundings, out);
  AddConditions(node, out);
  out.Line(0, "Addresses:");
  for (const auto& address : node.status.addresses) out.Field(1, address.type, address.address);
  AddAmounts("Capacity:", node.status.capacity, out);
  AddAmounts("Allocatable:", node.status.allocatable, out);
  AddSystem(node, out);
  if (surroundings.pods) {
    AddPods(node, *surroundings.pods, now, out);
  } else {
    out.Field(0, "Pods", "not authorized");
  }
}

namespace {

std::string ScopeHelp(std::string_view scope) {
  constexpr std::pair<std::string_view, std::string_view> kHelp[] = {
      {"Terminating",
       "Matches all pods that have an active deadline. These pods have a limited lifespan on a "
       "node before being actively terminated by the system."},
      {"NotTerminating",
       "Matches all pods that do not have an active deadline. These pods usually include long "
       "running pods whose container command is not expected to terminate."},
      {"BestEffort",
       "Matches all pods that do not have resource requirements set. These pods have a best effort "
       "quality of service."},
      {"NotBestEffort",
       "Matches all pods that have at least one resource requirement set. These pods have a "
       "burstable or guaranteed quality of service."},
  };
  for (const auto& [name, help] : kHelp) {
    if (name == scope) return std::string(help);
  }
  return {};
}

void AddQuotas(std::vector<core::v1::ResourceQuota> quotas, Description& out) {
  out.Line(0, "");
  if (quotas.empty()) {
    out.Line(0, "No resource quota.");
    return;
  }
  StableSort(quotas, {}, [](const core::v1::ResourceQuota& quota) { return quota.metadata.name; });
  out.Line(0, "Resource Quotas");
  for (const auto& quota : quotas) {
    out.Field(1, "Name", quota.metadata.name);
    std::vector<std::string> scopes = quota.spec.scopes;
    std::ranges::sort(scopes);
    if (!scopes.empty()) out.Field(1, "Scopes", Join(scopes, ", "));
    for (const std::string& scope : scopes) {
      if (const std::string help = ScopeHelp(scope); !help.empty()) out.Line(1, "* " + help);
    }
    out.Line(1, "Resource\tUsed\tHard");
    out.Line(1, "--------\t---\t---");
    for (const auto& [name, hard] : quota.status.hard) {
      const api::Quantity* const used = quota.status.used.find(name);
      out.Line(1,
               name + "\t" + (used == nullptr ? "0" : used->ToString()) + "\t" + hard.ToString());
    }
  }
}

void AddLimits(const std::vector<core::v1::LimitRange>& ranges, Description& out) {
  out.Line(0, "");
  if (ranges.empty()) {
    out.Line(0, "No LimitRange resource.");
    return;
  }
  out.Line(0,
           "Resource Limits\n Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax "
           "Limit/Request Ratio");
  out.Line(0, " ----\t--------\t---\t---\t---------------\t-------------\t-----------------------");
  for (const auto& range : ranges) {
    for (const auto& item : range.spec.limits) {
      const ResourceList* const lists[] = {&item.min, &item.max, &item.defaultRequest,
                                           &item.default_, &item.maxLimitRequestRatio};
      std::set<std::string> names;
      for (const ResourceList* list : lists) {
        for (const auto& [name, quantity] : *list) names.insert(name);
      }
      for (const std::string& name : names) {
        std::string line = " " + item.type + "\t" + name;
        for (const ResourceList* list : lists) {
          const api::Quantity* const found = list->find(name);
          line += "\t" + (found == nullptr ? std::string("-") : found->ToString());
        }
        out.Line(0, line);
      }
    }
  }
}

}  // namespace

void AddNamespace(const core::v1::Namespace& name_space,
                  std::vector<core::v1::ResourceQuota> quotas,
                  const std::vector<core::v1::LimitRange>& limits, Description& out) {
  out.Field(0, "Name", name_space.metadata.name);
  out.Labels("Labels", name_space.metadata.labels);
  out.Annotations("Annotations", name_space.metadata.annotations);
  out.Field(0, "Status", name_space.status.phase);
  if (!name_space.status.conditions.empty()) {
    out.Line(0, "Conditions:");
    out.Line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage");
    out.Line(1, "----\t------\t------------------\t------\t-------");
    for (const auto& condition : name_space.status.conditions) {
      out.Line(1, condition.type + "\t" + condition.status + "\t" +
                      DateText(condition.lastTransitionTime) + "\t" + condition.reason + "\t" +
                      condition.message);
    }
  }
  AddQuotas(std::move(quotas), out);
  AddLimits(limits, out);
}

}  // namespace flyball::ctl::describe
