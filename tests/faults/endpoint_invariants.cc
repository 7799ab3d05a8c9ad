#include "tests/faults/endpoint_invariants.h"

#include <algorithm>
#include <utility>

namespace flyball::faults {
namespace {

using api::ObjectKey;
using core::v1::Endpoints;
using core::v1::Service;
using discovery::v1::EndpointSlice;

constexpr std::string_view kMirrors = "endpointslicemirroring-controller.k8s.io";

bool IsReady(const core::v1::Pod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

std::string LabelOf(const EndpointSlice& slice, std::string_view label) {
  const std::string* const value = slice.metadata.labels.find(label);
  return value == nullptr ? "" : *value;
}

/// Those of a mirror stand in one order, whoever made it.
std::string PortsOf(const EndpointSlice& slice) {
  std::string text;
  for (const auto& port : slice.ports) {
    text += port.name.value_or("") + ":" + std::to_string(port.port.value_or(0)) + "/" +
            port.protocol.value_or("") + " ";
  }
  return text;
}

std::set<std::string> ReadyPodsOf(const Endpoints& endpoints) {
  std::set<std::string> pods;
  for (const auto& subset : endpoints.subsets) {
    for (const auto& address : subset.addresses) {
      if (address.targetRef) pods.insert(address.targetRef->uid);
    }
  }
  return pods;
}

}  // namespace

void EndpointInvariants::TellOfPod(const std::string& uid,
                                   const std::optional<core::v1::Pod>& pod) {
  if (!pod) {
    pods_.erase(uid);
    return;
  }
  Pod facts{.name = pod->metadata.name,
            .serves = IsReady(*pod) && !pod->metadata.deletionTimestamp,
            .labels = pod->metadata.labels};
  Pod& known = pods_[uid];
  if (known != facts) touched_pods_.insert(uid);
  known = std::move(facts);
}

void EndpointInvariants::TellOfService(const ObjectKey& key,
                                       const std::optional<Service>& service) {
  const auto known = selectors_.find(key);
  if (!service) {
    if (known != selectors_.end()) selectors_.erase(known);
    touched_services_.insert(key);
    return;
  }
  if (known != selectors_.end() && known->second == service->spec.selector) return;
  selectors_[key] = service->spec.selector;
  touched_services_.insert(key);
}

void EndpointInvariants::TellOfEndpoints(const ObjectKey& key,
                                         const std::optional<Endpoints>& endpoints) {
  const std::set<std::string> before =
      std::exchange(ready_[key], endpoints ? ReadyPodsOf(*endpoints) : std::set<std::string>());
  // Whoever deletes them has reasons; they come back.
  if (!endpoints || touched_services_.contains(key)) return;
  for (const std::string& uid : before) {
    const auto pod = pods_.find(uid);
    const bool serves = pod != pods_.end() && pod->second.serves && !touched_pods_.contains(uid);
    if (!serves || ready_[key].contains(uid)) continue;
    violations_.push_back("pod " + pod->second.name + " is ready, and leaves the endpoints of " +
                          key.name);
  }
}

void EndpointInvariants::TellOfSlice(const std::string& uid,
                                     const std::optional<EndpointSlice>& slice) {
  mirrors_.erase(uid);
  if (!slice || slice->metadata.deletionTimestamp ||
      LabelOf(*slice, "endpointslice.kubernetes.io/managed-by") != kMirrors) {
    return;
  }
  const ObjectKey service{slice->metadata.namespace_,
                          LabelOf(*slice, "kubernetes.io/service-name")};
  Mirrored mirrored{service, slice->addressType, PortsOf(*slice)};
  if (std::ranges::any_of(mirrors_, [&](const auto& its) { return its.second == mirrored; })) {
    violations_.push_back("endpoints " + service.name + " have two mirrors of " +
                          slice->addressType + " at " + std::get<2>(mirrored));
  }
  mirrors_.emplace(uid, std::move(mirrored));
}

}  // namespace flyball::faults
