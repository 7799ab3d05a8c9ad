#pragma once

#include <cstddef>

#include "flyball/queue/queue_entry.h"

namespace flyball::queue {

/// The entries that wait for a worker, in the order in which they are handed out.
///
/// The rule: live entries go before background ones, first come, first served among each; but when
/// kMaxLiveInARow live entries in a row have gone before a background one, the background one is
/// next. So, however many live entries come, a tenth of the entries handed out are background ones,
/// and the n-th background entry is handed out within n * (kMaxLiveInARow + 1) entries. A rule by
/// time would hold up live entries when it hurts most: when everything has waited for long.
// DIVERGES: upstream has one queue, in which a change waits behind all of a resync.
class ReadyQueue {
 public:
  static constexpr int kMaxLiveInARow = 9;

  bool empty() const { return live_.empty() && background_.empty(); }
  std::size_t size() const { return live_.size() + background_.size(); }
  const EntryList& live() const { return live_; }
  const EntryList& background() const { return background_; }

  void Push(QueueEntry& entry) { ListOf(entry).PushBack(entry); }

  /// A background entry becomes the last of the live ones.
  void Promote(QueueEntry& entry) {
    background_.Remove(entry);
    entry.priority = Priority::kLive;
    live_.PushBack(entry);
  }

  /// The next entry; null if none waits.
  QueueEntry* Pop() {
    const bool passed_enough = passed_ == kMaxLiveInARow && !background_.empty();
    EntryList& list = live_.empty() || passed_enough ? background_ : live_;
    QueueEntry* const entry = list.front();
    if (entry == nullptr) return nullptr;
    list.Remove(*entry);
    passed_ = &list == &background_ || background_.empty() ? 0 : passed_ + 1;
    return entry;
  }

 private:
  EntryList& ListOf(const QueueEntry& entry) {
    return entry.priority == Priority::kLive ? live_ : background_;
  }

  EntryList live_;
  EntryList background_;
  int passed_ = 0;  // live ones that have gone before the first of the background, in a row
};

}  // namespace flyball::queue
