#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/object_key.h"
#include "tests/faults/chronicle.h"

namespace flyball::faults {

/// What must hold of StatefulSets at every revision, whatever goes wrong:
///
///   - no pod is made that its set does not ask for, and of a set that keeps an order none before
///     those with lower ordinals have been ready;
///   - none that its set asks for is deleted, if it was ready and no more than maxUnavailable says
///     may be missing, nor if its ordinal is below the partition;
///   - of a set that keeps an order, those that it no longer asks for go from the highest ordinal;
///   - no claim is deleted that its set's policy keeps.
///
/// That no two pods have one ordinal is the server's matter, who lets no two have one name. As with
/// Invariants, a set is taken to ask for anything that it has asked for since the last checkpoint.
class OrdinalInvariants {
 public:
  void Tell(const Happening& happening);
  /// The same of objects that somebody else has read. Nothing: it is gone.
  void TellOfSet(const std::string& uid, const std::optional<apps::v1::StatefulSet>& set);
  void TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod);
  /// It is gone, or on its way.
  void TellOfGoingClaim(const core::v1::PersistentVolumeClaim& claim);

  /// The next time that this pod is deleted, people do it.
  void PeopleDelete(const api::ObjectKey& pod) { peoples_.insert(pod); }
  void Checkpoint();

  const std::vector<std::string>& violations() const { return violations_; }

 private:
  /// Of a set, and how it was of late.
  struct Set {
    apps::v1::StatefulSet now;
    std::int64_t lowest_start = 0;
    std::int64_t highest_start = 0;
    std::int64_t lowest_end = 0;  ///< one more than the last ordinal
    std::int64_t highest_end = 0;
    std::int64_t most_unavailable = 1;
    std::int64_t lowest_partition = 0;
    bool deletes_when_scaled = false;
    bool deletes_when_deleted = false;
    bool orphans = false;  ///< what was its own stays when it goes
    bool goes = false;
    bool gone = false;
    std::set<std::int64_t> been_ready;  ///< ordinals

    bool MayAskFor(std::int64_t ordinal) const {
      return ordinal >= lowest_start && ordinal < highest_end;
    }
    bool AsksFor(std::int64_t ordinal) const {
      return ordinal >= highest_start && ordinal < lowest_end;
    }
    bool Ordered() const { return now.spec.podManagementPolicy != "Parallel"; }
  };
  struct Pod {
    api::ObjectKey key;
    std::string set = {};  ///< the uid of its controller
    std::int64_t ordinal = -1;
    bool active = false;
    bool ready = false;
  };

  static void Note(Set& set, bool anew);
  static Pod FactsOf(const core::v1::Pod& pod);

  void JudgeCreation(const Pod& pod, const Set& set);
  void JudgeDeletion(const Pod& pod, const Set& set);

  std::set<api::ObjectKey> peoples_;
  std::set<std::string> ending_namespaces_;
  std::map<std::string, Set> sets_;  // these by uid, those too that went since the last checkpoint
  std::map<std::string, Pod> pods_;
  std::set<std::string> going_claims_;
  std::vector<std::string> violations_;
};

}  // namespace flyball::faults
