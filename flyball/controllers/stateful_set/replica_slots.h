#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/controllers/stateful_set/identity.h"

/// The pods of a set in their places.
namespace flyball::controllers::stateful_set {

/// One of the ordinals that a set asks for.
struct Slot {
  std::int64_t ordinal = 0;
  PodRef pod = nullptr;  ///< null where there is none
};

/// How many pods that are missing are told of. The others come when these are there.
// DIVERGES: upstream has a place in memory for each that is asked for, which somebody who asks for
// two thousand million makes it run out of.
inline constexpr std::size_t kMostMissing = 500;

struct ReplicaSlots {
  OrdinalRange range = {};
  /// Those that are there, and the first kMostMissing that are not, by ordinal.
  std::vector<Slot> replicas = {};
  std::int64_t missing = 0;            ///< in all
  std::vector<PodRef> condemned = {};  ///< that nobody asks for, the highest ordinal first

  /// All pods that are there, those that are asked for first.
  std::vector<PodRef> Pods() const;
};

/// Pods whose ordinal cannot be told are in no place. Of two with one ordinal the one that is
/// called right has it, and the other is in none.
// DIVERGES: upstream takes either.
ReplicaSlots ReplicaSlotsOf(const apps::v1::StatefulSet& set, std::span<const PodRef> pods);

// What is asked of a pod.
bool IsRunningAndReady(const views::Pod& pod);
/// It has ended, well or not, and does not come back.
bool HasEnded(const views::Pod& pod);
bool IsGoing(const views::Pod& pod);
/// Going, or not ready for long enough.
bool IsUnavailable(const apps::v1::StatefulSet& set, const views::Pod& pod, WallTime now);

bool IsParallel(const apps::v1::StatefulSet& set);

}  // namespace flyball::controllers::stateful_set
