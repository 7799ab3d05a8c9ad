#include "flyball/api/core/v1.h"
#include "flyball/api/internal/default_rule.h"
#include "flyball/api/resource/v1.h"
#include "flyball/api/scheduling/v1.h"

/// Defaults of a cluster's furniture: namespaces with their limits and secrets, nodes, devices,
/// priorities.
namespace flyball::api {
namespace {

using namespace core::v1;
using resource::v1::DeviceSubRequest;
using resource::v1::DeviceToleration;
using resource::v1::ExactDeviceRequest;
using resource::v1::ResourceClaim;
using resource::v1::ResourceClaimTemplate;
using scheduling::v1::PriorityClass;

/// So that a selector can name a namespace.
void LabelWithName(Namespace& ns) {
  if (ns.metadata.name.empty()) return;  // it comes later, from generateName
  ns.metadata.labels.insert_or_assign("kubernetes.io/metadata.name", ns.metadata.name);
}

// DIVERGES: a list that is there and empty is none here, and gets the default; upstream keeps one
// that came as JSON. No kubelet writes it.
void AllocateWhatIsThere(NodeStatus& status) {
  if (status.allocatable.empty()) status.allocatable = status.capacity;
}

void AddMissing(ResourceList& list, const ResourceList& from) {
  for (const auto& [name, quantity] : from) {
    if (!list.contains(name)) list.insert_or_assign(name, quantity);
  }
}

/// The most allowed is the default limit, and the default limit, then the least allowed, the
/// default request.
void CompleteContainerLimits(LimitRangeItem& item) {
  if (item.type != "Container") return;
  AddMissing(item.default_, item.max);
  AddMissing(item.defaultRequest, item.default_);
  AddMissing(item.defaultRequest, item.min);
}

template <typename T>
void RequestOneDevice(T& request) {
  if (request.allocationMode == "ExactCount" && request.count == 0) request.count = 1;
}

// A ConfigMap's default is empty data, which is the same here as none. Taints of devices get the
// time at which they were set, which is not a constant: ResourceSlice and DeviceTaintRule are left
// out.
constexpr const TypeInfo* kKinds[] = {
    &LimitRange::kType,    &Namespace::kType,     &Node::kType,
    &PriorityClass::kType, &ResourceClaim::kType, &ResourceClaimTemplate::kType,
    &ResourceQuota::kType, &Secret::kType,
};

constexpr DefaultRule kRules[] = {
    Compute<LabelWithName>(),
    Default<&NamespaceStatus::phase>("Active"),

    Compute<CompleteContainerLimits>(),
    RoundUpToMilli<&LimitRangeItem::max>(),
    RoundUpToMilli<&LimitRangeItem::min>(),
    RoundUpToMilli<&LimitRangeItem::default_>(),
    RoundUpToMilli<&LimitRangeItem::defaultRequest>(),
    RoundUpToMilli<&LimitRangeItem::maxLimitRequestRatio>(),

    RoundUpToMilli<&ResourceQuotaSpec::hard>(),
    RoundUpToMilli<&ResourceQuotaStatus::hard>(),
    RoundUpToMilli<&ResourceQuotaStatus::used>(),

    Compute<AllocateWhatIsThere>(),
    RoundUpToMilli<&NodeStatus::capacity>(),
    RoundUpToMilli<&NodeStatus::allocatable>(),

    Default<&Secret::type>("Opaque"),

    Default<&PriorityClass::preemptionPolicy>("PreemptLowerPriority"),

    Default<&ExactDeviceRequest::allocationMode>("ExactCount"),
    Compute<RequestOneDevice<ExactDeviceRequest>>(),
    Default<&DeviceSubRequest::allocationMode>("ExactCount"),
    Compute<RequestOneDevice<DeviceSubRequest>>(),
    Default<&DeviceToleration::operator_>("Equal"),
};

}  // namespace

constexpr DefaultTable kClusterDefaults = {kKinds, kRules};

}  // namespace flyball::api
