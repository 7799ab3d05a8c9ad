#include "flyball/queue/tenant.h"

namespace flyball::queue {

void Tenants::Join(QueueEntry& entry, std::string_view name, SteadyTime now) {
  auto found = tenants_.find(name);
  if (found == tenants_.end()) {
    ForgetIdle(now);
    found = tenants_.try_emplace(std::string(name)).first;
    found->second.place = found;
    if (retries_) found->second.retries.emplace(retries_->per_second, retries_->burst, now);
  } else if (found->second.entries == 0) {
    idle_.Remove(found->second);
  }
  ++found->second.entries;
  entry.tenant = &found->second;
}

void Tenants::Leave(QueueEntry& entry) {
  Tenant& tenant = *entry.tenant;
  entry.tenant = nullptr;
  if (--tenant.entries > 0) return;
  if (tenant.retries) {
    idle_.PushBack(tenant);
  } else {
    tenants_.erase(tenant.place);
  }
}

/// Two at a time, so that there are never many more than were idle at once within the time that a
/// bucket takes to fill.
void Tenants::ForgetIdle(SteadyTime now) {
  for (int i = 0; i < 2 && !idle_.empty(); ++i) {
    Tenant& oldest = *idle_.front();
    idle_.Remove(oldest);
    if (oldest.retries->IsFull(now)) {
      tenants_.erase(oldest.place);
    } else {
      idle_.PushBack(oldest);
    }
  }
}

}  // namespace flyball::queue
