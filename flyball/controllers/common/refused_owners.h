#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

#include "flyball/api/object_key.h"
#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"

namespace flyball::controllers::common {

/// Owners for which nothing can be made, since their namespace is on its way out. Each thing of
/// theirs that goes with it brings them back to make another, and the server would have to refuse
/// every one of these. So it is asked now and then only: what it knows of namespaces may be late,
/// and this one new. Any thread.
class RefusedOwners {
 public:
  static constexpr std::chrono::nanoseconds kAskAgainAfter = std::chrono::seconds(30);

  explicit RefusedOwners(const Clock& clock) : clock_(clock) {}

  /// How long not to ask for it; nothing if it was not refused of late.
  std::optional<std::chrono::nanoseconds> Wait(const api::ObjectKey& owner,
                                               const std::string& uid) const;
  void Refused(const api::ObjectKey& owner, const std::string& uid);
  void Gone(const api::ObjectKey& owner);

 private:
  struct Refusal {
    std::string uid;  ///< another of the same name is another owner
    SteadyTime until;
  };

  const Clock& clock_;
  mutable Mutex mutex_;
  std::unordered_map<api::ObjectKey, Refusal> refusals_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::common
