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
///   - what is written down is counted in the same write in which it is struck out, and never
///     written down again; what is counted is never taken back;
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
    /// Or was told to end, while it was tracked. It may have succeeded after that: then it counts
    /// as the one or as the other, by what was seen of it.
    bool failed = false;
  };
  struct Job {
    std::int64_t most_active = 0;  ///< that it asked for since the last checkpoint
    std::int64_t asks_for = 0;
    batch::v1::JobStatus last = {};         ///< as it was written last
    std::set<std::string> struck_out = {};  ///< pods that were written down, and are counted
  };

  void JudgeCreation(const Pod& pod);
  /// What became of the pods that were written down.
  void JudgeLedger(const batch::v1::Job& job, Job& known);
  void JudgeStatus(const std::string& uid, const batch::v1::Job& job);
  void JudgeEnd(const std::string& uid, const batch::v1::Job& job);
  /// That what a job has counted is between those that it had to count and those that it could.
  void JudgeTotal(const std::string& who, const char* what, std::int64_t counted,
                  std::int64_t least, std::int64_t most);
  void Violated(const std::string& what) { violations_.push_back(what); }
  template <typename Which>
  std::int64_t CountPods(const std::string& job, Which which) const;
  std::set<std::string> SucceededIndexes(const std::string& job) const;

  std::vector<std::string>& violations_;
  std::map<std::string, Pod> pods_;                       // by uid
  std::map<std::string, std::set<std::string>> pods_of_;  // their uids, by that of their job
  std::map<std::string, Job> jobs_;
};

}  // namespace flyball::faults
