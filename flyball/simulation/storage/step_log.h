#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"
#include "flyball/simulation/storage/storage_script.h"

namespace flyball::simulation {

/// How far the steps are that have been begun: each goes on for its delay, and comes to its end or
/// fails. One that failed is tried again, later and later, as the sidecars of drivers do; at once,
/// if its script has changed.
///
/// Any thread; one call for an id at a time.
class StepLog {
 public:
  enum class State : std::uint8_t {
    kWaits,     ///< it failed, and is tried again when it is time
    kUnderWay,  ///< until its delay is over
    kFailed,    ///< just now
    kDone,
  };
  struct Progress {
    State state = State::kDone;
    bool began = false;   ///< with this call
    WallTime until = {};  ///< when there is something to be done again; unless it is done
    friend bool operator==(const Progress&, const Progress&) = default;
  };

  /// `id` is the name of what the step is about, together with the step where it has several.
  Progress Advance(const std::string& id, const StepScript& script, WallTime now);
  /// Nobody wants it any more, or what it is about is gone.
  void Forget(const std::string& id);

 private:
  struct Entry {
    StepScript script;
    WallTime begins;
    bool begun = false;
    int failures = 0;
  };

  Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::simulation
