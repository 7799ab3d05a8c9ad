#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "flyball/base/clock.h"
#include "flyball/transport/write_fence.h"

namespace flyball::runtime {

/// Until when a leader may act. A Lease alone fences nothing: a leader that was paused, or could
/// not reach the server, does not know by itself that there is another now. So its clients have
/// this as their fence (client::RestClient::Deps::fence), and nothing that changes the cluster
/// leaves when it is closed, whatever the rest of the process believes.
///
/// It is open from a renewal until the lease that this renewal wrote has run out, less a margin.
/// The lease is reckoned from the *start* of the request: others can have seen it no earlier, and
/// wait for its whole length from when they see it, so they cannot take over before. It is reckoned
/// on a clock that goes on while the machine is suspended.
///
/// The margin is a tenth of the lease: for clocks that run at different rates (NTP lets them differ
/// by one in two thousand), and for bytes that have left and are still on their way (a segment that
/// is lost is sent again after 200 ms; the lease is 15 s by default). The elector gives up earlier
/// than this: retry period and renew deadline, 12 s, come before 13.5.
///
/// What it cannot hold back is a write that has left in time and is carried out late. For that, the
/// clients tell the server how long it may take (`timeout=`), and deletes ought to say by uid what
/// they mean.
///
/// Closed at first, and closed for good by Close(): what was planned in one term must not slip into
/// another. Who stands for election again takes a new one. Any thread.
class LeadershipFence final : public transport::WriteFence {
 public:
  explicit LeadershipFence(const Clock& clock) : clock_(clock) {}

  /// A request that was started then has written a lease of this length.
  void Renewed(SteadyTime start, std::chrono::nanoseconds lease);
  void Close() { closed_ = true; }

  std::chrono::nanoseconds Left() const override;
  std::string WhyClosed() const override { return "no longer the leader"; }
  void Unsettled(SteadyTime until) const override;
  /// The server may carry out what has left until then. A lease that is given back before would let
  /// another lead who does not see it coming.
  SteadyTime unsettled_until() const { return unsettled_until_; }

 private:
  const Clock& clock_;
  std::atomic<SteadyTime> until_ = SteadyTime::min();
  std::atomic<bool> closed_ = false;
  mutable std::atomic<SteadyTime> unsettled_until_ = SteadyTime::min();
};

}  // namespace flyball::runtime
