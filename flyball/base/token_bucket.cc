#include "flyball/base/token_bucket.h"

#include <algorithm>

#include "flyball/base/saturating.h"

namespace flyball {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

std::chrono::nanoseconds TokenBucket::Take(SteadyTime now) {
  Fill(now);
  tokens_ -= 1;
  if (tokens_ >= 0) return {};
  return SaturatingNanoseconds(Seconds(-tokens_ / rate_));
}

bool TokenBucket::TryTake(SteadyTime now) {
  const double left = TokensAt(now) - 1;
  const Seconds missing(-left / rate_);
  if (SaturatingNanoseconds(missing).count() > 0) return false;
  tokens_ = left;
  filled_ = now;
  return true;
}

void TokenBucket::SetRate(double rate, double burst, SteadyTime now) {
  Fill(now);
  rate_ = rate;
  burst_ = burst;
  tokens_ = std::min(tokens_, burst_);
}

double TokenBucket::TokensAt(SteadyTime now) const {
  return std::min(burst_, tokens_ + Seconds(now - filled_).count() * rate_);
}

void TokenBucket::Fill(SteadyTime now) {
  tokens_ = TokensAt(now);
  filled_ = now;
}

}  // namespace flyball
