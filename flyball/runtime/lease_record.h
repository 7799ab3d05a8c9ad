#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "flyball/api/coordination/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/base/clock.h"
#include "flyball/base/result.h"

/// What leader election writes into a Lease, as values: nothing here asks for the time or talks to
/// a server. What it does not understand it leaves as it is.
namespace flyball::runtime {

using coordination::v1::Lease;

/// How fast things go. What is shorter finds a dead leader sooner, and asks more of the server.
struct LeaseTimes {
  /// For how long a candidate must have seen no renewal before it takes over. Whole seconds are
  /// written; what is beyond them is lost.
  std::chrono::nanoseconds duration = std::chrono::seconds(15);
  /// For how long a leader tries to renew before it gives up.
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  /// Between two renewals of a leader. Candidates look after one to 2.2 of these, at random, so
  /// that they do not come all at once.
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);

  /// As it is written.
  std::chrono::seconds written() const {
    return std::chrono::floor<std::chrono::seconds>(duration);
  }
};

/// How much longer than the retry period a candidate waits at most, as a part of it.
inline constexpr double kElectionJitter = 1.2;

/// kInvalid, with what is wrong.
Result<> Validate(const LeaseTimes& times);

/// Empty: nobody.
std::string_view HolderOf(const Lease& lease);
/// For how long it holds after it was seen.
std::chrono::seconds LengthOf(const Lease& lease);

/// A lease where there was none, held by `identity`.
Lease NewLease(const api::ObjectKey& key, std::string identity, const LeaseTimes& times,
               WallTime now);
/// `lease` taken over from whoever had it.
Lease Acquired(Lease lease, std::string identity, const LeaseTimes& times, WallTime now);
/// `lease` still held by who holds it.
Lease Renewed(Lease lease, const LeaseTimes& times, WallTime now);
/// `lease` free for anybody, at once.
Lease Released(Lease lease, WallTime now);

}  // namespace flyball::runtime
