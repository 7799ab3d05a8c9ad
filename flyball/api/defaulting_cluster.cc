#include "flyball/api/core/v1.h"
#include "flyball/api/internal/default_rule.h"
#include "flyball/api/resource/v1.h"
#include "flyball/api/scheduling/v1.h"

/// Defaults of a cluster's furniture: namespaces with their limits and secrets, nodes, devices,
/// priorities.
namespace flyball::api {
namespace {

namespace v1 = core::v1;

/// So that a selector can name a namespace.
void LabelWithName(v1::Namespace& ns) {
  if (ns.metadata.name.empty()) return;  // it comes later, from generateName
  ns.metadata.labels.insert_or_assign("kubernetes.io/metadata.name", ns.metadata.name);
}

// DIVERGES: a list that is there and empty is none here, and gets the default; upstream keeps one
// that came as JSON. No kubelet writes it.
void AllocateWhatIsThere(v1::NodeStatus& status) {
  if (status.allocatable.empty()) status.allocatable = status.capacity;
}

void AddMissing(v1::ResourceList& list, const v1::ResourceList& from) {
  for (const auto& [name, quantity] : from) {
    if (!list.contains(name)) list.insert_or_assign(name, quantity);
  }
}

/// The most allowed is the default limit, and the default limit, then the least allowed, the
/// default request.
void CompleteContainerLimits(v1::LimitRangeItem& item) {
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
    &v1::LimitRange::kType,
    &v1::Namespace::kType,
    &v1::Node::kType,
    &scheduling::v1::PriorityClass::kType,
    &resource::v1::ResourceClaim::kType,
    &resource::v1::ResourceClaimTemplate::kType,
    &v1::ResourceQuota::kType,
    &v1::Secret::kType,
};

constexpr DefaultRule kRules[] = {
    Compute<LabelWithName>(),
    Default<&v1::NamespaceStatus::phase>("Active"),

    Compute<CompleteContainerLimits>(),
    RoundUpToMilli<&v1::LimitRangeItem::max>(),
    RoundUpToMilli<&v1::LimitRangeItem::min>(),
    RoundUpToMilli<&v1::LimitRangeItem::default_>(),
    RoundUpToMilli<&v1::LimitRangeItem::defaultRequest>(),
    RoundUpToMilli<&v1::LimitRangeItem::maxLimitRequestRatio>(),

    RoundUpToMilli<&v1::ResourceQuotaSpec::hard>(),
    RoundUpToMilli<&v1::ResourceQuotaStatus::hard>(),
    RoundUpToMilli<&v1::ResourceQuotaStatus::used>(),

    Compute<AllocateWhatIsThere>(),
    RoundUpToMilli<&v1::NodeStatus::capacity>(),
    RoundUpToMilli<&v1::NodeStatus::allocatable>(),

    Default<&v1::Secret::type>("Opaque"),

    Default<&scheduling::v1::PriorityClass::preemptionPolicy>("PreemptLowerPriority"),

    Default<&resource::v1::ExactDeviceRequest::allocationMode>("ExactCount"),
    Compute<RequestOneDevice<resource::v1::ExactDeviceRequest>>(),
    Default<&resource::v1::DeviceSubRequest::allocationMode>("ExactCount"),
    Compute<RequestOneDevice<resource::v1::DeviceSubRequest>>(),
    Default<&resource::v1::DeviceToleration::operator_>("Equal"),
};

}  // namespace

constexpr DefaultTable kClusterDefaults = {kKinds, kRules};

}  // namespace flyball::api
