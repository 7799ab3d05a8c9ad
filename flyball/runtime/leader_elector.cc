#include "flyball/runtime/leader_elector.h"

#include <algorithm>
#include <utility>

#include "flyball/base/log_format.h"

namespace flyball::runtime {

Result<std::unique_ptr<LeaderElector>> LeaderElector::Create(Deps deps, Options options,
                                                             Callbacks callbacks) {
  FLYBALL_TRY(Validate(options.times));
  if (options.identity.empty()) return Fail(ErrorCode::kInvalid, "Lock identity is empty");
  if (options.lease.name.empty()) return Fail(ErrorCode::kInvalid, "lease name is empty");
  if (!deps.random) return Fail(ErrorCode::kInvalid, "source of random numbers is missing");
  return std::unique_ptr<LeaderElector>(
      new LeaderElector(std::move(deps), std::move(options), std::move(callbacks)));
}

LeaderElector::LeaderElector(Deps deps, Options options, Callbacks callbacks)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      lock_(deps_.rest, options_.lease) {
  deps_.metrics.SetLeader(options_.lease.name, false);
}

LeaderElector::Ended LeaderElector::Run(const std::stop_token& stop) {
  if (!Acquire(stop)) return Ended::kStopped;
  leads_ = true;
  deps_.metrics.SetLeader(options_.lease.name, true);
  deps_.log.Info("Successfully acquired lease", {{"lock", lock_.Describe()}});
  Report("became leader");
  if (callbacks_.started) callbacks_.started();
  const Ended ended = Renew(stop);
  deps_.metrics.SetLeader(options_.lease.name, false);
  if (ended == Ended::kLost && deps_.fence) deps_.fence->Close();
  Report("stopped leading");
  if (callbacks_.stopped) callbacks_.stopped();
  return ended;
}

/// False if it was stopped before.
bool LeaderElector::Acquire(const std::stop_token& stop) {
  deps_.log.Info("Attempting to acquire leader lease...", {{"lock", lock_.Describe()}});
  while (!stop.stop_requested()) {
    const Outcome outcome = Try(SteadyTime::max());
    ReportLeader();
    if (outcome == Outcome::kHeld) return true;
    deps_.log.V(4).Info("Failed to acquire lease", {{"lock", lock_.Describe()}});
    deps_.clock.SleepFor(Jittered(), stop);
  }
  return false;
}

LeaderElector::Ended LeaderElector::Renew(const std::stop_token& stop) {
  const LeaseTimes& times = options_.times;
  SteadyTime deadline = deps_.clock.DeadlineAfter(times.renew_deadline);
  while (!stop.stop_requested()) {
    const Outcome outcome = Try(deadline);
    ReportLeader();
    if (outcome == Outcome::kTaken) {
      LogFailedRenewal({ErrorCode::kConflict, "the lease is held by " + Leader()});
      return Ended::kLost;
    }
    if (outcome == Outcome::kGone) {
      LogFailedRenewal({ErrorCode::kNotFound, "the lease was deleted"});
      return Ended::kLost;
    }
    const bool held = outcome == Outcome::kHeld;
    const SteadyTime next = deps_.clock.DeadlineAfter(times.retry_period);
    deps_.clock.SleepUntil(held ? next : std::min(next, deadline), stop);
    if (held) {
      deps_.log.V(5).Info("Successfully renewed lease", {{"lock", lock_.Describe()}});
      deadline = deps_.clock.DeadlineAfter(times.renew_deadline);
    } else if (deps_.clock.SteadyNow() >= deadline) {
      LogFailedRenewal(
          {ErrorCode::kTimeout, "not renewed within " + FormatDuration(times.renew_deadline)});
      return Ended::kLost;
    }
  }
  return Ended::kStopped;
}

void LeaderElector::LogFailedRenewal(const Error& why) const {
  deps_.log.Info("Failed to renew lease", {{"lock", lock_.Describe()}, {"err", why}});
}

LeaderElector::Outcome LeaderElector::Try(SteadyTime deadline) {
  if (RenewWhatWeSawLast(deadline)) return Outcome::kHeld;
  if (deps_.clock.SteadyNow() >= deadline) return Outcome::kNotHeld;
  return ReadAndWrite(deadline);
}

/// The fast path: if the lease is as we left it, one request is enough.
bool LeaderElector::RenewWhatWeSawLast(SteadyTime deadline) {
  const bool ours = lease_ && HolderOf(*lease_) == options_.identity;
  if (!ours || !StillHolds(deps_.clock.SteadyNow())) return false;
  const auto written = Write(Renewed(*lease_, options_.times, deps_.clock.WallNow()), deadline);
  if (!written) {
    deps_.log.V(2).Info("Failed to update lease optimistically, falling back to slow path",
                        {{"lock", lock_.Describe()}, {"err", written.error()}});
  }
  return written.has_value();
}

LeaderElector::Outcome LeaderElector::ReadAndWrite(SteadyTime deadline) {
  const SteadyTime now = deps_.clock.SteadyNow();
  auto read = lock_.Get(TimeFor(deadline));
  if (!read && read.error().code() == ErrorCode::kNotFound) return WriteMissing(now, deadline);
  if (!read) {
    deps_.log.Error(read.error(), "Error retrieving lease lock", {{"lock", lock_.Describe()}});
    return Outcome::kNotHeld;
  }
  Observe(*std::move(read));
  const std::string_view holder = HolderOf(*lease_);
  const WallTime wall = deps_.clock.WallNow();
  if (holder == options_.identity) {
    if (leads_) deps_.metrics.CountSlowPath(options_.lease.name);
    return WriteRead(Renewed(*lease_, options_.times, wall), deadline);
  }
  // DIVERGES: upstream goes on until its deadline, and may take the lease anew as if nothing had
  // been; but somebody else has led, or still does.
  if (leads_) return Outcome::kTaken;
  if (!holder.empty() && StillHolds(now)) {
    deps_.log.V(4).Info("Lease is held by and has not yet expired",
                        {{"lock", lock_.Describe()}, {"holder", holder}});
    return Outcome::kNotHeld;
  }
  return WriteRead(Acquired(*lease_, options_.identity, options_.times, wall), deadline);
}

Result<> LeaderElector::Write(const Lease& lease, SteadyTime deadline) {
  const SteadyTime start = deps_.clock.SteadyNow();
  return Wrote(lock_.Update(lease, TimeFor(deadline)), start);
}

/// The slow path's: of a lease that was read a moment ago.
LeaderElector::Outcome LeaderElector::WriteRead(const Lease& lease, SteadyTime deadline) {
  const auto written = Write(lease, deadline);
  if (written) return Outcome::kHeld;
  deps_.log.Error(written.error(), "Failed to update lease", {{"lock", lock_.Describe()}});
  return Outcome::kNotHeld;
}

// DIVERGES: upstream makes a lease that is gone at once, as a candidate and as the leader. But that
// somebody deleted it stops nobody: its holder writes until its last renewal has run out, and two
// would. And a leader that finds it gone cannot know whether another made it, led, and gave it
// back.
LeaderElector::Outcome LeaderElector::WriteMissing(SteadyTime now, SteadyTime deadline) {
  if (leads_) return Outcome::kGone;
  const bool anothers =
      lease_ && !HolderOf(*lease_).empty() && HolderOf(*lease_) != options_.identity;
  if (!anothers || !StillHolds(now)) return WriteNew(deadline);
  deps_.log.V(4).Info("Lease was deleted, and its last holder's term has not yet expired",
                      {{"lock", lock_.Describe()}, {"holder", HolderOf(*lease_)}});
  return Outcome::kNotHeld;
}

LeaderElector::Outcome LeaderElector::WriteNew(SteadyTime deadline) {
  const Lease lease =
      NewLease(options_.lease, options_.identity, options_.times, deps_.clock.WallNow());
  const SteadyTime start = deps_.clock.SteadyNow();
  const auto written = Wrote(lock_.Create(lease, TimeFor(deadline)), start);
  if (written) return Outcome::kHeld;
  deps_.log.Error(written.error(), "Error initially creating lease lock",
                  {{"lock", lock_.Describe()}});
  return Outcome::kNotHeld;
}

Result<> LeaderElector::Wrote(Result<Lease> written, SteadyTime start) {
  if (!written) return std::unexpected(written.error());
  if (deps_.fence) deps_.fence->Renewed(start, LengthOf(*written));
  Observe(*std::move(written));
  return {};
}

Result<> LeaderElector::Release() {
  if (deps_.fence) deps_.fence->Close();
  if (!std::exchange(leads_, false)) return {};
  const SteadyTime deadline = deps_.clock.DeadlineAfter(options_.times.renew_deadline);
  auto released = TryRelease(deadline);
  // A renewal whose answer we did not wait for may have come between.
  while (!released && released.error().code() == ErrorCode::kConflict &&
         deps_.clock.SteadyNow() < deadline) {
    deps_.log.V(4).Info("Conflict when releasing lease, retrying", {{"lock", lock_.Describe()}});
    auto read = lock_.Get(TimeFor(deadline));
    if (!read) return FailedToReadForRelease(read.error());
    lease_ = *std::move(read);
    released = TryRelease(deadline);
  }
  if (!released) {
    deps_.log.Error(released.error(), "Failed to release lease", {{"lock", lock_.Describe()}});
  }
  return released;
}

Result<> LeaderElector::FailedToReadForRelease(const Error& error) const {
  if (error.code() == ErrorCode::kNotFound) {
    deps_.log.Info("lease lock not found", {{"lock", lock_.Describe()}});
  } else {
    deps_.log.Error(error, "error retrieving resource lock", {{"lock", lock_.Describe()}});
  }
  return std::unexpected(error);
}

// DIVERGES: upstream looks at who held the lease when it last renewed, not at who does now, and so
// can end the term of whoever has taken over since.
Result<> LeaderElector::TryRelease(SteadyTime deadline) {
  if (!lease_ || HolderOf(*lease_) != options_.identity) return {};
  const Lease released = Released(*lease_, deps_.clock.WallNow());
  FLYBALL_TRY(auto written, lock_.Update(released, TimeFor(deadline)));
  Observe(std::move(written));
  deps_.log.Info("Released lease", {{"lock", lock_.Describe()}});
  return {};
}

/// Whether the lease that we know of has not run out by `now`.
bool LeaderElector::StillHolds(SteadyTime now) const {
  MutexLock lock(mutex_);
  return now < changed_at_ + LengthOf(*lease_);
}

/// Only a change of what election is about counts as a sign of life: a label that somebody puts on
/// the lease does not.
void LeaderElector::Observe(Lease lease) {
  const bool changed = !lease_ || lease_->spec != lease.spec;
  lease_ = std::move(lease);
  if (!changed) return;
  const SteadyTime now = deps_.clock.SteadyNow();
  MutexLock lock(mutex_);
  holder_ = HolderOf(*lease_);
  changed_at_ = now;
}

void LeaderElector::ReportLeader() {
  std::string leader = Leader();
  if (leader == reported_) return;
  reported_ = std::move(leader);
  deps_.log.Info(reported_.empty() ? "Lease has no holder" : "New leader elected",
                 {{"lock", lock_.Describe()}, {"holder", reported_}});
  if (callbacks_.new_leader) callbacks_.new_leader(reported_);
}

void LeaderElector::Report(const char* message) const {
  if (callbacks_.event) callbacks_.event(*lease_, options_.identity + " " + message);
}

bool LeaderElector::IsLeader() const { return Leader() == options_.identity; }

std::string LeaderElector::Leader() const {
  MutexLock lock(mutex_);
  return holder_;
}

Result<> LeaderElector::Check(std::chrono::nanoseconds tolerance) const {
  const SteadyTime now = deps_.clock.SteadyNow();
  MutexLock lock(mutex_);
  if (holder_ != options_.identity || now - changed_at_ <= options_.times.duration + tolerance) {
    return {};
  }
  return Fail(ErrorCode::kTimeout,
              "failed election to renew leadership on lease " + options_.lease.name);
}

/// What one request may take: half of the deadline, as upstream has it, so that one that hangs does
/// not cost the leadership; but a second, and never more than is left.
std::chrono::nanoseconds LeaderElector::TimeFor(SteadyTime deadline) const {
  const std::chrono::nanoseconds some = std::max<std::chrono::nanoseconds>(
      options_.times.renew_deadline / 2, std::chrono::seconds(1));
  return std::min(some, deadline - deps_.clock.SteadyNow());
}

std::chrono::nanoseconds LeaderElector::Jittered() const {
  constexpr double kMost = 18446744073709551616.0;  // 2^64
  const double part = static_cast<double>(deps_.random()) / kMost;
  const std::chrono::duration<double, std::nano> period = options_.times.retry_period;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(period *
                                                              (1 + part * kElectionJitter));
}

}  // namespace flyball::runtime
