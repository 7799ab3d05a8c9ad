#include "flyball/client/request_limiter.h"

#include <algorithm>

namespace flyball::client {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::chrono::seconds kWindow(1);
constexpr double kRise = 1.1;
constexpr double kFallOnRefusal = 2.0 / 3;
constexpr double kFallOnSlowness = 0.9;
constexpr double kSlow = 2;       // times the best
constexpr double kDrift = 1.01;   // of the best, a window
constexpr double kNoise = 0.005;  // seconds: less is never slow
constexpr int kTelling = 5;       // fewer answers than this say nothing of the mean

}  // namespace

void FixedLimiter::Acquire() {
  std::chrono::nanoseconds wait;
  {
    MutexLock lock(mutex_);
    wait = bucket_.Take(clock_.SteadyNow());
    waited_ += wait;
  }
  if (wait.count() > 0) clock_.SleepFor(wait);
}

std::chrono::nanoseconds FixedLimiter::waited() const {
  MutexLock lock(mutex_);
  return waited_;
}

void AdaptiveLimiter::Acquire() {
  std::chrono::nanoseconds wait;
  {
    MutexLock lock(mutex_);
    const SteadyTime now = clock_.SteadyNow();
    if (now - window_start_ >= kWindow) EndWindow(now);
    wait = bucket_.Take(now);
    waited_ += wait;
    if (wait.count() > 0) felt_ = true;
  }
  if (wait.count() > 0) clock_.SleepFor(wait);
}

void AdaptiveLimiter::Observe(int status, std::chrono::nanoseconds took) {
  MutexLock lock(mutex_);
  if (status == 429) refused_ = true;
  // What failed says nothing of how fast the server is, nor do lists of everything.
  if (status / 100 != 2 || took > std::chrono::seconds(10)) return;
  ++answers_;
  total_seconds_ += Seconds(took).count();
}

void AdaptiveLimiter::EndWindow(SteadyTime now) {
  double rate = bucket_.rate();
  bool slow = false;
  if (answers_ >= kTelling) {
    const double mean = total_seconds_ / answers_;
    best_ = best_ == 0 ? mean : std::min(best_ * kDrift, mean);
    slow = mean > best_ * kSlow && mean - best_ > kNoise;
  }
  if (refused_) {
    rate *= kFallOnRefusal;
  } else if (slow) {
    rate *= kFallOnSlowness;
  } else if (felt_) {
    rate *= kRise;
  }
  rate = std::clamp(rate, options_.least, options_.most);
  bucket_.SetRate(rate, rate, now);
  window_start_ = now;
  answers_ = 0;
  total_seconds_ = 0;
  refused_ = felt_ = false;
}

std::chrono::nanoseconds AdaptiveLimiter::waited() const {
  MutexLock lock(mutex_);
  return waited_;
}

double AdaptiveLimiter::rate() const {
  MutexLock lock(mutex_);
  return bucket_.rate();
}

}  // namespace flyball::client
