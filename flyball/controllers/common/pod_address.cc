#include "flyball/controllers/common/pod_address.h"

namespace flyball::controllers::common {

std::vector<std::string> AddressesOf(const views::Pod& pod, IpFamily family) {
  std::vector<std::string> addresses;
  for (const auto& its : pod.status.podIPs) {
    const auto address = IpAddress::ParseSloppily(its.ip.view());
    if (address && address->family == family) addresses.push_back(address->ToString());
  }
  return addresses;
}

bool CanBeEndpoint(const views::Pod& pod) {
  if (pod.status.phase == "Succeeded" || pod.status.phase == "Failed") return false;
  return !pod.status.podIP.empty() || !pod.status.podIPs.empty();
}

bool HasHostnameIn(const views::Pod& pod, const core::v1::Service& service) {
  return !pod.spec.hostname.empty() && pod.spec.subdomain == service.metadata.name &&
         pod.metadata.namespace_ == service.metadata.namespace_;
}

}  // namespace flyball::controllers::common
