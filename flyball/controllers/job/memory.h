#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/mutex.h"
#include "flyball/controllers/job/failures.h"
#include "flyball/controllers/job/job_pod.h"

namespace flyball::controllers::job {

/// What caches do not show: failures of pods that are gone, and finalizers that were taken away
/// while a cache is so late that nobody waits for it any more. What is decided without it, after a
/// start, is no worse than what the pods that are there tell. Any thread.
class Memory {
 public:
  /// None: it is for the pods to say.
  std::optional<Failures> FailuresOf(const api::ObjectKey& job, const std::string& uid) const;
  void Remember(const api::ObjectKey& job, const std::string& uid, const Failures& failures);
  /// Nobody knows whether they are in the status.
  void ForgetFailures(const api::ObjectKey& job);

  /// Corrects those of the pods that only seem to have the finalizer. What no longer seems so is
  /// forgotten: the cache has seen it.
  void Correct(const api::ObjectKey& job, const std::string& uid, std::vector<JobPod>& pods);
  void Released(const api::ObjectKey& job, const std::string& uid, std::string_view pod);

  void Gone(const api::ObjectKey& job);

 private:
  struct Known {
    std::string uid;  ///< another job of the same name is another job
    std::optional<Failures> failures;
    std::unordered_set<std::string> released;  ///< by uid
  };
  Known& Of(const api::ObjectKey& job, const std::string& uid) FLYBALL_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<api::ObjectKey, Known> jobs_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::job
