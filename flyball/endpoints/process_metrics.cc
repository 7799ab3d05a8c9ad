#include "flyball/endpoints/process_metrics.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace flyball::endpoints {
namespace {

Result<std::string> Contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return Fail(ErrorCode::kIo, "could not read " + path.string());
  return text.str();
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

double Number(const std::vector<std::string>& words, std::size_t at) {
  return at < words.size() ? std::strtod(words[at].c_str(), nullptr) : 0;
}

/// The soft limit in a line of /proc/self/limits, which begins with what is limited.
double Limit(const std::string& limits, const std::string& what) {
  const std::size_t line = limits.find(what);
  if (line == std::string::npos) return 0;
  const auto words = Words(limits.substr(line + what.size(), 100));
  if (words.empty()) return 0;
  // As a number without end is written that is one.
  if (words[0] == "unlimited") {
    return static_cast<double>(std::numeric_limits<std::uint64_t>::max());
  }
  return Number(words, 0);
}

/// The seconds of the epoch at which the machine started.
double BootTime(const std::string& stat) {
  const std::size_t line = stat.find("\nbtime ");
  return line == std::string::npos ? 0 : std::strtod(stat.c_str() + line + 7, nullptr);
}

/// /proc/self/net/netstat has a line of names for each line of numbers.
double NetworkNumber(const std::string& netstat, const std::string& name) {
  std::istringstream lines(netstat);
  std::string names;
  std::string numbers;
  while (std::getline(lines, names) && std::getline(lines, numbers)) {
    if (!names.starts_with("IpExt:")) continue;
    const auto all_names = Words(names);
    const auto at = std::ranges::find(all_names, name);
    if (at == all_names.end()) return 0;
    return Number(Words(numbers), static_cast<std::size_t>(at - all_names.begin()));
  }
  return 0;
}

double CountFiles(const std::filesystem::path& folder) {
  std::error_code failed;
  double count = 0;
  for (std::filesystem::directory_iterator file(folder, failed), end; !failed && file != end;
       file.increment(failed)) {
    ++count;
  }
  return count;
}

}  // namespace

Result<ProcessFacts> ProcessFacts::Read(const std::filesystem::path& proc) {
  FLYBALL_TRY(const std::string stat, Contents(proc / "self/stat"));
  FLYBALL_TRY(const std::string limits, Contents(proc / "self/limits"));
  FLYBALL_TRY(const std::string machine, Contents(proc / "stat"));
  // The program's name is in brackets, and may itself have any; what follows is the third field.
  const auto fields = Words(stat.substr(std::min(stat.rfind(')'), stat.size() - 1) + 1));
  constexpr std::size_t kUserTicks = 14 - 3;
  constexpr std::size_t kSystemTicks = 15 - 3;
  constexpr std::size_t kStartTicks = 22 - 3;
  constexpr std::size_t kVirtualBytes = 23 - 3;
  constexpr std::size_t kResidentPages = 24 - 3;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));

  ProcessFacts facts;
  facts.cpu_seconds = (Number(fields, kUserTicks) + Number(fields, kSystemTicks)) / ticks;
  facts.virtual_bytes = Number(fields, kVirtualBytes);
  facts.resident_bytes =
      Number(fields, kResidentPages) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const std::chrono::duration<double> start(BootTime(machine) +
                                            Number(fields, kStartTicks) / ticks);
  facts.start = WallTime(std::chrono::duration_cast<std::chrono::nanoseconds>(start));
  facts.most_files = Limit(limits, "Max open files");
  facts.most_virtual_bytes = Limit(limits, "Max address space");
  facts.open_files = CountFiles(proc / "self/fd");
  if (const auto netstat = Contents(proc / "self/net/netstat")) {
    facts.received_bytes = NetworkNumber(*netstat, "InOctets");
    facts.sent_bytes = NetworkNumber(*netstat, "OutOctets");
  }
  return facts;
}

double SecondsSinceEpoch(WallTime time) {
  // A double has not room for all nanoseconds, and would show what it made of them.
  const auto exact = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  return std::chrono::duration<double>(exact).count();
}

ProcessMetrics::ProcessMetrics(MetricRegistry& registry) {
  const auto counter = [&](const char* name, const char* help) {
    return registry.Counters({.name = name, .help = help}).With();
  };
  const auto gauge = [&](const char* name, const char* help) {
    return registry.Gauges({.name = name, .help = help}).With();
  };
  cpu_ = counter("process_cpu_seconds_total",
                 "CPU time that the process has used in user and system mode, in seconds.");
  received_ = counter(
      "process_network_receive_bytes_total",
      "Number of bytes received over the network, in the network namespace of the process.");
  sent_ = counter(
      "process_network_transmit_bytes_total",
      "Number of bytes transmitted over the network, in the network namespace of the process.");
  open_files_ = gauge("process_open_fds", "Number of file descriptors that the process has open.");
  most_files_ = gauge("process_max_fds",
                      "Limit of the number of file descriptors that the process may have open.");
  virtual_bytes_ = gauge("process_virtual_memory_bytes", "Virtual memory of the process in bytes.");
  most_virtual_bytes_ = gauge("process_virtual_memory_max_bytes",
                              "Limit of the virtual memory of the process in bytes.");
  resident_bytes_ =
      gauge("process_resident_memory_bytes", "Resident memory of the process (RSS) in bytes.");
  start_ = gauge("process_start_time_seconds",
                 "Time at which the process started, in seconds since the Unix epoch.");
}

void ProcessMetrics::Update(const Result<ProcessFacts>& facts) {
  if (!facts) return;
  MutexLock lock(mutex_);
  cpu_.Add(facts->cpu_seconds - last_.cpu_seconds);
  received_.Add(facts->received_bytes - last_.received_bytes);
  sent_.Add(facts->sent_bytes - last_.sent_bytes);
  open_files_.Set(facts->open_files);
  most_files_.Set(facts->most_files);
  virtual_bytes_.Set(facts->virtual_bytes);
  most_virtual_bytes_.Set(facts->most_virtual_bytes);
  resident_bytes_.Set(facts->resident_bytes);
  start_.Set(SecondsSinceEpoch(facts->start));
  last_ = *facts;
}

}  // namespace flyball::endpoints
