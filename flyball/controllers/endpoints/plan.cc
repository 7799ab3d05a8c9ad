#include "flyball/controllers/endpoints/plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "flyball/controllers/common/endpoint_ports.h"
#include "flyball/controllers/common/endpoint_subsets.h"
#include "flyball/controllers/common/pod_address.h"
#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::endpoints {
namespace {

using common::IpFamily;
using core::v1::EndpointAddress;
using core::v1::EndpointPort;
using core::v1::ServicePort;
using views::Pod;
using Labels = api::Map<std::string>;

constexpr std::string_view kManagedByLabel = "endpoints.kubernetes.io/managed-by";
constexpr std::string_view kManagedBy = "endpoint-controller";
constexpr std::string_view kHeadlessLabel = "service.kubernetes.io/headless";
constexpr std::string_view kTriggerTime = "endpoints.kubernetes.io/last-change-trigger-time";
constexpr std::string_view kOverCapacity = "endpoints.kubernetes.io/over-capacity";
constexpr std::string_view kLeader = "control-plane.alpha.kubernetes.io/leader";

bool IsHeadless(const Service& service) { return service.spec.clusterIP == "None"; }

IpFamily FamilyOfText(std::string_view text) {
  const auto address = common::IpAddress::ParseSloppily(text);
  return address ? address->family : IpFamily::kV4;
}

/// Of the addresses of both families that there may be, Endpoints have the service's first.
IpFamily FamilyOf(const Service& service, const Pod& pod) {
  const auto& families = service.spec.ipFamilies;
  if (!families.empty()) return families[0] == "IPv6" ? IpFamily::kV6 : IpFamily::kV4;
  // A server fills them in, but what it has from before it did may say nothing.
  if (!service.spec.clusterIP.empty() && !IsHeadless(service)) {
    return FamilyOfText(service.spec.clusterIP);
  }
  return FamilyOfText(pod.status.podIP);
}

/// None if the pod has no address of the family, as on a node that has but the other.
std::optional<EndpointAddress> AddressOf(const Service& service, const Pod& pod) {
  auto addresses = common::AddressesOf(pod, FamilyOf(service, pod));
  if (addresses.empty()) return std::nullopt;
  EndpointAddress address;
  address.ip = std::move(addresses.front());
  address.nodeName = std::string(pod.spec.nodeName);
  if (common::HasHostnameIn(pod, service)) address.hostname = pod.spec.hostname.view();
  core::v1::ObjectReference& target = address.targetRef.emplace();
  target.kind = "Pod";
  target.namespace_ = pod.metadata.namespace_.view();
  target.name = pod.metadata.name.view();
  target.uid = pod.metadata.uid.view();
  return address;
}

std::optional<EndpointPort> PortOn(const Pod& pod, const ServicePort& of_service) {
  const auto number = common::FindPort(pod, of_service);
  if (!number) return std::nullopt;
  EndpointPort port;
  port.name = of_service.name;
  port.port = *number;
  port.protocol = of_service.protocol;
  port.appProtocol = of_service.appProtocol;
  return port;
}

/// The ports of a service that a pod has. Null if it cannot be one of its endpoints: it has none of
/// them, or the service has none and is not such that people may do without.
std::optional<std::vector<EndpointPort>> PortsOn(const Pod& pod, const Service& service) {
  std::vector<EndpointPort> ports;
  if (service.spec.ports.empty()) {
    if (IsHeadless(service)) return ports;
    return std::nullopt;
  }
  for (const ServicePort& of_service : service.spec.ports) {
    if (auto port = PortOn(pod, of_service)) ports.push_back(*std::move(port));
  }
  if (ports.empty()) return std::nullopt;
  return ports;
}

std::size_t CountOf(const std::vector<EndpointSubset>& subsets,
                    std::vector<EndpointAddress> EndpointSubset::* member) {
  std::size_t count = 0;
  for (const EndpointSubset& subset : subsets) count += (subset.*member).size();
  return count;
}
std::size_t ReadyIn(const std::vector<EndpointSubset>& subsets) {
  return CountOf(subsets, &EndpointSubset::addresses);
}
std::size_t NotReadyIn(const std::vector<EndpointSubset>& subsets) {
  return CountOf(subsets, &EndpointSubset::notReadyAddresses);
}

/// Leaves so many of those with a state, of each subset its share, rounded up; the last gets what
/// is left.
void Share(std::vector<EndpointSubset>& subsets,
           std::vector<EndpointAddress> EndpointSubset::* member, std::size_t most) {
  const std::size_t total = CountOf(subsets, member);
  std::size_t left = most;
  for (EndpointSubset& subset : subsets) {
    auto& addresses = subset.*member;
    const double part = static_cast<double>(addresses.size()) / static_cast<double>(total);
    const auto share = static_cast<std::size_t>(std::ceil(part * static_cast<double>(most)));
    addresses.resize(std::min({addresses.size(), share, left}));
    left -= addresses.size();
  }
}

/// Of pods that were written meanwhile in a way that means nothing here.
std::vector<EndpointSubset> WithoutVersions(std::vector<EndpointSubset> subsets) {
  for (EndpointSubset& subset : subsets) {
    for (auto* const addresses : {&subset.addresses, &subset.notReadyAddresses}) {
      for (EndpointAddress& address : *addresses) {
        if (address.targetRef) address.targetRef->resourceVersion.clear();
      }
    }
  }
  return subsets;
}

bool SayTheSame(const std::vector<EndpointSubset>& current,
                const std::vector<EndpointSubset>& wanted) {
  const auto plain = WithoutVersions(current);
  // A release with other hashes may have written them in another order.
  return plain == wanted || common::Repacked(plain) == wanted;
}

/// Those of the service, and who looks after the Endpoints.
Labels LabelsFor(const Service& service) {
  Labels labels = service.metadata.labels;
  // PARITY: also where there is no address yet.
  if (service.spec.clusterIP.empty() || IsHeadless(service)) {
    labels[kHeadlessLabel] = "";
  } else {
    labels.erase(kHeadlessLabel);
  }
  labels[kManagedByLabel] = kManagedBy;
  return labels;
}

/// PARITY: whether they say that the service is headless is not looked at.
bool HasLabelsOf(const Service& service, const Endpoints& endpoints) {
  const std::string* const manager = endpoints.metadata.labels.find(kManagedByLabel);
  if (manager == nullptr || *manager != kManagedBy) return false;
  Labels ours = endpoints.metadata.labels;
  ours.erase(kManagedByLabel);
  ours.erase(kHeadlessLabel);
  return ours == service.metadata.labels;
}

/// PARITY: those that were cut are looked at anew each time: what was left out may have changed.
bool IsWithinCapacity(const Endpoints& endpoints) {
  return ReadyIn(endpoints.subsets) + NotReadyIn(endpoints.subsets) <= kCapacity &&
         !endpoints.metadata.annotations.contains(kOverCapacity);
}

}  // namespace

bool IsKept(const Service& service) {
  return service.spec.type != "ExternalName" && !service.spec.selector.empty();
}

bool IsLock(const Endpoints& endpoints) { return endpoints.metadata.annotations.contains(kLeader); }

std::vector<EndpointSubset> SubsetsOf(const Service& service, const std::vector<PodRef>& pods) {
  const bool with_unready = service.spec.publishNotReadyAddresses;
  std::vector<EndpointSubset> subsets;
  for (const PodRef& pod : pods) {
    if (!common::CanBeEndpoint(*pod)) continue;
    if (pod->metadata.deletionTimestamp && !with_unready) continue;
    auto address = AddressOf(service, *pod);
    if (!address) continue;
    auto ports = PortsOn(*pod, service);
    if (!ports) continue;
    EndpointSubset& subset = subsets.emplace_back();
    subset.ports = *std::move(ports);
    const bool ready = with_unready || common::IsReady(*pod);
    (ready ? subset.addresses : subset.notReadyAddresses).push_back(*std::move(address));
  }
  return common::Repacked(subsets);
}

bool Truncate(std::vector<EndpointSubset>& subsets) {
  const std::size_t ready = ReadyIn(subsets);
  if (ready + NotReadyIn(subsets) <= kCapacity) return false;
  if (ready > kCapacity) {
    for (EndpointSubset& subset : subsets) subset.notReadyAddresses.clear();
    Share(subsets, &EndpointSubset::addresses, kCapacity);
  } else {
    Share(subsets, &EndpointSubset::notReadyAddresses, kCapacity - ready);
  }
  return true;
}

std::string Plan::ToString() const {
  if (action == Action::kLeave) return "leave them";
  const bool cut = endpoints.metadata.annotations.contains(kOverCapacity);
  return std::string(action == Action::kCreate ? "create" : "update") + " with " +
         std::to_string(ReadyIn(endpoints.subsets)) + " ready and " +
         std::to_string(NotReadyIn(endpoints.subsets)) + " other addresses" +
         (cut ? ", more than that there is no room for" : "");
}

Plan PlanFor(const Service& service, const std::vector<PodRef>& pods, const Endpoints* current,
             api::Time triggered) {
  std::vector<EndpointSubset> subsets = SubsetsOf(service, pods);
  if (current != nullptr && HasLabelsOf(service, *current) && IsWithinCapacity(*current) &&
      SayTheSame(current->subsets, subsets)) {
    return {};
  }
  Plan plan{.action = current == nullptr ? Plan::Action::kCreate : Plan::Action::kUpdate};
  Endpoints& endpoints = plan.endpoints;
  if (current != nullptr) {
    endpoints = *current;
  } else {
    endpoints.metadata.namespace_ = service.metadata.namespace_;
    endpoints.metadata.name = service.metadata.name;
  }
  endpoints.metadata.labels = LabelsFor(service);
  auto& annotations = endpoints.metadata.annotations;
  annotations.erase(kTriggerTime);
  if (!triggered.IsZero()) annotations[kTriggerTime] = triggered.ToString();
  annotations.erase(kOverCapacity);
  if (Truncate(subsets)) annotations[kOverCapacity] = "truncated";
  endpoints.subsets = std::move(subsets);
  // DIVERGES: upstream writes those that were cut each time, also where that changes nothing.
  if (current != nullptr && endpoints == *current) return {};
  endpoints.metadata.managedFields.clear();
  return plan;
}

}  // namespace flyball::controllers::endpoints
