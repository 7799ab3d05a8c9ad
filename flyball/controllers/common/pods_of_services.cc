#include "flyball/controllers/common/pods_of_services.h"

#include <algorithm>
#include <utility>

namespace flyball::controllers::common {
namespace {

using api::ObjectKey;

std::string_view NameOf(const PodsOfServices::Pod& pod) { return pod->metadata.name; }

}  // namespace

void PodsOfServices::Put(const core::v1::Service& service) {
  // First: a pod that comes between the two is then in at least one of them.
  services_.Put(service);
  const ObjectKey key = ObjectKey::Of(service);
  if (service.spec.selector.empty()) {
    const MutexLock lock(mutex_);
    selected_.erase(key);
    return;
  }
  const MutexLock lock(mutex_);
  Selected& its = selected_[key];
  if (its.written == service.spec.selector) return;
  its.written = service.spec.selector;
  its.selector = api::Selector::FromLabels(its.written);
  its.pods = select_(key.namespace_, its.selector);
  // They were chosen among all of the namespace, and may lie in as much room.
  its.pods.shrink_to_fit();
  std::ranges::sort(its.pods, {}, NameOf);
}

void PodsOfServices::Remove(const ObjectKey& service) {
  services_.Remove(service);
  const MutexLock lock(mutex_);
  selected_.erase(service);
}

std::vector<ObjectKey> PodsOfServices::Added(const Pod& pod) {
  auto services = services_.Of(*pod);
  for (const ObjectKey& service : services) Store(service, pod);
  return services;
}

std::vector<ObjectKey> PodsOfServices::Updated(const Pod& old, const Pod& now) {
  if (ChangeBetween(*old, *now).membership) {
    for (const ObjectKey& service : services_.Of(*old)) Drop(service, old);
  }
  // Also what does not matter to endpoints today is there when they are next looked at.
  for (const ObjectKey& service : services_.Of(*now)) Store(service, now);
  return services_.ToUpdate(*old, *now);
}

std::vector<ObjectKey> PodsOfServices::Deleted(const Pod& pod) {
  auto services = services_.Of(*pod);
  for (const ObjectKey& service : services) Drop(service, pod);
  return services;
}

std::vector<PodsOfServices::Pod> PodsOfServices::Of(const ObjectKey& service) const {
  const MutexLock lock(mutex_);
  const auto found = selected_.find(service);
  return found == selected_.end() ? std::vector<Pod>() : found->second.pods;
}

void PodsOfServices::Store(const ObjectKey& service, const Pod& pod) {
  const MutexLock lock(mutex_);
  const auto found = selected_.find(service);
  if (found == selected_.end() || !found->second.selector.Matches(pod->metadata.labels)) return;
  auto& pods = found->second.pods;
  const auto at = std::ranges::lower_bound(pods, NameOf(pod), {}, NameOf);
  if (at != pods.end() && NameOf(*at) == NameOf(pod)) {
    *at = pod;
  } else {
    pods.insert(at, pod);
  }
}

void PodsOfServices::Drop(const ObjectKey& service, const Pod& pod) {
  const MutexLock lock(mutex_);
  const auto found = selected_.find(service);
  if (found == selected_.end()) return;
  auto& pods = found->second.pods;
  const auto at = std::ranges::lower_bound(pods, NameOf(pod), {}, NameOf);
  if (at != pods.end() && NameOf(*at) == NameOf(pod)) pods.erase(at);
}

}  // namespace flyball::controllers::common
