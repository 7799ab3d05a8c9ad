#pragma once

#include <chrono>
#include <string>

#include "flyball/api/object_key.h"
#include "flyball/base/result.h"
#include "flyball/client/resource_client.h"
#include "flyball/client/rest_client.h"
#include "flyball/runtime/lease_record.h"

namespace flyball::runtime {

/// One Lease on the server. Each call is one request, with an end set to it that the server knows
/// of too. As ResourceClient's verbs, but not repeated: an elector has its own rhythm.
class LeaseLock {
 public:
  LeaseLock(client::RestClient& rest, api::ObjectKey key)
      : rest_(rest), key_(std::move(key)), requests_(client::Resource::Of<Lease>()) {}

  /// What upstream's log lines have as the lock: a text, and no object.
  std::string Describe() const { return key_.ToString(); }

  Result<Lease> Get(std::chrono::nanoseconds timeout) const;
  Result<Lease> Create(const Lease& lease, std::chrono::nanoseconds timeout) const;
  /// kConflict if it has changed since it was read.
  Result<Lease> Update(const Lease& lease, std::chrono::nanoseconds timeout) const;

 private:
  Result<Lease> Do(client::RestRequest request, std::chrono::nanoseconds timeout) const;
  Result<Lease> Send(client::RestRequest request, const Lease& lease,
                     std::chrono::nanoseconds timeout) const;

  client::RestClient& rest_;
  const api::ObjectKey key_;
  const client::ResourceRequests requests_;
};

}  // namespace flyball::runtime
