#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "flyball/api/apps/v1.h"
#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"

namespace flyball::controllers::daemon_set {

/// How often failed pods of a node may be replaced: at once, and then with twice the wait each
/// time. Kubelet may turn away every pod of a set for the same reason, and replacing them without a
/// pause would keep all three of us busy with nothing.
///
/// Lost with the process, which costs one replacement too soon. Any thread.
class FailedPodBackoff {
 public:
  static constexpr std::chrono::nanoseconds kFirst = std::chrono::seconds(1);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::minutes(15);
  /// After so long without a failure all is forgotten.
  static constexpr std::chrono::nanoseconds kForgottenAfter = 2 * kLongest;

  explicit FailedPodBackoff(const Clock& clock) : clock_(clock) {}

  /// How long to wait yet with a set's pod on a node; nothing if it may go now.
  std::optional<std::chrono::nanoseconds> Wait(const apps::v1::DaemonSet& set,
                                               std::string_view node) const;
  /// One was removed.
  void Removed(const apps::v1::DaemonSet& set, std::string_view node);
  /// Drops what is forgotten.
  void Forget();

 private:
  struct Entry {
    std::chrono::nanoseconds wait;
    SteadyTime since;
  };
  /// Another template is another chance.
  static std::string KeyOf(const apps::v1::DaemonSet& set, std::string_view node);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::daemon_set
