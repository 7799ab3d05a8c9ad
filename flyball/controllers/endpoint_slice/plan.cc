#include "flyball/controllers/endpoint_slice/plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "flyball/controllers/common/endpoint_ports.h"
#include "flyball/controllers/endpoint_slice/pod_endpoint.h"
#include "flyball/controllers/endpoint_slice/service_slices.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using common::EndpointSet;
using common::IpFamily;
using common::SliceRef;
using core::v1::Service;
using discovery::v1::EndpointPort;
using discovery::v1::EndpointSlice;

/// The endpoints behind one set of ports.
struct PortSet {
  std::vector<EndpointPort> ports;
  EndpointSet endpoints = {};
};
using PortSets = std::map<std::string, PortSet>;

std::string MissingNode(const Service& service, const views::Pod& pod) {
  return "skipping Pod " + std::string(pod.metadata.name) + " for Service " +
         service.metadata.namespace_ + "/" + service.metadata.name + ": Node " +
         std::string(pod.spec.nodeName) + " Not Found";
}

/// Sorts a service's pods by the ports that they are reached by.
class Sorting {
 public:
  Sorting(const ServiceState& service_state, IpFamily family, std::vector<std::string>& problems)
      : service_state_(service_state), family_(family), problems_(problems) {}

  PortSets Sort() {
    for (const auto& pod : service_state_.pods) {
      if (common::CanBeEndpoint(*pod)) Add(*pod);
    }
    return std::move(sets_);
  }

 private:
  void Add(const views::Pod& pod) {
    const Service& service = service_state_.service;
    // The set is there though the pod may be left out: slices that are of these ports stay so.
    PortSet& set = SetOf(pod);
    const auto node = service_state_.node(pod.spec.nodeName);
    // Its zone cannot be told, and most likely it is gone as well. Who wants addresses that are not
    // ready wants it nevertheless.
    if (!node && !service.spec.publishNotReadyAddresses) {
      problems_.push_back(MissingNode(service, pod));
      return;
    }
    auto endpoint = EndpointOf(pod, node.get(), service, family_);
    if (!endpoint.addresses.empty()) set.endpoints.Insert(std::move(endpoint));
  }

  PortSet& SetOf(const views::Pod& pod) {
    const auto [at, is_new] =
        known_.try_emplace(PortNumbersIn(pod, service_state_.service), nullptr);
    if (is_new) {
      auto ports = PortsFor(service_state_.service, at->first);
      std::string key = common::PortSetKey(ports);
      const auto set = sets_.try_emplace(std::move(key), PortSet{.ports = std::move(ports)});
      at->second = &set.first->second;
    }
    return *at->second;
  }

  const ServiceState& service_state_;
  const IpFamily family_;
  std::vector<std::string>& problems_;
  PortSets sets_;
  std::map<PortNumbers, PortSet*> known_;
};

/// One plan while it is made.
class Planning {
 public:
  Planning(const ServiceState& service_state, IpFamily family, std::size_t most_in_a_slice)
      : service_state_(service_state),
        family_(family),
        rules_{.most_in_a_slice = most_in_a_slice,
               .has_its_labels = [this](const EndpointSlice& slice) {
                 return HasLabelsOf(service_state_.service, slice);
               }} {}

  PackPlan Plan() {
    SortExisting();
    const PortSets sets = Sorting(service_state_, family_, plan_.problems).Sort();
    for (const auto& [key, set] : sets) PackSet(key, set);
    // Of ports that nobody has any more.
    for (auto& [key, slices] : existing_) {
      if (!sets.contains(key)) std::ranges::move(slices, std::back_inserter(changes_.to_delete));
    }
    KeepAPlaceholder();
    FindUnchanged();
    return std::move(plan_);
  }

 private:
  void SortExisting() {
    for (const SliceRef& slice : service_state_.slices) {
      if (IsOwnedBy(service_state_.service, *slice)) {
        existing_[common::PortSetKey(slice->ports)].push_back(slice);
      } else {
        changes_.to_delete.push_back(slice);
      }
    }
  }

  void PackSet(const std::string& key, const PortSet& set) {
    const std::vector<SliceRef>& existing = existing_[key];
    auto packed = common::Pack(existing, set.endpoints,
                               NewSlice(service_state_.service, family_, set.ports), rules_);
    plan_.endpoints_added += packed.endpoints_added;
    plan_.endpoints_removed += packed.endpoints_removed;
    plan_.sizes.push_back({.endpoints = set.endpoints.size(),
                           .slices = existing.size() + packed.changes.to_create.size() -
                                     packed.changes.to_delete.size()});
    changes_.Append(std::move(packed.changes));
  }

  /// A service without endpoints has a slice that says so.
  void KeepAPlaceholder() {
    auto& to_delete = changes_.to_delete;
    if (to_delete.size() != service_state_.slices.size() || !changes_.to_create.empty()) return;
    EndpointSlice placeholder = NewSlice(service_state_.service, family_, {});
    plan_.sizes.push_back({.endpoints = 0, .slices = 1});
    // PARITY: it may be that of a service that was called so before, until that is collected.
    if (to_delete.size() == 1 && LookTheSame(*to_delete.front(), placeholder)) {
      to_delete.clear();
    } else {
      changes_.to_create.push_back(std::move(placeholder));
    }
  }

  void FindUnchanged() {
    std::set<std::string_view> changed;
    for (const EndpointSlice& slice : changes_.to_update) changed.insert(slice.metadata.name);
    for (const SliceRef& slice : changes_.to_delete) changed.insert(slice->metadata.name);
    for (const SliceRef& slice : service_state_.slices) {
      if (!changed.contains(slice->metadata.name)) plan_.slices.unchanged.push_back(slice);
    }
  }

  const ServiceState& service_state_;
  const IpFamily family_;
  const common::PackingRules rules_;
  PackPlan plan_;
  common::SliceChanges& changes_ = plan_.slices.changes;
  std::map<std::string, std::vector<SliceRef>> existing_;  // by their ports
};

std::string Count(std::string_view what, std::size_t count) {
  return std::string(what) + " " + std::to_string(count);
}

}  // namespace

PackPlan PlanPacking(const ServiceState& service_state, IpFamily family,
                     std::size_t most_in_a_slice) {
  return Planning(service_state, family, most_in_a_slice).Plan();
}

void RecycleSlices(const Service& service, common::SliceChanges& changes) {
  common::Recycle(changes,
                  [&service](const EndpointSlice& slice) { return IsOwnedBy(service, slice); });
}

std::string Describe(const PackPlan& plan, const common::SliceChanges& changes) {
  if (changes.count() == 0) return {};
  std::vector<std::string> parts;
  if (!changes.to_create.empty()) parts.push_back(Count("create", changes.to_create.size()));
  if (!changes.to_update.empty()) parts.push_back(Count("update", changes.to_update.size()));
  if (!changes.to_delete.empty()) parts.push_back(Count("delete", changes.to_delete.size()));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text + " slices: " + Count("endpoints added", plan.endpoints_added) + ", " +
         Count("removed", plan.endpoints_removed);
}

}  // namespace flyball::controllers::endpoint_slice
