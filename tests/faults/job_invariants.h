#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flyball/api/batch/v1.h"
#include "flyball/api/core/v1.h"

namespace flyball::faults {

/// What must hold of jobs at every revision, whatever goes wrong:
///
///   - a job has no more pods at work than it asks for, nor two for one index;
///   - its status never counts a success or a failure that there was not, nor one twice, whether it
///     is counted for good or only written down;
///   - when it has ended every pod is counted, and none is kept from going.
///
/// For one task at a time.
class JobInvariants {
 public:
  explicit JobInvariants(std::vector<std::string>& violations) : violations_(violations) {}

  void TellOfJob(const std::string& uid, const std::optional<batch::v1::Job>& told);
  void TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& told);
  void Checkpoint();

 private:
  /// A pod, by what it ever was: it may be gone.
  struct Pod {
    std::string name;
    std::string job;    ///< the uid of its controller
    std::string index;  ///< as it is written on it
    bool active = false;
    bool tracked = false;
    bool succeeded = false;  ///< while it was tracked
    bool failed = false;     ///< or was told to end, while it was tracked
  };
  struct Job {
    std::int64_t most_active = 0;  ///< that it asked for since the last checkpoint
    std::int64_t asks_for = 0;
  };

  void JudgeCreation(const Pod& pod);
  void JudgeStatus(const std::string& uid, const batch::v1::Job& job);
  void JudgeEnd(const std::string& uid, const batch::v1::Job& job);
  void Violated(const std::string& what) { violations_.push_back(what); }
  std::int64_t CountPods(const std::string& job, bool Pod::* which) const;
  std::set<std::string> SucceededIndexes(const std::string& job) const;

  std::vector<std::string>& violations_;
  std::map<std::string, Pod> pods_;  // by uid
  std::map<std::string, Job> jobs_;
};

}  // namespace flyball::faults
