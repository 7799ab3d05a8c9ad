#include "flyball/controllers/common/services_of_pod.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "flyball/controllers/common/pod_condition.h"

namespace flyball::controllers::common {
namespace {

using api::ObjectKey;
using core::v1::Service;
using views::Pod;

/// FNV-1a of 64 bits; texts end with a byte that is in none of them.
std::uint64_t Extended(std::uint64_t hash, std::string_view text) {
  constexpr std::uint64_t kPrime = 1'099'511'628'211ULL;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  return (hash ^ 0xffU) * kPrime;
}

std::uint64_t RootOf(std::string_view namespace_) {
  return Extended(14'695'981'039'346'656'037ULL, namespace_);
}

std::uint64_t Child(std::uint64_t node, std::string_view key, std::string_view value) {
  return Extended(Extended(node, key), value);
}

bool SameLabels(const Pod& a, const Pod& b) {
  return std::ranges::equal(a.metadata.labels, b.metadata.labels, [](const auto& x, const auto& y) {
    return x.key == y.key && x.value == y.value;
  });
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
  const bool membership = !SameLabels(old, now) || old.spec.hostname != now.spec.hostname ||
                          old.spec.subdomain != now.spec.subdomain;
  return {.endpoint = endpoint, .membership = membership};
}

void ServicesOfPod::Put(const Service& service) {
  const ObjectKey key = ObjectKey::Of(service);
  std::vector<Hash> path;
  Hash node = RootOf(key.namespace_);
  for (const auto& [label, value] : service.spec.selector) {
    node = Child(node, label, value);
    path.push_back(node);
  }

  const MutexLock lock(mutex_);
  const auto old = paths_.find(key);
  if (old != paths_.end() && old->second == path) return;
  RemoveLocked(key);
  if (path.empty()) return;
  for (const Hash passed : path) ++nodes_[passed].passing;
  nodes_[path.back()].services.push_back(key.name);
  paths_.emplace(key, std::move(path));
}

void ServicesOfPod::Remove(const ObjectKey& service) {
  const MutexLock lock(mutex_);
  RemoveLocked(service);
}

void ServicesOfPod::RemoveLocked(const ObjectKey& service) {
  const auto found = paths_.find(service);
  if (found == paths_.end()) return;
  std::erase(nodes_[found->second.back()].services, service.name);
  for (const Hash passed : found->second) {
    const auto node = nodes_.find(passed);
    if (--node->second.passing == 0) nodes_.erase(node);
  }
  paths_.erase(found);
}

ServicesOfPod::Found ServicesOfPod::Find(const Pod& pod) const {
  std::vector<Pair> labels;
  labels.reserve(pod.metadata.labels.size());
  for (const auto& [key, value] : pod.metadata.labels) labels.push_back({key, value});
  std::ranges::sort(labels, {}, &Pair::key);

  Found found;
  {
    const MutexLock lock(mutex_);
    const std::string_view namespace_ = pod.metadata.namespace_;
    Descend(RootOf(namespace_), labels, namespace_, found);
  }
  std::ranges::sort(found.services);
  return found;
}

void ServicesOfPod::Descend(Hash from, std::span<const Pair> labels, std::string_view namespace_,
                            Found& found) const {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Hash to = Child(from, labels[i].key, labels[i].value);
    const auto node = nodes_.find(to);
    if (node == nodes_.end()) continue;
    ++found.nodes;
    for (const std::string& name : node->second.services) {
      found.services.push_back({std::string(namespace_), name});
    }
    Descend(to, labels.subspan(i + 1), namespace_, found);
  }
}

std::vector<ObjectKey> ServicesOfPod::ToUpdate(const Pod& old, const Pod& now) const {
  if (old.metadata.resourceVersion == now.metadata.resourceVersion) return {};  // a resync
  const PodChange change = ChangeBetween(old, now);
  if (!change.membership) return change.endpoint ? Of(now) : std::vector<ObjectKey>();
  const std::vector<ObjectKey> had = Of(old);
  const std::vector<ObjectKey> have = Of(now);
  std::vector<ObjectKey> concerned;
  if (change.endpoint) {
    std::ranges::set_union(had, have, std::back_inserter(concerned));
  } else {
    // PARITY: where it stays it is the same endpoint, though its host name be another.
    std::ranges::set_symmetric_difference(had, have, std::back_inserter(concerned));
  }
  return concerned;
}

std::size_t ServicesOfPod::node_count() const {
  const MutexLock lock(mutex_);
  return nodes_.size();
}

}  // namespace flyball::controllers::common
