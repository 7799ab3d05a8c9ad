#include "flyball/sandbox/kinds/service_allocation.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/sandbox/kinds/service_checks.h"
#include "flyball/sandbox/kinds/service_ranges.h"

namespace flyball::sandbox {
namespace {

using core::v1::Service;
using core::v1::ServicePort;

std::unexpected<ApiStatusError> Wrong(const Service& service, FieldError error) {
  return std::unexpected(Invalid("", "Service", service.metadata.name, {std::move(error)}));
}

std::optional<bool> HasAddress(const StrategyContext& context, const NumberPool::Holder& holder,
                               std::int64_t address) {
  const auto service = context.Get<Service>("services", holder.namespace_, holder.name);
  if (!service || service->metadata.uid != holder.uid) return std::nullopt;
  const auto& all = service->spec.clusterIPs;
  return std::ranges::find(all, AddressText(address)) != all.end();
}

std::optional<bool> HasPort(const StrategyContext& context, const NumberPool::Holder& holder,
                            std::int64_t number) {
  const auto service = context.Get<Service>("services", holder.namespace_, holder.name);
  if (!service || service->metadata.uid != holder.uid) return std::nullopt;
  const auto is_it = [&](const ServicePort& port) { return port.nodePort == number; };
  return service->spec.healthCheckNodePort == number ||
         std::ranges::any_of(service->spec.ports, is_it);
}

NumberPool::Holder HolderOf(const Service& service) {
  return {service.metadata.namespace_, service.metadata.name, service.metadata.uid};
}

/// As who the service takes numbers in this write.
NumberPool::Holder TakerOf(const Service& service, const Write& write) {
  NumberPool::Holder taker = HolderOf(service);
  taker.only_asks = write.dry_run;
  return taker;
}

/// The ranges, with all in them that was stored before the server started.
ServiceRanges& RangesOf(const Write& write) {
  ServiceRanges& ranges = write.context.ranges();
  ranges.LoadOnce([&](ServiceRanges& empty) {
    for (const RecordPtr& record : write.context.List("services", "")) {
      const api::AnyObject object = record->Decode();
      const Service& service = *object.As<Service>();
      for (const std::string& text : service.spec.clusterIPs) {
        if (const auto ip = ParseAddress(text)) empty.addresses().Learn(*ip, HolderOf(service));
      }
      for (const ServicePort& port : service.spec.ports) {
        if (port.nodePort != 0) empty.ports().Learn(port.nodePort, HolderOf(service));
      }
      if (service.spec.healthCheckNodePort != 0) {
        empty.ports().Learn(service.spec.healthCheckNodePort, HolderOf(service));
      }
    }
  });
  return ranges;
}

/// Says of which IP families the service is; the cluster has IPv4 only.
StatusOr<> SetFamilies(Service& service, const Service* before) {
  auto& spec = service.spec;
  const bool headless_alone = IsHeadless(service) && spec.selector.empty();
  if (!spec.ipFamilyPolicy) {
    if (before != nullptr && before->spec.ipFamilyPolicy) {
      spec.ipFamilyPolicy = before->spec.ipFamilyPolicy;
    } else {
      spec.ipFamilyPolicy = headless_alone ? "RequireDualStack" : "SingleStack";
    }
  }
  if (headless_alone) {
    // Nobody but its author knows what it leads to, so both may be.
    if (spec.ipFamilies.empty()) spec.ipFamilies.emplace_back("IPv4");
    if (spec.ipFamilies.size() < 2 && spec.ipFamilyPolicy != "SingleStack") {
      spec.ipFamilies.emplace_back(spec.ipFamilies.front() == "IPv4" ? "IPv6" : "IPv4");
    }
    return {};
  }
  if (spec.ipFamilyPolicy == "RequireDualStack") {
    return Wrong(service,
                 FieldError::Invalid("spec.ipFamilyPolicy", *spec.ipFamilyPolicy,
                                     "this cluster is not configured for dual-stack services"));
  }
  for (std::size_t i = 0; i < spec.ipFamilies.size(); ++i) {
    if (spec.ipFamilies[i] == "IPv4") continue;
    return Wrong(service,
                 FieldError::Invalid("spec.ipFamilies[" + std::to_string(i) + "]",
                                     spec.ipFamilies[i], "not configured on this cluster"));
  }
  if (spec.ipFamilies.empty()) spec.ipFamilies.emplace_back("IPv4");
  return {};
}

StatusOr<> TakeAddress(Service& service, const Write& write) {
  auto& spec = service.spec;
  if (!NeedsClusterIp(service) || IsHeadless(service)) return {};
  ServiceRanges& ranges = RangesOf(write);
  const auto stored = [&](const NumberPool::Holder& holder, std::int64_t address) {
    return HasAddress(write.context, holder, address);
  };
  const auto refuse = [&](const std::string& why) {
    return Wrong(service, {FieldError::Kind::kInvalid, "spec.clusterIPs", Listed(spec.clusterIPs),
                           "failed to allocate IP " + spec.clusterIP + ": " + why});
  };
  if (spec.clusterIP.empty()) {
    const auto taken = ranges.addresses().TakeAny(TakerOf(service, write), stored,
                                                  write.context.Now(), write.context.random());
    if (!taken) {
      return std::unexpected(Internal("failed to allocate a serviceIP for Service " +
                                      api::Json(service.metadata.name).ToString() +
                                      ": range is full"));
    }
    spec.clusterIP = AddressText(*taken);
    spec.clusterIPs = {spec.clusterIP};
    return {};
  }
  const auto address = ParseAddress(spec.clusterIP);
  if (!address) return {};  // for validation to say
  if (!ranges.addresses().Contains(*address)) {
    return refuse("the provided network does not match the current range");
  }
  if (!ranges.addresses().Take(*address, TakerOf(service, write), stored, write.context.Now())) {
    return refuse("provided IP is already allocated");
  }
  return {};
}

/// Ports of the same number, of TCP and UDP say, may share one on the nodes.
class NodePorts {
 public:
  NodePorts(Service& service, const Write& write)
      : service_(service), write_(write), ranges_(RangesOf(write)) {}

  StatusOr<> Take() {
    auto& spec = service_.spec;
    const bool by_itself =
        spec.type == "NodePort" || spec.allocateLoadBalancerNodePorts.value_or(true);
    for (std::size_t i = 0; i < spec.ports.size(); ++i) {
      ServicePort& port = spec.ports[i];
      const std::string field = "spec.ports[" + std::to_string(i) + "].nodePort";
      if (port.nodePort == 0 && !by_itself) continue;
      std::int32_t& shared = by_port_[port.port];
      if (port.nodePort == 0 && shared == 0) shared = Wanted(port.port);
      if (port.nodePort == 0) port.nodePort = shared;
      if (port.nodePort == 0) {
        // Who only asks may be told the same number again.
        do {
          FLYBALL_TRY(port.nodePort, TakeAny());
        } while (has_[port.nodePort]);
      } else if (port.nodePort != shared || !has_[port.nodePort]) {
        if (has_[port.nodePort]) return AlreadyTaken(port.nodePort, field);
        FLYBALL_TRY(TakeOne(port.nodePort, field));
      }
      has_[port.nodePort] = true;
      if (shared == 0) shared = port.nodePort;
    }
    return {};
  }

  StatusOr<> TakeHealthPort() {
    auto& port = service_.spec.healthCheckNodePort;
    if (port != 0) return TakeOne(port, "spec.healthCheckNodePort");
    FLYBALL_TRY(port, TakeAny());
    return {};
  }

 private:
  std::optional<bool> Stored(const NumberPool::Holder& holder, std::int64_t number) const {
    return HasPort(write_.context, holder, number);
  }

  std::unexpected<ApiStatusError> AlreadyTaken(std::int32_t number,
                                               const std::string& field) const {
    return Wrong(service_,
                 FieldError::InvalidNumber(field, number, "provided port is already allocated"));
  }

  std::int32_t Wanted(std::int32_t number) const {
    for (const ServicePort& port : service_.spec.ports) {
      if (port.port == number && port.nodePort != 0) return port.nodePort;
    }
    return 0;
  }

  StatusOr<> TakeOne(std::int32_t number, const std::string& field) {
    const auto wrong = [&](const std::string& why) {
      return Wrong(service_, FieldError::InvalidNumber(field, number, why));
    };
    if (!ranges_.ports().Contains(number)) {
      return wrong("provided port is not in the valid range. The range of valid ports is " +
                   ranges_.ports_text());
    }
    const auto stored = [&](const NumberPool::Holder& holder, std::int64_t each) {
      return Stored(holder, each);
    };
    if (!ranges_.ports().Take(number, TakerOf(service_, write_), stored, write_.context.Now())) {
      return AlreadyTaken(number, field);
    }
    return {};
  }

  StatusOr<std::int32_t> TakeAny() {
    const auto stored = [&](const NumberPool::Holder& holder, std::int64_t each) {
      return Stored(holder, each);
    };
    const auto taken = ranges_.ports().TakeAny(TakerOf(service_, write_), stored,
                                               write_.context.Now(), write_.context.random());
    if (!taken) return std::unexpected(Internal("failed to allocate a nodePort: range is full"));
    return static_cast<std::int32_t>(*taken);
  }

  Service& service_;
  const Write& write_;
  ServiceRanges& ranges_;
  std::map<std::int32_t, std::int32_t> by_port_;  // which node port goes with a port
  std::map<std::int32_t, bool> has_;
};

StatusOr<> TakePorts(Service& service, const Write& write) {
  NodePorts ports(service, write);
  if (service.spec.type == "NodePort" || service.spec.type == "LoadBalancer") {
    FLYBALL_TRY(ports.Take());
  }
  if (NeedsHealthPort(service)) FLYBALL_TRY(ports.TakeHealthPort());
  return {};
}

/// Clients that leave out what they were given mean to keep it.
void KeepAllocated(Service& now, const Service& before) {
  auto& spec = now.spec;
  const auto& old = before.spec;
  if (NeedsClusterIp(before) && NeedsClusterIp(now)) {
    if (spec.clusterIP.empty()) spec.clusterIP = old.clusterIP;
    if (spec.clusterIPs.empty()) spec.clusterIPs = old.clusterIPs;
  }
  if (NeedsNodePorts(before) && NeedsNodePorts(now)) {
    std::set<std::int32_t> sent;
    for (const ServicePort& port : spec.ports) sent.insert(port.nodePort);
    for (ServicePort& port : spec.ports) {
      if (port.nodePort != 0) continue;
      for (const ServicePort& was : old.ports) {
        if (was.name == port.name && !sent.contains(was.nodePort)) port.nodePort = was.nodePort;
      }
    }
  }
  if (NeedsHealthPort(before) && NeedsHealthPort(now) && spec.healthCheckNodePort == 0) {
    spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

/// Some clients know only the one address, some both forms.
void AlignAddresses(Service& now, const Service& before) {
  auto& spec = now.spec;
  const auto& old = before.spec;
  if (spec.clusterIP == old.clusterIP) {
    if (spec.clusterIPs.empty()) spec.clusterIPs = old.clusterIPs;
    return;
  }
  if (spec.clusterIPs != old.clusterIPs) return;
  spec.clusterIPs.clear();
  if (!spec.clusterIP.empty()) spec.clusterIPs.push_back(spec.clusterIP);
}

}  // namespace

bool NeedsClusterIp(const Service& service) { return service.spec.type != "ExternalName"; }

bool NeedsNodePorts(const Service& service) {
  return service.spec.type == "NodePort" ||
         (service.spec.type == "LoadBalancer" &&
          service.spec.allocateLoadBalancerNodePorts.value_or(true));
}

bool NeedsHealthPort(const Service& service) {
  return service.spec.type == "LoadBalancer" && service.spec.externalTrafficPolicy == "Local";
}

bool IsHeadless(const Service& service) { return service.spec.clusterIP == "None"; }

StatusOr<> AllocateNew(Service& service, const Write& write) {
  auto& spec = service.spec;
  if (!spec.clusterIP.empty() && spec.clusterIPs.empty()) spec.clusterIPs = {spec.clusterIP};
  if (NeedsClusterIp(service)) FLYBALL_TRY(SetFamilies(service, nullptr));
  FLYBALL_TRY(TakeAddress(service, write));
  return TakePorts(service, write);
}

StatusOr<> AllocateChange(Service& now, const Service& before, const Write& write) {
  KeepAllocated(now, before);
  AlignAddresses(now, before);
  if (NeedsClusterIp(now)) FLYBALL_TRY(SetFamilies(now, &before));
  const bool keeps = NeedsClusterIp(before) && !before.spec.clusterIP.empty();
  if (!keeps) FLYBALL_TRY(TakeAddress(now, write));
  return TakePorts(now, write);
}

}  // namespace flyball::sandbox
