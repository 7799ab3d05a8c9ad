#include "flyball/controllers/endpoint_slice/service_slices.h"

#include <algorithm>
#include <string>
#include <utility>

#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/slice_index.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using common::IpFamily;
using common::kHeadlessLabel;
using common::kManagedByLabel;
using common::kServiceNameLabel;
using core::v1::Service;
using discovery::v1::EndpointSlice;
using Labels = api::Map<std::string>;

constexpr std::string_view kNoClusterIp = "None";

bool IsOurs(std::string_view label) {
  return label == kServiceNameLabel || label == kManagedByLabel || label == kHeadlessLabel;
}

Labels WithoutOurs(const Labels& labels) {
  Labels others;
  for (const auto& [key, value] : labels) {
    if (!IsOurs(key)) others.insert_or_assign(key, value);
  }
  return others;
}

bool IsHeadless(const Service& service) {
  return service.spec.clusterIP.empty() || service.spec.clusterIP == kNoClusterIp;
}

Labels LabelsFor(const Service& service) {
  Labels labels = WithoutOurs(service.metadata.labels);
  if (IsHeadless(service)) labels[kHeadlessLabel] = "";
  labels[kServiceNameLabel] = service.metadata.name;
  labels[kManagedByLabel] = kManager;
  return labels;
}

}  // namespace

bool HasSlices(const Service& service) {
  return service.spec.type != "ExternalName" && !service.spec.selector.empty();
}

std::vector<IpFamily> FamiliesOf(const Service& service) {
  std::vector<IpFamily> families;
  for (const std::string& name : service.spec.ipFamilies) {
    for (const IpFamily family : {IpFamily::kV4, IpFamily::kV6}) {
      if (name == ToString(family)) families.push_back(family);
    }
  }
  if (!families.empty()) return families;
  // From a server that knows nothing of families yet.
  if (IsHeadless(service)) return {IpFamily::kV4, IpFamily::kV6};
  const auto address = common::IpAddress::ParseSloppily(service.spec.clusterIP);
  return {address ? address->family : IpFamily::kV4};
}

EndpointSlice NewSlice(const Service& service, IpFamily family,
                       std::vector<discovery::v1::EndpointPort> ports) {
  EndpointSlice slice;
  slice.metadata.namespace_ = service.metadata.namespace_;
  slice.metadata.generateName = service.metadata.name + "-";
  slice.metadata.labels = LabelsFor(service);
  slice.metadata.ownerReferences.push_back(common::ControllerRefTo(service));
  slice.addressType = ToString(family);
  slice.ports = std::move(ports);
  return slice;
}

bool HasLabelsOf(const Service& service, const EndpointSlice& slice) {
  return WithoutOurs(service.metadata.labels) == WithoutOurs(slice.metadata.labels);
}

bool IsOwnedBy(const Service& service, const EndpointSlice& slice) {
  return std::ranges::any_of(slice.metadata.ownerReferences, [&](const auto& owner) {
    return owner.uid == service.metadata.uid && owner.kind == "Service" && owner.apiVersion == "v1";
  });
}

bool LookTheSame(const EndpointSlice& a, const EndpointSlice& b) {
  return a.metadata.namespace_ == b.metadata.namespace_ && a.metadata.labels == b.metadata.labels &&
         a.addressType == b.addressType && a.ports == b.ports && a.endpoints == b.endpoints;
}

bool WantsZoneHints(const Service& service) {
  const auto& annotations = service.metadata.annotations;
  const std::string* mode = annotations.find("service.kubernetes.io/topology-aware-hints");
  if (mode == nullptr) mode = annotations.find("service.kubernetes.io/topology-mode");
  return mode != nullptr && (*mode == "Auto" || *mode == "auto");
}

std::optional<std::string_view> TrafficDistributionOf(const Service& service) {
  const auto& said = service.spec.trafficDistribution;
  if (!said || WantsZoneHints(service)) return std::nullopt;
  if (*said == "PreferClose" || *said == "PreferSameZone" || *said == "PreferSameNode") {
    return *said;
  }
  return std::nullopt;
}

}  // namespace flyball::controllers::endpoint_slice
