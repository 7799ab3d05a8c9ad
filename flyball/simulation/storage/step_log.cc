#include "flyball/simulation/storage/step_log.h"

#include <algorithm>
#include <utility>

#include "flyball/base/saturating.h"

namespace flyball::simulation {
namespace {

// PARITY: of external-provisioner, -attacher and -resizer.
constexpr std::chrono::nanoseconds kFirstBackOff = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds kLongestBackOff = std::chrono::minutes(5);

std::chrono::nanoseconds BackOffAfter(int failures) {
  return std::min(kFirstBackOff * (1 << std::clamp(failures - 1, 0, 10)), kLongestBackOff);
}

}  // namespace

StepLog::Progress StepLog::Advance(const std::string& id, const StepScript& script, WallTime now) {
  MutexLock lock(mutex_);
  const auto [at, added] = entries_.try_emplace(id, Entry{.script = script, .begins = now});
  Entry& entry = at->second;
  if (!added && entry.script != script) entry = {.script = script, .begins = now};
  if (now < entry.begins) return {.state = State::kWaits, .until = entry.begins};

  const bool began = !std::exchange(entry.begun, true);
  const WallTime due = SaturatingAdd(entry.begins, script.delay);
  if (now < due) return {.state = State::kUnderWay, .began = began, .until = due};
  if (script.error.empty()) {
    entries_.erase(at);
    return {.state = State::kDone, .began = began};
  }
  entry.begins = now + BackOffAfter(++entry.failures);
  entry.begun = false;
  return {.state = State::kFailed, .began = began, .until = entry.begins};
}

void StepLog::Forget(const std::string& id) {
  MutexLock lock(mutex_);
  entries_.erase(id);
}

}  // namespace flyball::simulation
