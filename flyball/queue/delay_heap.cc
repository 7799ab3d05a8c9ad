#include "flyball/queue/delay_heap.h"

namespace flyball::queue {

void DelayHeap::Push(QueueEntry& entry) {
  entries_.push_back(&entry);
  SiftUp(entry, entries_.size() - 1);
}

void DelayHeap::MovedUp(QueueEntry& entry) { SiftUp(entry, entry.heap_index); }

QueueEntry& DelayHeap::Pop() {
  QueueEntry& top = *entries_.front();
  QueueEntry& last = *entries_.back();
  entries_.pop_back();
  if (&top != &last) SiftDown(last, 0);
  top.heap_index = QueueEntry::kNotDelayed;
  return top;
}

void DelayHeap::Clear() {
  for (QueueEntry* const entry : entries_) entry->heap_index = QueueEntry::kNotDelayed;
  entries_.clear();
}

void DelayHeap::Place(QueueEntry& entry, std::size_t index) {
  entries_[index] = &entry;
  entry.heap_index = index;
}

void DelayHeap::SiftUp(QueueEntry& entry, std::size_t index) {
  while (index > 0) {
    const std::size_t parent = (index - 1) / 2;
    if (!DueBefore(entry, *entries_[parent])) break;
    Place(*entries_[parent], index);
    index = parent;
  }
  Place(entry, index);
}

void DelayHeap::SiftDown(QueueEntry& entry, std::size_t index) {
  for (;;) {
    std::size_t child = 2 * index + 1;
    if (child >= entries_.size()) break;
    if (child + 1 < entries_.size() && DueBefore(*entries_[child + 1], *entries_[child])) ++child;
    if (!DueBefore(*entries_[child], entry)) break;
    Place(*entries_[child], index);
    index = child;
  }
  Place(entry, index);
}

}  // namespace flyball::queue
