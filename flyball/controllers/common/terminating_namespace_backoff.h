#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

#include "flyball/api/object_key.h"
#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"

namespace flyball::controllers::common {

/// Owners whose creates were refused because their namespace is terminating. Each dependent that is
/// deleted with the namespace would reconcile its owner, which would create another, and the server
/// would refuse it. So creates are retried after kRetryAfter only: the namespace may be a new one
/// by then. Any thread.
class TerminatingNamespaceBackoff {
 public:
  static constexpr std::chrono::nanoseconds kRetryAfter = std::chrono::seconds(30);

  explicit TerminatingNamespaceBackoff(const Clock& clock) : clock_(clock) {}

  /// How long to wait before the next create; nothing if none was refused of late.
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
