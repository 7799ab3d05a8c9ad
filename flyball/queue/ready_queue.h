#pragma once

#include <cstddef>

#include "flyball/queue/queue_entry.h"
#include "flyball/queue/tenant.h"

namespace flyball::queue {

/// The waiting entries of one priority, in the order in which they are handed out: their tenants
/// take turns, and of each tenant the first that came is next.
class FairList {
 public:
  /// `line` is the tenants' part of this priority.
  explicit FairList(TenantLine Tenant::* line) : line_(line) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void PushBack(QueueEntry& entry) {
    TenantLine& line = entry.tenant->*line_;
    if (line.entries.empty()) turns_.PushBack(line);
    line.entries.PushBack(entry);
    ++size_;
  }

  void Remove(QueueEntry& entry) {
    TenantLine& line = entry.tenant->*line_;
    line.entries.Remove(entry);
    if (line.entries.empty()) turns_.Remove(line);
    --size_;
  }

  /// The next entry, after which the turn is another tenant's; null if none waits.
  QueueEntry* Pop() {
    TenantLine* const line = turns_.front();
    if (line == nullptr) return nullptr;
    QueueEntry* const entry = line->entries.front();
    line->entries.Remove(*entry);
    turns_.Remove(*line);
    if (!line->entries.empty()) turns_.PushBack(*line);
    --size_;
    return entry;
  }

  /// All of them, those of one tenant after those of another.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const TenantLine* line = turns_.front(); line != nullptr; line = line->next) {
      for (const QueueEntry* entry = line->entries.front(); entry != nullptr; entry = entry->next) {
        visit(*entry);
      }
    }
  }

 private:
  TenantLine Tenant::* const line_;
  LinkedList<TenantLine> turns_;  // lines with entries
  std::size_t size_ = 0;
};

/// The entries that wait for a worker, in the order in which they are handed out.
///
/// The rule: live entries go before background ones; tenants take turns among each, and what a
/// tenant has is first come, first served. But when kMaxLiveInARow live entries in a row have gone
/// before a background one, the background one is next. So, however many live entries come, a tenth
/// of the entries handed out are background ones. A rule by time would hold up live entries when it
/// hurts most: when everything has waited for long.
// DIVERGES: upstream has one queue, in which a change waits behind all of a resync, and each tenant
// behind all keys of all others.
class ReadyQueue {
 public:
  static constexpr int kMaxLiveInARow = 9;

  bool empty() const { return live_.empty() && background_.empty(); }
  std::size_t size() const { return live_.size() + background_.size(); }
  const FairList& live() const { return live_; }
  const FairList& background() const { return background_; }

  void Push(QueueEntry& entry) { ListOf(entry).PushBack(entry); }

  /// A background entry becomes the last of its tenant's live ones.
  void Promote(QueueEntry& entry) {
    background_.Remove(entry);
    entry.priority = Priority::kLive;
    live_.PushBack(entry);
  }

  /// The next entry; null if none waits.
  QueueEntry* Pop() {
    const bool passed_enough = passed_ == kMaxLiveInARow && !background_.empty();
    FairList& list = live_.empty() || passed_enough ? background_ : live_;
    QueueEntry* const entry = list.Pop();
    if (entry == nullptr) return nullptr;
    passed_ = &list == &background_ || background_.empty() ? 0 : passed_ + 1;
    return entry;
  }

 private:
  FairList& ListOf(const QueueEntry& entry) {
    return entry.priority == Priority::kLive ? live_ : background_;
  }

  FairList live_{&Tenant::live};
  FairList background_{&Tenant::background};
  int passed_ = 0;  // live ones that have gone before the first of the background, in a row
};

}  // namespace flyball::queue
