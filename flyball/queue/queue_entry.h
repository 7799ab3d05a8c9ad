#pragma once

#include <cstddef>
#include <cstdint>

#include "flyball/base/clock.h"

namespace flyball::queue {

struct Tenant;

/// What a key waits behind. Of two adds of a key the higher counts.
enum class Priority : std::uint8_t {
  kBackground,  ///< nothing has changed: resyncs, initial lists
  kLive,        ///< something has
};

/// Where a key is. It may be delayed at the same time, see QueueEntry.
enum class KeyState : std::uint8_t {
  kIdle,        ///< nowhere: known for its retries, or for a delay
  kWaiting,     ///< for a worker
  kProcessing,  ///< a worker has it
  kHeld,        ///< it was processed and waits to be released
};

/// What a queue knows of a key, beside the key. Owned by the queue, changed by its Schedule; linked
/// into the list of those in its state, and, while delayed, into the heap.
struct QueueEntry {
  KeyState state = KeyState::kIdle;
  /// Added, and not yet handed out since. Waiting keys always are; processed and held ones may be,
  /// and go on to wait when that is over.
  bool pending = false;
  Priority priority = Priority::kBackground;  ///< while pending
  int retries = 0;                            ///< since it was last forgotten
  SteadyTime added;                           ///< while pending: by the first add
  SteadyTime started;                         ///< while processing or held
  Tenant* tenant = nullptr;                   ///< set by Tenants::Join()

  // The list of those in its state; while waiting, that of its tenant.
  QueueEntry* previous = nullptr;
  QueueEntry* next = nullptr;

  // The heap of those delayed.
  static constexpr std::size_t kNotDelayed = static_cast<std::size_t>(-1);
  std::size_t heap_index = kNotDelayed;
  SteadyTime due;
  std::uint64_t due_order = 0;  ///< of two due at one time, the one delayed first is due first

  bool delayed() const { return heap_index != kNotDelayed; }
  /// Nothing is lost if the queue forgets it.
  bool disposable() const { return state == KeyState::kIdle && !delayed() && retries == 0; }
};

/// A list through its items themselves: first in, first out, and any can leave at once.
template <typename Item>
class LinkedList {
 public:
  bool empty() const { return first_ == nullptr; }
  std::size_t size() const { return size_; }
  Item* front() const { return first_; }

  void PushBack(Item& item) {
    item.previous = last_;
    item.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &item;
    last_ = &item;
    ++size_;
  }

  void Remove(Item& item) {
    (item.previous != nullptr ? item.previous->next : first_) = item.next;
    (item.next != nullptr ? item.next->previous : last_) = item.previous;
    item.previous = item.next = nullptr;
    --size_;
  }

 private:
  Item* first_ = nullptr;
  Item* last_ = nullptr;
  std::size_t size_ = 0;
};

using EntryList = LinkedList<QueueEntry>;

}  // namespace flyball::queue
