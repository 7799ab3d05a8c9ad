#include "flyball/runtime/lease_record.h"

#include <limits>
#include <utility>

#include "flyball/base/wrapping.h"

namespace flyball::runtime {
namespace {

std::int32_t Seconds(const LeaseTimes& times) {
  return static_cast<std::int32_t>(times.written().count());
}

}  // namespace

Result<> Validate(const LeaseTimes& times) {
  const auto invalid = [](std::string what) { return Fail(ErrorCode::kInvalid, std::move(what)); };
  // DIVERGES: upstream takes less than a second, writes 0, and is refused by the server for ever.
  if (times.duration < std::chrono::seconds(1)) {
    return invalid("leaseDuration must be at least 1s");
  }
  if (times.written().count() > std::numeric_limits<std::int32_t>::max()) {
    return invalid("leaseDuration must be less than 68 years");
  }
  if (times.retry_period.count() <= 0) return invalid("retryPeriod must be greater than zero");
  if (times.duration <= times.renew_deadline) {
    return invalid("leaseDuration must be greater than renewDeadline");
  }
  if (std::chrono::duration<double>(times.renew_deadline) <=
      std::chrono::duration<double>(times.retry_period) * kElectionJitter) {
    return invalid("renewDeadline must be greater than retryPeriod*JitterFactor");
  }
  return {};
}

std::string_view HolderOf(const Lease& lease) {
  if (!lease.spec.holderIdentity) return {};
  return *lease.spec.holderIdentity;
}

std::chrono::seconds LengthOf(const Lease& lease) {
  return std::chrono::seconds(lease.spec.leaseDurationSeconds.value_or(0));
}

Lease NewLease(const api::ObjectKey& key, std::string identity, const LeaseTimes& times,
               WallTime now) {
  Lease lease;
  lease.metadata.namespace_ = key.namespace_;
  lease.metadata.name = key.name;
  lease.spec.holderIdentity = std::move(identity);
  lease.spec.leaseDurationSeconds = Seconds(times);
  lease.spec.acquireTime = lease.spec.renewTime = api::MicroTime(now);
  lease.spec.leaseTransitions = 0;
  return lease;
}

Lease Acquired(Lease lease, std::string identity, const LeaseTimes& times, WallTime now) {
  lease.spec.holderIdentity = std::move(identity);
  lease.spec.leaseDurationSeconds = Seconds(times);
  lease.spec.acquireTime = lease.spec.renewTime = api::MicroTime(now);
  lease.spec.leaseTransitions = WrappingAdd(lease.spec.leaseTransitions.value_or(0), 1);
  return lease;
}

// DIVERGES: upstream drops `strategy` and `preferredHolder` here and below, since it writes the
// spec from a record of its own that has neither. Coordinated election would have to set them anew.
Lease Renewed(Lease lease, const LeaseTimes& times, WallTime now) {
  lease.spec.leaseDurationSeconds = Seconds(times);
  lease.spec.renewTime = api::MicroTime(now);
  // PARITY: both are written even where there were none.
  if (!lease.spec.acquireTime) lease.spec.acquireTime = api::MicroTime();
  if (!lease.spec.leaseTransitions) lease.spec.leaseTransitions = 0;
  return lease;
}

Lease Released(Lease lease, WallTime now) {
  lease.spec.holderIdentity = "";
  lease.spec.leaseDurationSeconds = 1;  // the server does not take zero
  lease.spec.acquireTime = lease.spec.renewTime = api::MicroTime(now);
  lease.spec.leaseTransitions = lease.spec.leaseTransitions.value_or(0);
  return lease;
}

}  // namespace flyball::runtime
