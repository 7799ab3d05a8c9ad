#pragma once

#include <cstddef>

#include "flyball/queue/queue_entry.h"

namespace flyball::queue {

/// The entries that wait, in the order in which they get their turn.
///
/// The rule: live entries go before background ones, first come, first served among each; but when
/// kTurnsToPass live ones in a row have gone before a background one, the next turn is the
/// background one's. So, however many live ones come, a tenth of the turns is the background's, and
/// the n-th of those that wait there has its turn within n * (kTurnsToPass + 1). A rule by time
/// would turn on live ones where it hurts most: when everything has waited for long.
// DIVERGES: upstream's is one line, in which a change waits behind all of a resync.
class WaitingLine {
 public:
  static constexpr int kTurnsToPass = 9;

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

  /// Whose turn it is; null if none waits.
  QueueEntry* Pop() {
    const bool passed_enough = passed_ == kTurnsToPass && !background_.empty();
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
