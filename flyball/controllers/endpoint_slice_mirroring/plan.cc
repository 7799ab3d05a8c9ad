#include "flyball/controllers/endpoint_slice_mirroring/plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/endpoint_ports.h"
#include "flyball/controllers/common/endpoint_subsets.h"
#include "flyball/controllers/common/pod_address.h"
#include "flyball/controllers/common/slice_index.h"

namespace flyball::controllers::endpoint_slice_mirroring {
namespace {

using common::EndpointSet;
using common::kManagedByLabel;
using common::kServiceNameLabel;
using common::SliceChanges;
using core::v1::EndpointAddress;
using core::v1::EndpointSubset;
using discovery::v1::Endpoint;
using discovery::v1::EndpointPort;
using Texts = api::Map<std::string>;

constexpr std::string_view kSkipLabel = "endpointslice.kubernetes.io/skip-mirror";
constexpr std::string_view kLeader = "control-plane.alpha.kubernetes.io/leader";
/// What is said of the Endpoints themselves is not said of slices.
constexpr std::string_view kNotMirrored[] = {
    "endpoints.kubernetes.io/last-change-trigger-time",
    "kubectl.kubernetes.io/last-applied-configuration",
};

/// What goes into one slice: addresses of a family that are reached by the same ports.
struct Group {
  std::vector<EndpointPort> ports = {};
  EndpointSet endpoints = {};
  std::vector<SliceRef> existing = {};
};
/// By the family and the ports.
using GroupKey = std::pair<std::string, std::string>;
using Groups = std::map<GroupKey, Group>;

GroupKey KeyOf(std::string_view family, const std::vector<EndpointPort>& ports) {
  return {std::string(family), common::PortSetKey(ports)};
}

std::vector<EndpointPort> PortsOf(const EndpointSubset& subset) {
  std::vector<EndpointPort> ports;
  for (const core::v1::EndpointPort& its : subset.ports) {
    EndpointPort& port = ports.emplace_back();
    port.name = its.name;
    port.port = its.port;
    port.protocol = its.protocol;
    port.appProtocol = its.appProtocol;
  }
  common::SortPorts(ports);
  return ports;
}

Endpoint EndpointOf(const EndpointAddress& address, std::string ip, bool ready) {
  Endpoint endpoint;
  endpoint.addresses.push_back(std::move(ip));
  endpoint.conditions.ready = ready;
  endpoint.targetRef = address.targetRef;
  endpoint.nodeName = address.nodeName;
  if (!address.hostname.empty()) endpoint.hostname = address.hostname;
  return endpoint;
}

/// What there is of all subsets, and what was left out.
class Desired {
 public:
  Desired(const Endpoints& endpoints, std::size_t most_per_subset) : most_(most_per_subset) {
    // People write subsets as they like.
    for (const EndpointSubset& subset : common::Repacked(endpoints.subsets)) Add(subset);
  }

  Groups TakeGroups() { return std::move(groups_); }
  std::size_t skipped() const { return skipped_; }
  /// Of those that were skipped, the ones that are no addresses.
  std::size_t invalid() const { return invalid_; }

 private:
  void Add(const EndpointSubset& subset) {
    const std::vector<EndpointPort> ports = PortsOf(subset);
    std::size_t added = 0;
    for (const EndpointAddress& address : subset.addresses)
      added += Add(address, ports, true, added);
    for (const EndpointAddress& address : subset.notReadyAddresses) {
      added += Add(address, ports, false, added);
    }
    skipped_ += subset.addresses.size() + subset.notReadyAddresses.size() - added;
  }
  /// One, or none.
  std::size_t Add(const EndpointAddress& address, const std::vector<EndpointPort>& ports,
                  bool ready, std::size_t added) {
    if (added >= most_) return 0;
    const auto ip = common::IpAddress::ParseSloppily(address.ip);
    if (!ip) {
      ++invalid_;
      return 0;
    }
    Group& group = groups_[KeyOf(common::ToString(ip->family), ports)];
    group.ports = ports;
    group.endpoints.Insert(EndpointOf(address, ip->ToString(), ready));
    return 1;
  }

  const std::size_t most_;
  Groups groups_;
  std::size_t skipped_ = 0;
  std::size_t invalid_ = 0;
};

Texts Without(Texts texts, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) texts.erase(key);
  return texts;
}

Texts AnnotationsFor(const Endpoints& endpoints) {
  return Without(endpoints.metadata.annotations, {kNotMirrored[0], kNotMirrored[1]});
}

/// Of Endpoints that had this name before.
bool IsOwnedByAnother(const EndpointSlice& slice, const Endpoints& endpoints) {
  return std::ranges::any_of(slice.metadata.ownerReferences, [&](const auto& owner) {
    return owner.kind == "Endpoints" && owner.name == endpoints.metadata.name &&
           owner.uid != endpoints.metadata.uid;
  });
}

/// Whatever its endpoints are.
bool IsInLine(const EndpointSlice& slice, const Endpoints& endpoints) {
  const Texts labels = Without(slice.metadata.labels, {kManagedByLabel, kServiceNameLabel});
  return labels == endpoints.metadata.labels &&
         slice.metadata.annotations == AnnotationsFor(endpoints) &&
         !IsOwnedByAnother(slice, endpoints);
}

/// Everything that does not come from one that is there already.
EndpointSlice NewSlice(const Endpoints& endpoints, const GroupKey& key, const Group& group,
                       std::size_t most) {
  EndpointSlice slice;
  slice.metadata.namespace_ = endpoints.metadata.namespace_;
  slice.metadata.generateName = endpoints.metadata.name + "-";
  slice.metadata.labels = endpoints.metadata.labels;
  slice.metadata.labels[kServiceNameLabel] = endpoints.metadata.name;
  slice.metadata.labels[kManagedByLabel] = kManager;
  slice.metadata.annotations = AnnotationsFor(endpoints);
  slice.metadata.ownerReferences.push_back(common::ControllerRefTo(endpoints));
  slice.addressType = key.first;
  slice.ports = group.ports;
  const auto& all = group.endpoints.all();
  slice.endpoints.assign(all.begin(),
                         all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most)));
  return slice;
}

/// Puts the new content into a slice that is there.
// DIVERGES: upstream writes without looking at what is there, and drops what others have put into
// the rest of its metadata; generateName too, unless it gives the slice other ports.
EndpointSlice InPlaceOf(const EndpointSlice& existing, EndpointSlice fresh) {
  EndpointSlice slice = existing;
  slice.metadata.managedFields.clear();
  slice.metadata.labels = std::move(fresh.metadata.labels);
  slice.metadata.annotations = std::move(fresh.metadata.annotations);
  slice.metadata.ownerReferences = std::move(fresh.metadata.ownerReferences);
  slice.ports = std::move(fresh.ports);
  slice.endpoints = std::move(fresh.endpoints);
  return slice;
}

struct Difference {
  std::size_t added = 0;
  std::size_t updated = 0;
  std::size_t removed = 0;

  bool IsNone() const { return added + updated + removed == 0; }
};

Difference DifferenceOf(const EndpointSlice& slice, const EndpointSet& wanted) {
  Difference difference;
  std::size_t kept = 0;
  for (const Endpoint& its : slice.endpoints) {
    const Endpoint* const found = wanted.Find(its);
    if (found == nullptr) {
      ++difference.removed;
      continue;
    }
    ++kept;
    if (!common::SayTheSame(*found, its)) ++difference.updated;
  }
  difference.added = wanted.size() - std::min(kept, wanted.size());
  return difference;
}

/// One slice for the group: the first that there is, or a new one.
void PlanGroup(const Endpoints& endpoints, const GroupKey& key, const Group& group,
               std::size_t most, Plan& plan) {
  auto& changes = plan.changes;
  std::span<const SliceRef> superfluous = group.existing;
  if (group.endpoints.size() == 0) {
    for (const SliceRef& slice : superfluous) plan.removed += slice->endpoints.size();
  } else if (group.existing.empty()) {
    plan.added += group.endpoints.size();
    changes.to_create.push_back(NewSlice(endpoints, key, group, most));
  } else {
    const EndpointSlice& first = *group.existing.front();
    superfluous = superfluous.subspan(1);
    const Difference difference = DifferenceOf(first, group.endpoints);
    plan.added += difference.added;
    plan.updated += difference.updated;
    plan.removed += difference.removed;
    if (!difference.IsNone() || !IsInLine(first, endpoints)) {
      changes.to_update.push_back(InPlaceOf(first, NewSlice(endpoints, key, group, most)));
    }
  }
  changes.to_delete.insert(changes.to_delete.end(), superfluous.begin(), superfluous.end());
  const std::size_t size = group.endpoints.size();
  plan.totals.endpoints += size;
  plan.totals.slices += size > 0 ? 1 : 0;
  plan.totals.fewest_slices += (size + most - 1) / most;
}

/// A slice that would go becomes one that would be made, if it is of the same family, which no
/// slice can change.
void Recycle(SliceChanges& changes) {
  std::erase_if(changes.to_create, [&changes](EndpointSlice& fresh) {
    const auto old = std::ranges::find(changes.to_delete, fresh.addressType,
                                       [](const SliceRef& slice) { return slice->addressType; });
    if (old == changes.to_delete.end()) return false;
    changes.to_update.push_back(InPlaceOf(**old, std::move(fresh)));
    changes.to_delete.erase(old);
    return true;
  });
}

std::vector<common::PlannedEvent> EventsFor(const Desired& desired, std::size_t most) {
  std::vector<common::PlannedEvent> events;
  if (desired.invalid() > 0) {
    events.push_back(common::Warning("InvalidIPAddress",
                                     "Skipped " + std::to_string(desired.invalid()) +
                                         " invalid IP addresses when mirroring to EndpointSlices"));
  }
  if (desired.skipped() > desired.invalid()) {
    events.push_back(
        common::Warning("TooManyAddressesToMirror",
                        "A max of " + std::to_string(most) +
                            " addresses can be mirrored to EndpointSlices per Endpoints subset. " +
                            std::to_string(desired.skipped()) + " addresses were skipped"));
  }
  return events;
}

}  // namespace

bool IsMirror(const EndpointSlice& slice) {
  return common::LabelOf(slice, kManagedByLabel) == kManager;
}

bool MayBeMirrored(const Endpoints& endpoints) {
  const std::string* const skip = endpoints.metadata.labels.find(kSkipLabel);
  return (skip == nullptr || *skip != "true") && !endpoints.metadata.annotations.contains(kLeader);
}

bool IsByHand(const Service& service) { return service.spec.selector.empty(); }

std::string Plan::ToString() const {
  if (changes.count() == 0) return "leave the slices";
  std::string text = std::to_string(changes.to_create.size()) + " slices to create, " +
                     std::to_string(changes.to_update.size()) + " to update, " +
                     std::to_string(changes.to_delete.size()) + " to delete";
  if (skipped > 0) text += "; " + std::to_string(skipped) + " addresses are skipped";
  return text;
}

Plan PlanFor(const Endpoints& endpoints, const std::vector<SliceRef>& existing,
             std::size_t most_per_subset) {
  Desired desired(endpoints, most_per_subset);
  Plan plan{.events = EventsFor(desired, most_per_subset), .skipped = desired.skipped()};
  Groups groups = desired.TakeGroups();
  for (const SliceRef& slice : existing) {
    groups[KeyOf(slice->addressType, slice->ports)].existing.push_back(slice);
  }
  for (const auto& [key, group] : groups) PlanGroup(endpoints, key, group, most_per_subset, plan);
  Recycle(plan.changes);
  // No more for Endpoints that are on their way out.
  if (endpoints.metadata.deletionTimestamp) plan.changes.to_create.clear();
  return plan;
}

}  // namespace flyball::controllers::endpoint_slice_mirroring
