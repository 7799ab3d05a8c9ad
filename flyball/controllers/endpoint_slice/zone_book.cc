#include "flyball/controllers/endpoint_slice/zone_book.h"

#include <algorithm>
#include <utility>

namespace flyball::controllers::endpoint_slice {

using api::ObjectKey;
using common::IpFamily;

void ZoneBook::SetShares(ZoneShares shares) {
  const MutexLock lock(mutex_);
  shares_ = std::move(shares);
}

ZoneShares ZoneBook::shares() const {
  const MutexLock lock(mutex_);
  return shares_;
}

std::vector<ObjectKey> ZoneBook::Overloaded() const {
  std::vector<ObjectKey> overloaded;
  const MutexLock lock(mutex_);
  for (const auto& [service, hinted] : services_) {
    bool any = false;
    for (const auto& [family, counts] : hinted.counts) any = any || IsOverloaded(counts, shares_);
    if (any) overloaded.push_back(service);
  }
  std::ranges::sort(overloaded);
  return overloaded;
}

bool ZoneBook::Put(const ObjectKey& service, IpFamily family, ZoneCounts counts) {
  const MutexLock lock(mutex_);
  Hinted& hinted = services_[service];
  hinted.counts[family] = std::move(counts);
  return !std::exchange(hinted.told, true);
}

bool ZoneBook::Remove(const ObjectKey& service, IpFamily family) {
  const MutexLock lock(mutex_);
  const auto found = services_.find(service);
  if (found == services_.end()) return false;
  const bool had = std::exchange(found->second.told, false);
  found->second.counts.erase(family);
  if (found->second.counts.empty()) services_.erase(found);
  return had;
}

void ZoneBook::Forget(const ObjectKey& service) {
  const MutexLock lock(mutex_);
  services_.erase(service);
}

}  // namespace flyball::controllers::endpoint_slice
