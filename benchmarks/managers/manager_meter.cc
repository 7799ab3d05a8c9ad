#include "benchmarks/managers/manager_meter.h"

#include <algorithm>
#include <chrono>

namespace flyball::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kAfterwards = 2s;

}  // namespace

int Cost::AllRequests() const {
  int all = 0;
  for (const auto& [verb, count] : requests) all += count;
  return all;
}

void ManagerMeter::CatchUp() {
  Cost before;
  CountRequests(before);
}

void ManagerMeter::Follow(pid_t process) {
  process_ = process;
  Begin();
  streams_.clear();
  cpu_seconds_ = 0;
}

void ManagerMeter::Begin() {
  CatchUp();
  cluster::ResetPeak(process_);
  begin_ = clock_.SteadyNow();
  cpu_seconds_ = cluster::UsageOf({process_}).cpu_seconds;
  received_ = proxy_.received();
}

Cost ManagerMeter::End() {
  Cost cost;
  cost.wall_seconds = std::chrono::duration<double>(clock_.SteadyNow() - begin_).count();
  clock_.SleepFor(kAfterwards);
  const cluster::ProcessUsage used = cluster::UsageOf({process_});
  cost.cpu_seconds = used.cpu_seconds - cpu_seconds_;
  cost.resident_mb = used.resident_mb;
  cost.peak_mb = used.peak_mb;
  cost.received_mb = static_cast<double>(proxy_.received() - received_) / (1 << 20);
  CountRequests(cost);
  return cost;
}

void ManagerMeter::CountRequests(Cost& cost) {
  for (const cluster::AuditedRequest& one : audit_.ReadOn()) {
    if (!one.IsManagers()) continue;
    const bool goes_on = one.stage == "ResponseStarted";
    if (goes_on) streams_.insert(one.id);
    // The end of what has been counted when it began.
    if (!goes_on && one.verb == "watch") {
      streams_.erase(one.id);
      continue;
    }
    ++cost.requests[one.verb];
  }
  cost.streams = static_cast<int>(streams_.size());
}

}  // namespace flyball::bench
