#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/base/clock.h"

namespace flyball::faults {

/// What must hold of a DaemonSet's pods at every revision:
///
///   - a node has one of them at a time, or two while the set surges;
///   - none that is available is deleted while as many are missing as may be.
///
/// Nodes are taken to be the same all the time. For one task at a time.
class DaemonInvariants {
 public:
  DaemonInvariants(Clock& clock, std::vector<std::string>& violations)
      : clock_(clock), violations_(violations) {}

  void TellOfSet(const std::string& uid, const std::optional<apps::v1::DaemonSet>& set);
  /// `deliberate`: people delete it, or its namespace goes.
  void TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod, bool deliberate);

 private:
  struct Set {
    std::string name;
    bool goes = false;
    bool surges = false;
    std::int64_t unavailable = 1;
    std::int64_t desired = 0;
    std::int64_t min_ready_seconds = 0;
  };
  struct Pod {
    std::string name;
    std::string set;  ///< the uid of its controller
    std::string node;
    bool active = false;
    std::optional<WallTime> ready;  ///< since when
  };
  static Pod FactsOf(const core::v1::Pod& pod);

  void JudgeCreation(const Pod& pod);
  void JudgeDeletion(const Pod& pod);
  bool IsAvailable(const Pod& pod, const Set& set) const;

  Clock& clock_;
  std::vector<std::string>& violations_;
  std::map<std::string, Set> sets_;  // these by uid
  std::map<std::string, Pod> pods_;
};

}  // namespace flyball::faults
