#include "flyball/controllers/common/services_of_pod.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "flyball/api/selector_lookup.h"
#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::common {
namespace {

using api::ObjectKey;
using core::v1::Service;
using views::Pod;

/// Both are in the order of their keys.
bool Selects(const api::Map<std::string>& selector, const api::ViewMap& labels) {
  if (selector.size() > labels.size()) return false;
  const api::ViewEntry* at = labels.begin();
  for (const auto& [key, value] : selector) {
    at = api::selector_lookup::Advance(at, labels.end(), key);
    if (at == labels.end() || at->key != std::string_view(key) ||
        at->value != std::string_view(value)) {
      return false;
    }
  }
  return true;
}

bool SameAddresses(const Pod& a, const Pod& b) {
  return std::ranges::equal(a.status.podIPs, b.status.podIPs,
                            [](const auto& x, const auto& y) { return x.ip == y.ip; });
}

}  // namespace

PodChange ChangeBetween(const Pod& old, const Pod& now) {
  // PARITY: neither the phase nor the node is looked at. A pod that ends was ready, or its
  // readiness says nothing new; the node is there before the address.
  const bool endpoint =
      // PARITY: each change of a pod that is being deleted counts, also that of its phase.
      old.metadata.deletionTimestamp || now.metadata.deletionTimestamp ||
      IsReady(old) != IsReady(now) || !SameAddresses(old, now);
  const bool membership = old.metadata.labels != now.metadata.labels ||
                          old.spec.hostname != now.spec.hostname ||
                          old.spec.subdomain != now.spec.subdomain;
  return {.endpoint = endpoint, .membership = membership};
}

void ServicesOfPod::Put(const Service& service) {
  const ObjectKey key = ObjectKey::Of(service);
  const MutexLock lock(mutex_);
  if (const auto space = namespaces_.find(key.namespace_); space != namespaces_.end()) {
    const auto old = space->second.services.find(key.name);
    if (old != space->second.services.end() && old->second.selector == service.spec.selector) {
      return;
    }
  }
  RemoveLocked(key);
  if (service.spec.selector.empty()) return;

  auto& [services, by_label] = namespaces_[key.namespace_];
  Label label;
  std::optional<std::size_t> fewest;
  for (const auto& [name, value] : service.spec.selector) {
    const auto found = by_label.find(Label(name, value));
    const std::size_t sharers = found == by_label.end() ? 0 : found->second.size();
    if (fewest && *fewest <= sharers) continue;
    fewest = sharers;
    label = {name, value};
    if (sharers == 0) break;
  }
  const auto under = by_label.try_emplace({std::string(label.first), std::string(label.second)});
  const auto at = services.emplace(key.name, Selecting{service.spec.selector, under.first}).first;
  under.first->second.emplace(at->first, &at->second.selector);
}

void ServicesOfPod::Remove(const ObjectKey& service) {
  const MutexLock lock(mutex_);
  RemoveLocked(service);
}

void ServicesOfPod::RemoveLocked(const ObjectKey& service) {
  const auto space = namespaces_.find(service.namespace_);
  if (space == namespaces_.end()) return;
  auto& [services, by_label] = space->second;
  const auto found = services.find(service.name);
  if (found == services.end()) return;
  const auto under = found->second.under;
  under->second.erase(found->first);
  if (under->second.empty()) by_label.erase(under);
  services.erase(found);
  if (services.empty()) namespaces_.erase(space);
}

ServicesOfPod::Found ServicesOfPod::Find(const Pod& pod) const {
  Found found;
  {
    const MutexLock lock(mutex_);
    const auto space = namespaces_.find(pod.metadata.namespace_.view());
    if (space == namespaces_.end()) return found;
    const auto& by_label = space->second.by_label;
    for (const auto& [key, value] : pod.metadata.labels) {
      const auto under = by_label.find(Label(key, value));
      if (under == by_label.end()) continue;
      for (const auto& [name, selector] : under->second) {
        ++found.compared;
        if (!Selects(*selector, pod.metadata.labels)) continue;
        found.services.push_back({space->first, std::string(name)});
      }
    }
  }
  std::ranges::sort(found.services);
  return found;
}

std::vector<ObjectKey> ServicesOfPod::ToUpdate(const Pod& old, const Pod& now) const {
  if (old.metadata.resourceVersion == now.metadata.resourceVersion) return {};  // a resync
  const PodChange change = ChangeBetween(old, now);
  if (!change.membership) return change.endpoint ? Of(now) : std::vector<ObjectKey>();
  const std::vector<ObjectKey> had = Of(old);
  const std::vector<ObjectKey> have = Of(now);
  std::vector<ObjectKey> affected;
  if (change.endpoint) {
    std::ranges::set_union(had, have, std::back_inserter(affected));
  } else {
    // PARITY: where it stays it is the same endpoint, though its host name be another.
    std::ranges::set_symmetric_difference(had, have, std::back_inserter(affected));
  }
  return affected;
}

std::size_t ServicesOfPod::label_count() const {
  const MutexLock lock(mutex_);
  std::size_t count = 0;
  for (const auto& [name, space] : namespaces_) count += space.by_label.size();
  return count;
}

}  // namespace flyball::controllers::common
