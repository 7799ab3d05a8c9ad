#include "benchmarks/process_usage.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace flyball::bench {
namespace {

std::string FileOf(pid_t process, const char* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

double CpuSecondsOf(pid_t process) {
  std::ifstream file(FileOf(process, "stat"));
  std::string line;
  std::getline(file, line);
  // The name comes second, in brackets, and may have blanks in it.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
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

}  // namespace flyball::bench
