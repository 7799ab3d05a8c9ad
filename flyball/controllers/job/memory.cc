#include "flyball/controllers/job/memory.h"

#include <utility>

namespace flyball::controllers::job {

using api::ObjectKey;

std::optional<Failures> Memory::FailuresOf(const ObjectKey& job, const std::string& uid) const {
  MutexLock lock(mutex_);
  const auto known = jobs_.find(job);
  if (known == jobs_.end() || known->second.uid != uid) return std::nullopt;
  return known->second.failures;
}

void Memory::Remember(const ObjectKey& job, const std::string& uid, const Failures& failures) {
  MutexLock lock(mutex_);
  Of(job, uid).failures = failures;
}

void Memory::ForgetFailures(const ObjectKey& job) {
  MutexLock lock(mutex_);
  if (const auto known = jobs_.find(job); known != jobs_.end()) known->second.failures.reset();
}

void Memory::Correct(const ObjectKey& job, const std::string& uid, std::vector<JobPod>& pods) {
  MutexLock lock(mutex_);
  const auto known = jobs_.find(job);
  if (known == jobs_.end() || known->second.uid != uid || known->second.released.empty()) return;
  std::unordered_set<std::string> unseen;
  for (JobPod& its : pods) {
    std::string pod(its.pod().metadata.uid);
    if (!its.tracked || !known->second.released.contains(pod)) continue;
    its.tracked = false;
    unseen.insert(std::move(pod));
  }
  known->second.released = std::move(unseen);
}

void Memory::Released(const ObjectKey& job, const std::string& uid, std::string_view pod) {
  MutexLock lock(mutex_);
  Of(job, uid).released.emplace(pod);
}

void Memory::Gone(const ObjectKey& job) {
  MutexLock lock(mutex_);
  jobs_.erase(job);
}

Memory::Known& Memory::Of(const ObjectKey& job, const std::string& uid) {
  Known& known = jobs_[job];
  if (known.uid != uid) known = {.uid = uid, .failures = {}, .released = {}};
  return known;
}

}  // namespace flyball::controllers::job
