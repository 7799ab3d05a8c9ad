#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/base/clock.h"
#include "flyball/base/token_bucket.h"
#include "flyball/queue/back_off.h"
#include "flyball/queue/queue_entry.h"

namespace flyball::queue {

/// The waiting entries of a tenant, of one priority, and its place among other tenants'.
struct TenantLine {
  EntryList entries;
  TenantLine* previous = nullptr;
  TenantLine* next = nullptr;
};

/// On whose behalf keys are processed: a namespace, or the cluster for keys without one. A queue
/// serves its tenants in turn, and each has its own share of retries, so that the keys of one
/// neither stand before those of all others nor slow down their retries.
struct Tenant {
  TenantLine live;
  TenantLine background;
  std::optional<TokenBucket> retries;  ///< none: retries are not limited together
  std::size_t entries = 0;             ///< of the queue that name it

  // The list of those without entries.
  Tenant* previous = nullptr;
  Tenant* next = nullptr;
  std::map<std::string, Tenant, std::less<>>::iterator place = {};
};

/// The tenants of a queue. One without entries is remembered only for as long as its retries are
/// limited. Not for several threads at once.
class Tenants {
 public:
  explicit Tenants(std::optional<BackOff::Overall> retries) : retries_(retries) {}
  Tenants(const Tenants&) = delete;
  Tenants& operator=(const Tenants&) = delete;

  /// An entry comes to be; it must Leave() before it goes.
  void Join(QueueEntry& entry, std::string_view name, SteadyTime now);
  void Leave(QueueEntry& entry);

  std::size_t size() const { return tenants_.size(); }

 private:
  void ForgetIdle(SteadyTime now);

  const std::optional<BackOff::Overall> retries_;
  // A tree, since tenants choose the names.
  std::map<std::string, Tenant, std::less<>> tenants_;
  LinkedList<Tenant> idle_;  // by when the last entry left
};

}  // namespace flyball::queue
