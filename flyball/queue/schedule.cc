#include "flyball/queue/schedule.h"

#include "flyball/base/check.h"

namespace flyball::queue {

void Schedule::AddNextDue() {
  QueueEntry& entry = delayed_.Pop();
  Add(entry, Priority::kLive, entry.due);
}

void Schedule::Add(QueueEntry& entry, Priority priority, SteadyTime now) {
  if (shut_down_) return;
  if (entry.pending) {
    if (priority <= entry.priority) return;
    if (entry.state == KeyState::kWaiting) {
      ready_.Promote(entry);
    } else {
      entry.priority = priority;
    }
    return;
  }
  entry.pending = true;
  entry.priority = priority;
  entry.added = now;
  ++pending_;
  ++changes_.added;
  if (entry.state == KeyState::kIdle) GoOn(entry);
}

void Schedule::AddAt(QueueEntry& entry, SteadyTime due) {
  if (shut_down_ || (entry.delayed() && entry.due <= due)) return;
  entry.due = due;
  entry.due_order = ++delays_;
  if (entry.delayed()) {
    delayed_.MovedUp(entry);
  } else {
    delayed_.Push(entry);
  }
}

QueueEntry* Schedule::Take(SteadyTime now) {
  QueueEntry* const entry = ready_.Pop();
  if (entry == nullptr) return nullptr;
  if (changes_.ready > 0) --changes_.ready;
  --pending_;
  entry->pending = false;
  entry->state = KeyState::kProcessing;
  entry->started = now;
  processing_.PushBack(*entry);
  return entry;
}

void Schedule::Finish(QueueEntry& entry) {
  FLYBALL_CHECK(entry.state == KeyState::kProcessing, "the key is not being processed");
  processing_.Remove(entry);
  GoOn(entry);
}

void Schedule::Hold(QueueEntry& entry) {
  FLYBALL_CHECK(entry.state == KeyState::kProcessing, "the key is not being processed");
  processing_.Remove(entry);
  entry.state = KeyState::kHeld;
  held_.PushBack(entry);
}

void Schedule::Release(QueueEntry& entry) {
  if (entry.state != KeyState::kHeld) return;
  held_.Remove(entry);
  GoOn(entry);
}

void Schedule::GoOn(QueueEntry& entry) {
  entry.state = entry.pending ? KeyState::kWaiting : KeyState::kIdle;
  if (!entry.pending) return;
  ready_.Push(entry);
  ++changes_.ready;
}

// PARITY: upstream hands out what waits after a shutdown too, and drops what is delayed.
void Schedule::ShutDown() {
  shut_down_ = true;
  delayed_.Clear();
}

QueueSizes Schedule::sizes() const {
  return {.live = ready_.live().size(),
          .background = ready_.background().size(),
          .processing = processing_.size(),
          .held = held_.size(),
          .delayed = delayed_.entries().size(),
          .pending = pending_};
}

std::chrono::nanoseconds Schedule::UnfinishedWork(SteadyTime now) const {
  std::chrono::nanoseconds sum{};
  for (const QueueEntry* entry = processing_.front(); entry != nullptr; entry = entry->next) {
    sum += now - entry->started;
  }
  return sum;
}

std::chrono::nanoseconds Schedule::LongestRunning(SteadyTime now) const {
  return processing_.empty() ? std::chrono::nanoseconds() : now - processing_.front()->started;
}

}  // namespace flyball::queue
