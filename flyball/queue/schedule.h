#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "flyball/queue/delay_heap.h"
#include "flyball/queue/queue_entry.h"
#include "flyball/queue/ready_queue.h"

namespace flyball::queue {

/// How many keys are where.
struct QueueSizes {
  std::size_t live = 0;        ///< waiting
  std::size_t background = 0;  ///< waiting
  std::size_t processing = 0;
  std::size_t held = 0;
  std::size_t delayed = 0;  ///< in some other state too, perhaps
  std::size_t pending = 0;  ///< added and not handed out: those waiting, and those that will
  friend bool operator==(const QueueSizes&, const QueueSizes&) = default;
};

/// Which key is where, and which is next: what a work queue does, without keys, clocks and threads.
///
/// What it does follows from its calls and their times alone: each begins with Advance(), by which
/// a delayed entry takes its place among the ready ones as if it had been added at the moment it
/// was due. Times never go back. An entry must stay where it is until it is disposable(),
/// and so must its tenant.
class Schedule {
 public:
  /// What has happened since it was last asked for.
  struct Changes {
    std::size_t added = 0;  ///< entries that became pending
    std::size_t ready = 0;  ///< entries that became ready, and were not handed out since
  };

  /// Adds what has fallen due by `now`. It counts as live: it has waited for its time already.
  void Advance(SteadyTime now) {
    while (!delayed_.empty() && delayed_.front()->due <= now) AddNextDue();
  }

  /// The entry is to be processed: after its present processing or hold, if it is in one. Of one
  /// that is to be already, only the priority can rise.
  void Add(QueueEntry& entry, Priority priority, SteadyTime now);

  /// The same at a later time; of several the earliest counts. Independent of what becomes of the
  /// entry meanwhile.
  void AddAt(QueueEntry& entry, SteadyTime due);

  /// The next entry, which is being processed from now on; null if none waits.
  QueueEntry* Take(SteadyTime now);

  /// The entry's processing is over; if it is pending, it waits again, behind the others.
  void Finish(QueueEntry& entry);

  /// As Finish(), but it does not wait before Release().
  void Hold(QueueEntry& entry);
  void Release(QueueEntry& entry);

  /// Nothing is added any more, and what is delayed is given up. What is pending already is not.
  void ShutDown();
  bool shut_down() const { return shut_down_; }

  QueueSizes sizes() const;
  const ReadyQueue& waiting() const { return ready_; }
  const EntryList& processing() const { return processing_; }  ///< longest first
  const EntryList& held() const { return held_; }
  const DelayHeap& delayed() const { return delayed_; }

  /// Nothing is processed, nor will be before something else is added.
  bool drained() const { return pending_ == 0 && processing_.empty(); }
  std::optional<SteadyTime> next_due() const {
    return delayed_.empty() ? std::nullopt : std::optional(delayed_.front()->due);
  }
  /// How long all that are being processed have been, taken together; and the one longest.
  std::chrono::nanoseconds UnfinishedWork(SteadyTime now) const;
  std::chrono::nanoseconds LongestRunning(SteadyTime now) const;

  Changes TakeChanges() { return std::exchange(changes_, Changes()); }

 private:
  void AddNextDue();
  void GoOn(QueueEntry& entry);

  ReadyQueue ready_;
  EntryList processing_;
  EntryList held_;
  DelayHeap delayed_;
  std::size_t pending_ = 0;
  std::uint64_t delays_ = 0;
  bool shut_down_ = false;
  Changes changes_;
};

}  // namespace flyball::queue
