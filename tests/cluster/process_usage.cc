#include "tests/cluster/process_usage.h"

#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace flyball::cluster {
namespace {

std::string FileOf(pid_t process, const char* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

/// To the nanosecond: what idles does not reach a tick of /proc's.
double CpuSecondsOf(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

ProcessUsage UsageOf(const std::vector<pid_t>& processes) {
  ProcessUsage usage;
  for (const pid_t process : processes) {
    usage.cpu_seconds += CpuSecondsOf(process);
    std::ifstream status(FileOf(process, "status"));
    std::string name;
    double kilobytes = 0;
    for (std::string line; std::getline(status, line);) {
      std::istringstream fields(line);
      fields >> name >> kilobytes;
      if (name == "VmRSS:") usage.resident_mb += kilobytes / 1024;
      if (name == "VmHWM:") usage.peak_mb += kilobytes / 1024;
    }
  }
  return usage;
}

void ResetPeak(pid_t process) {
  constexpr char kPeakOfResident = '5';  // proc(5)
  std::ofstream(FileOf(process, "clear_refs")) << kPeakOfResident;
}

}  // namespace flyball::cluster
