#pragma once

#include <sys/types.h>

#include <vector>

namespace flyball::cluster {

/// What processes have used so far, all together.
struct ProcessUsage {
  double cpu_seconds = 0;
  double resident_mb = 0;
  double peak_mb = 0;
};
ProcessUsage UsageOf(const std::vector<pid_t>& processes);
/// From now on, the peak of a process is the most that it has had since now.
void ResetPeak(pid_t process);

}  // namespace flyball::cluster
