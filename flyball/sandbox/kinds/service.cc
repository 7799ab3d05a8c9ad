#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/service_allocation.h"
#include "flyball/sandbox/kinds/service_checks.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using core::v1::Service;
using core::v1::ServicePort;

bool SameNodePorts(const Service& a, const Service& b) {
  const auto ports = [](const Service& service) {
    std::vector<std::int32_t> numbers;
    for (const ServicePort& port : service.spec.ports) numbers.push_back(port.nodePort);
    std::ranges::sort(numbers);
    return numbers;
  };
  return ports(a) == ports(b);
}

bool IsReachableFromOutside(const Service& service) {
  return service.spec.type == "LoadBalancer" || service.spec.type == "NodePort" ||
         (service.spec.type == "ClusterIP" && !service.spec.externalIPs.empty());
}

/// What a service's new type has no use for goes, unless its author changed that as well.
void DropUnused(Service& now, const Service& before) {
  auto& spec = now.spec;
  const auto& old = before.spec;
  if (NeedsClusterIp(before) && !NeedsClusterIp(now)) {
    if (spec.clusterIPs == old.clusterIPs) {
      spec.clusterIP.clear();
      spec.clusterIPs.clear();
    }
    if (spec.ipFamilies == old.ipFamilies) spec.ipFamilies.clear();
    if (spec.ipFamilyPolicy == old.ipFamilyPolicy) spec.ipFamilyPolicy.reset();
    if (spec.internalTrafficPolicy == old.internalTrafficPolicy) spec.internalTrafficPolicy.reset();
  }
  if (NeedsNodePorts(before) && !NeedsNodePorts(now) && SameNodePorts(now, before)) {
    for (ServicePort& port : spec.ports) port.nodePort = 0;
  }
  if (NeedsHealthPort(before) && !NeedsHealthPort(now) &&
      spec.healthCheckNodePort == old.healthCheckNodePort) {
    spec.healthCheckNodePort = 0;
  }
  if (old.type == "LoadBalancer" && spec.type != "LoadBalancer") {
    if (spec.allocateLoadBalancerNodePorts == old.allocateLoadBalancerNodePorts) {
      spec.allocateLoadBalancerNodePorts.reset();
    }
    if (spec.loadBalancerClass == old.loadBalancerClass) spec.loadBalancerClass.reset();
  }
  if (IsReachableFromOutside(before) && !IsReachableFromOutside(now) &&
      spec.externalTrafficPolicy == old.externalTrafficPolicy) {
    spec.externalTrafficPolicy.clear();
  }
  if (spec.type != "LoadBalancer") now.status.loadBalancer = {};
}

class ServiceKind final : public StrategyFor<Service> {
  NameRule names() const override { return NameRule::kLabel; }

  StatusOr<> AdmitNew(Service& service, const Write& write) const override {
    return AllocateNew(service, write);
  }

  StatusOr<> AdmitChange(Service& now, const Service& before, const Write& write) const override {
    if (!write.subresource.empty()) return {};
    return AllocateChange(now, before, write);
  }

  void PrepareChange(Service& now, const Service& before, const Write& write) const override {
    if (write.subresource.empty()) DropUnused(now, before);
  }

  FieldErrors CheckNew(const Service& service, const Write&) const override {
    return CheckService(service);
  }

  FieldErrors CheckChange(const Service& now, const Service& before,
                          const Write& write) const override {
    if (!write.subresource.empty()) return {};
    FieldErrors errors = CheckServiceChange(now, before);
    for (FieldError& error : CheckService(now)) errors.push_back(std::move(error));
    return errors;
  }
};

}  // namespace

const RestStrategy& ServiceRestStrategy() {
  static const ServiceKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox
