#pragma once

#include <chrono>

#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"
#include "flyball/base/token_bucket.h"

namespace flyball::client {

/// Holds back requests so that a server is not overrun. Any thread.
class RequestLimiter {
 public:
  virtual ~RequestLimiter() = default;
  /// Blocks until the next request may go; first come, first served.
  virtual void Acquire() = 0;
  /// What came of one: its status, or 0 where there was no answer.
  virtual void Observe(int status, std::chrono::nanoseconds took) = 0;
  /// How long callers have waited so far, all in all.
  virtual std::chrono::nanoseconds waited() const = 0;
};

/// As many requests a second as it is told, and `burst` at once: --kube-api-qps, --kube-api-burst.
class FixedLimiter final : public RequestLimiter {
 public:
  FixedLimiter(Clock& clock, double rate, double burst)
      : clock_(clock), bucket_(rate, burst, clock.SteadyNow()) {}

  void Acquire() override;
  void Observe(int, std::chrono::nanoseconds) override {}
  std::chrono::nanoseconds waited() const override;

 private:
  Clock& clock_;
  mutable Mutex mutex_;
  TokenBucket bucket_ FLYBALL_GUARDED_BY(mutex_);
  std::chrono::nanoseconds waited_ FLYBALL_GUARDED_BY(mutex_) = {};
};

/// As many requests as the server answers promptly. Where the limit is felt and all goes well, it
/// rises, by a tenth a second; when the server says 429, or takes more than twice as long as it
/// does at its best, it falls, by a third or a tenth. So it finds what a server bears and leaves
/// room for others, who do the same.
// DIVERGES: upstream sends 20 a second unless told otherwise, whatever the server can do.
class AdaptiveLimiter final : public RequestLimiter {
 public:
  struct Options {
    double start = 100;
    double least = 5;
    double most = 10'000;
  };

  AdaptiveLimiter(Clock& clock, Options options)
      : clock_(clock),
        options_(options),
        bucket_(options.start, options.start, clock.SteadyNow()),
        window_start_(clock.SteadyNow()) {}
  explicit AdaptiveLimiter(Clock& clock) : AdaptiveLimiter(clock, Options()) {}

  void Acquire() override;
  void Observe(int status, std::chrono::nanoseconds took) override;
  std::chrono::nanoseconds waited() const override;
  /// What it has come to, in requests a second.
  double rate() const;

 private:
  void EndWindow(SteadyTime now) FLYBALL_REQUIRES(mutex_);

  Clock& clock_;
  const Options options_;
  mutable Mutex mutex_;
  TokenBucket bucket_ FLYBALL_GUARDED_BY(mutex_);
  std::chrono::nanoseconds waited_ FLYBALL_GUARDED_BY(mutex_) = {};
  /// The mean time that an answer takes when it takes little; drifts up slowly, so that a server
  /// that has become slower for good is not held to its past for ever.
  double best_ FLYBALL_GUARDED_BY(mutex_) = 0;

  // Of the window that is under way, a second long.
  SteadyTime window_start_ FLYBALL_GUARDED_BY(mutex_);
  int answers_ FLYBALL_GUARDED_BY(mutex_) = 0;
  double total_seconds_ FLYBALL_GUARDED_BY(mutex_) = 0;
  bool refused_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool felt_ FLYBALL_GUARDED_BY(mutex_) = false;  // somebody had to wait
};

}  // namespace flyball::client
