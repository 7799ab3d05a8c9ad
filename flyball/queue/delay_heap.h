#pragma once

#include <cstddef>
#include <vector>

#include "flyball/queue/queue_entry.h"

namespace flyball::queue {

/// The delayed entries, the one due next on top. A heap that knows where each entry is in it, so
/// that one can be moved to an earlier time.
class DelayHeap {
 public:
  bool empty() const { return entries_.empty(); }
  /// In no order but that the first is due next.
  const std::vector<QueueEntry*>& entries() const { return entries_; }
  QueueEntry* front() const { return entries_.front(); }

  /// Of one that is not in it.
  void Push(QueueEntry& entry);
  /// The entry's time has become earlier.
  void MovedUp(QueueEntry& entry);
  QueueEntry& Pop();
  void Clear();

  static bool DueBefore(const QueueEntry& a, const QueueEntry& b) {
    return a.due != b.due ? a.due < b.due : a.due_order < b.due_order;
  }

 private:
  void Place(QueueEntry& entry, std::size_t index);
  void SiftUp(QueueEntry& entry, std::size_t index);
  void SiftDown(QueueEntry& entry, std::size_t index);

  std::vector<QueueEntry*> entries_;
};

}  // namespace flyball::queue
