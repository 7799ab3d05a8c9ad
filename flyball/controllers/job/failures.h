#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "flyball/api/time.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/job/job_pod.h"

/// How long to wait before a pod is made in place of one that failed.
namespace flyball::controllers::job {

inline constexpr std::chrono::seconds kFirstBackOff{10};
inline constexpr std::chrono::minutes kLongestBackOff{10};

/// The failures of a job since one of its pods last succeeded.
struct Failures {
  std::int32_t count = 0;
  std::optional<api::Time> last = std::nullopt;

  friend bool operator==(const Failures&, const Failures&) = default;
};

/// With pods that have ended since. Where some of them succeeded, only what failed later than the
/// last of these counts.
Failures With(Failures before, const std::vector<PodRef>& succeeded,
              const std::vector<PodRef>& failed);

/// What is left of the time after the last of so many failures in a row: ten seconds after one, and
/// twice as long with each, up to ten minutes.
std::chrono::nanoseconds BackOffLeft(const Failures& failures, WallTime now);
/// Of the index that a pod failed in; that may have failed before.
std::chrono::nanoseconds BackOffLeft(const views::Pod& failed, WallTime now);

}  // namespace flyball::controllers::job
