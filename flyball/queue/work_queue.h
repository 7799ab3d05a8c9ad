#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/check.h"
#include "flyball/base/clock.h"
#include "flyball/base/metrics.h"
#include "flyball/base/mutex.h"
#include "flyball/base/saturating.h"
#include "flyball/base/timers.h"
#include "flyball/queue/back_off.h"
#include "flyball/queue/queue_metrics.h"
#include "flyball/queue/schedule.h"
#include "flyball/queue/tenant.h"

namespace flyball::queue {

/// What a queue is made with.
struct QueueOptions {
  std::string name;  ///< in metrics: "deployment"
  BackOff back_off = {};
  MetricRegistry* metrics = nullptr;  ///< null: none are kept
};

/// The tenant of a key: the namespace that it names, or the cluster (empty).
template <typename Key>
std::string TenantOf(const Key& key) {
  if constexpr (requires { key.namespace_; }) {
    return key.namespace_;
  } else {
    return {};
  }
}

/// The keys that are to be processed: each once, however often it is added, and never by two
/// workers at a time. What is added while it is processed is processed again afterwards: nothing
/// that was added is lost. Tenants are served in turn; ReadyQueue says in which order keys are
/// handed out. A key that is added for later or to be retried takes its place in that order when it
/// is due.
///
/// There are three ways to be handed keys: Get() blocks; TryGet() does not; WorkerPool
/// (worker_pool.h) has tasks only while there are keys for them. An idle queue has no thread: what
/// is delayed is waited for by the Timers that all queues share.
///
/// Any thread may call it. A Key has std::hash and ==. It must outlive all it has handed out, and
/// the calls to it: that it is drained does not say that its workers have left. No lock is held
/// when it calls others, but for `tenant_of`.
template <typename Key = api::ObjectKey>
class WorkQueue {
  struct Node;

 public:
  /// A key that is being processed. When this goes, that is over; see Finish(). For one thread.
  class Work {
   public:
    Work(Work&& other) noexcept
        : queue_(other.queue_), node_(std::exchange(other.node_, nullptr)) {}
    Work& operator=(Work&& other) noexcept {
      Finish();
      queue_ = other.queue_;
      node_ = std::exchange(other.node_, nullptr);
      return *this;
    }
    ~Work() { Finish(); }

    const Key& key() const { return *node_->key; }

    /// The processing is over: if the key was added meanwhile it waits for a worker again. Nothing
    /// may be asked of this any more.
    void Finish() {
      if (node_ != nullptr) queue_->Finish(*std::exchange(node_, nullptr));
    }

    /// The same, but the key is not handed out before Release(). Adds meanwhile, and those that
    /// fall due, are kept till then. It needs no worker and does not count as being processed. To
    /// hold a key until something has come: hold it, then look for that, since a Release() that is
    /// too early is lost.
    void Hold() { queue_->Hold(*std::exchange(node_, nullptr)); }

   private:
    friend class WorkQueue;
    Work(WorkQueue& queue, Node& node) : queue_(&queue), node_(&node) {}

    WorkQueue* queue_;
    Node* node_;  // null when over
  };

  using ReadyCallback = std::function<void(std::size_t keys)>;
  /// Names the tenant of a key that the queue does not know yet. Called under the queue's lock: it
  /// must not call the queue, nor take a lock under which somebody does.
  using TenantOfKey = std::function<std::string(const Key& key)>;

  /// A key, for people to look at.
  struct KeyReport {
    Key key;
    KeyState state = KeyState::kIdle;
    bool pending = false;                             ///< if processed or held: it will wait again
    std::optional<Priority> priority = std::nullopt;  ///< if pending
    std::optional<std::chrono::nanoseconds> since = std::nullopt;  ///< in this state, if any
    std::optional<std::chrono::nanoseconds> due_in = std::nullopt;
    int retries = 0;
    friend bool operator==(const KeyReport&, const KeyReport&) = default;
  };

  WorkQueue(Timers& timers, QueueOptions options, TenantOfKey tenant_of = TenantOf<Key>)
      : clock_(timers.clock()),
        name_(std::move(options.name)),
        back_off_(options.back_off),
        tenant_of_(std::move(tenant_of)),
        tenants_(options.back_off.overall),
        timer_(timers, [this] { OnTimer(); }) {
    if (options.metrics != nullptr) metrics_ = QueueMetrics(*options.metrics, name_, Gauges());
  }
  ~WorkQueue() {
    const MutexLock lock(mutex_);
    FLYBALL_CHECK(schedule_.processing().empty(), "a queue was destroyed with work going on");
  }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  const std::string& name() const { return name_; }

  /// Has no effect after a shutdown, nor have the other adds.
  void Add(const Key& key, Priority priority = Priority::kLive) {
    MutexLock lock(mutex_);
    if (schedule_.shut_down()) return;
    Node& entry = Entry(key);
    // The most frequent add, which changes nothing, need not even know the time.
    if (entry.pending && priority <= entry.priority) return;
    const SteadyTime now = Advance();
    schedule_.Add(entry, priority, now);
    Publish(lock);
  }

  /// Adds the key when the delay is over, or at once if there is none. Of several times the
  /// earliest counts, and the others are forgotten; an Add() meanwhile changes nothing.
  void AddAfter(const Key& key, std::chrono::nanoseconds delay) {
    MutexLock lock(mutex_);
    if (schedule_.shut_down()) return;
    const SteadyTime now = Advance();
    AddAfterLocked(Entry(key), delay, now);
    Publish(lock);
  }

  /// Adds the key when it may be tried again, and remembers that it is; after `at_least` if that is
  /// later.
  void AddRateLimited(const Key& key, std::chrono::nanoseconds at_least = {}) {
    MutexLock lock(mutex_);
    if (schedule_.shut_down()) return;
    const SteadyTime now = Advance();
    Node& entry = Entry(key);
    std::chrono::nanoseconds delay = std::max(OwnDelay(back_off_, entry.retries++), at_least);
    if (entry.tenant->retries) delay = std::max(delay, entry.tenant->retries->Take(now));
    AddAfterLocked(entry, delay, now);
    Publish(lock);
  }

  /// The key's next retry is its first. Where this is left out, the queue knows the key for ever.
  void Forget(const Key& key) {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    found->second.retries = 0;
    EraseIfDisposable(found);
  }

  /// How often the key has been added by AddRateLimited() since it was last forgotten.
  int Retries(const Key& key) const {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? 0 : found->second.retries;
  }

  /// The next key. Blocks until there is one; nothing if there is none after a shutdown.
  std::optional<Work> Get() {
    MutexLock lock(mutex_);
    for (;;) {
      if (std::optional<Work> work = Take(lock)) return work;
      if (schedule_.shut_down()) return std::nullopt;
      ++getters_;
      clock_.Wait(lock, ready_);
      --getters_;
    }
  }

  /// The next key if there is one.
  std::optional<Work> TryGet() {
    MutexLock lock(mutex_);
    return Take(lock);
  }

  /// Whether the key is to be handed out, as soon as it may.
  bool IsPending(const Key& key) const {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() && found->second.pending;
  }

  /// Ends the Hold() of a key, if it is in one.
  void Release(const Key& key) {
    MutexLock lock(mutex_);
    Advance();
    if (const auto found = entries_.find(key); found != entries_.end()) {
      schedule_.Release(found->second);
      EraseIfDisposable(found);
    }
    Publish(lock);
  }

  /// Nothing is added from now on, and what is delayed is dropped. What waits, and what was added
  /// while it was processed or held, is still handed out. Ends a ShutDownWithDrain().
  void ShutDown() { Close(false); }

  /// The same; then waits until all of that has been processed, which its workers must go on to do.
  /// False if it has not by the deadline, or if ShutDown() was called meanwhile.
  // DIVERGES: upstream returns as soon as nothing is processed, even where something waits.
  [[nodiscard]] bool ShutDownWithDrain(SteadyTime deadline) {
    Close(true);
    MutexLock lock(mutex_);
    const auto over = [this]()
                          FLYBALL_REQUIRES(mutex_) { return schedule_.drained() || !draining_; };
    return clock_.WaitUntil(lock, drained_, deadline, over) && schedule_.drained();
  }

  bool shut_down() const {
    const MutexLock lock(mutex_);
    return schedule_.shut_down();
  }

  /// How many keys wait for a worker.
  std::size_t waiting() const {
    const MutexLock lock(mutex_);
    return schedule_.waiting().size();
  }

  QueueSizes sizes() const {
    const MutexLock lock(mutex_);
    return schedule_.sizes();
  }

  /// How long the key has waited for a worker that has done so for longest. Looks at all of them.
  std::optional<std::chrono::nanoseconds> oldest_wait() const;

  /// At most `most` keys: those processed, longest first, those waiting, live ones before
  /// background ones, those held, then those that are but delayed, next due first.
  std::vector<KeyReport> keys(std::size_t most) const;

  /// Calls `on_ready` with their number when keys have come to wait for a worker, and now for those
  /// that do; replaces what was given before, which may still be being called. Null: no more calls.
  void OnReady(ReadyCallback on_ready) {
    std::shared_ptr<const ReadyCallback> shared;
    if (on_ready != nullptr) shared = std::make_shared<const ReadyCallback>(std::move(on_ready));
    MutexLock lock(mutex_);
    on_ready_ = shared;
    const std::size_t waiting = schedule_.waiting().size();
    lock.Unlock();
    if (shared != nullptr && waiting > 0) (*shared)(waiting);
  }

 private:
  using Seconds = std::chrono::duration<double>;

  struct Node : QueueEntry {
    const Key* key = nullptr;
  };

  using Entries = std::unordered_map<Key, Node>;

  Node& Entry(const Key& key) FLYBALL_REQUIRES(mutex_) {
    const auto [found, made] = entries_.try_emplace(key);
    if (made) {
      found->second.key = &found->first;
      tenants_.Join(found->second, tenant_of_(key), clock_.SteadyNow());
    }
    return found->second;
  }

  void EraseIfDisposable(typename Entries::iterator entry) FLYBALL_REQUIRES(mutex_) {
    if (!entry->second.disposable()) return;
    tenants_.Leave(entry->second);
    entries_.erase(entry);
  }

  SteadyTime Advance() FLYBALL_REQUIRES(mutex_) {
    const SteadyTime now = clock_.SteadyNow();
    schedule_.Advance(now);
    return now;
  }

  void AddAfterLocked(Node& entry, std::chrono::nanoseconds delay, SteadyTime now)
      FLYBALL_REQUIRES(mutex_) {
    metrics_.retries.Increment();
    if (delay <= delay.zero()) {
      schedule_.Add(entry, Priority::kLive, now);
    } else {
      schedule_.AddAt(entry, SaturatingAdd(now, delay));
    }
  }

  std::optional<Work> Take(MutexLock& lock) FLYBALL_REQUIRES(mutex_) {
    const SteadyTime now = Advance();
    QueueEntry* const entry = schedule_.Take(now);
    if (entry == nullptr) return std::nullopt;
    const std::chrono::nanoseconds waited = now - entry->added;
    std::optional<Work> work = Work(*this, static_cast<Node&>(*entry));
    Publish(lock);
    metrics_.queue_duration.Observe(Seconds(waited).count());
    return work;
  }

  void Finish(Node& entry) FLYBALL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const std::chrono::nanoseconds took = Advance() - entry.started;
    schedule_.Finish(entry);
    if (entry.disposable()) EraseIfDisposable(entries_.find(*entry.key));
    Publish(lock);
    metrics_.work_duration.Observe(Seconds(took).count());
  }

  void Hold(Node& entry) FLYBALL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const std::chrono::nanoseconds took = Advance() - entry.started;
    schedule_.Hold(entry);
    Publish(lock);
    metrics_.work_duration.Observe(Seconds(took).count());
  }

  void OnTimer() FLYBALL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    timer_at_.reset();
    Advance();
    Publish(lock);
  }

  void Close(bool drain) FLYBALL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    draining_ = drain;
    Advance();
    schedule_.ShutDown();
    for (auto it = entries_.begin(); it != entries_.end();) EraseIfDisposable(it++);
    ready_.NotifyAll();
    drained_.NotifyAll();
    Publish(lock);
    timer_.Cancel();
  }

  void Publish(MutexLock& lock) FLYBALL_REQUIRES(mutex_);

  QueueMetrics::Gauges Gauges() {
    const auto seconds = [this](auto what) {
      return [this, what] {
        const MutexLock lock(mutex_);
        return Seconds((schedule_.*what)(clock_.SteadyNow())).count();
      };
    };
    return {.depth = [this] { return static_cast<double>(sizes().pending); },
            .unfinished_work = seconds(&Schedule::UnfinishedWork),
            .longest_running = seconds(&Schedule::LongestRunning)};
  }

  // Constant after construction.
  Clock& clock_;
  const std::string name_;
  const BackOff back_off_;
  const TenantOfKey tenant_of_;
  CondVar ready_;
  CondVar drained_;

  mutable Mutex mutex_;
  Tenants tenants_ FLYBALL_GUARDED_BY(mutex_);
  Schedule schedule_ FLYBALL_GUARDED_BY(mutex_);
  Entries entries_ FLYBALL_GUARDED_BY(mutex_);
  std::size_t getters_ FLYBALL_GUARDED_BY(mutex_) = 0;  // blocked in Get()
  bool draining_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::optional<SteadyTime> timer_at_ FLYBALL_GUARDED_BY(mutex_);  // will be, or has been, set to
  // Shared with calls that are under way.
  std::shared_ptr<const ReadyCallback> on_ready_ FLYBALL_GUARDED_BY(mutex_);

  // Last: when they have gone, nobody asks or calls any more.
  Timer timer_;
  QueueMetrics metrics_;
};

/// Ends a change: lets go of the lock, and tells those who wait for what the change has brought.
template <typename Key>
void WorkQueue<Key>::Publish(MutexLock& lock)
    FLYBALL_NO_THREAD_SAFETY_ANALYSIS {  // it does not see that `lock` is that of mutex_
  const Schedule::Changes changes = schedule_.TakeChanges();
  const std::optional<SteadyTime> due = schedule_.next_due();
  const bool due_sooner = due && (!timer_at_ || *due < *timer_at_);
  if (due_sooner) timer_at_ = due;
  for (std::size_t woken = 0; woken < std::min(changes.ready, getters_); ++woken) {
    ready_.NotifyOne();
  }
  if (draining_ && schedule_.drained()) drained_.NotifyAll();
  const auto on_ready = changes.ready > 0 ? on_ready_ : nullptr;

  lock.Unlock();
  if (changes.added > 0) metrics_.adds.Add(static_cast<double>(changes.added));
  if (due_sooner) timer_.FireBy(*due);
  if (on_ready != nullptr) (*on_ready)(changes.ready);
}

template <typename Key>
std::optional<std::chrono::nanoseconds> WorkQueue<Key>::oldest_wait() const {
  const MutexLock lock(mutex_);
  std::optional<SteadyTime> oldest;
  // Not the first of a list: one that was added while it was processed has waited since then.
  for (const FairList* list : {&schedule_.waiting().live(), &schedule_.waiting().background()}) {
    list->ForEach([&](const QueueEntry& entry) {
      if (!oldest || entry.added < *oldest) oldest = entry.added;
    });
  }
  if (!oldest) return std::nullopt;
  return clock_.SteadyNow() - *oldest;
}

template <typename Key>
std::vector<typename WorkQueue<Key>::KeyReport> WorkQueue<Key>::keys(std::size_t most) const {
  const MutexLock lock(mutex_);
  const SteadyTime now = clock_.SteadyNow();
  std::vector<KeyReport> reports;
  const auto report = [&](const QueueEntry& entry) {
    if (reports.size() == most) return;
    KeyReport& made = reports.emplace_back(*static_cast<const Node&>(entry).key, entry.state);
    made.pending = entry.pending;
    if (entry.pending) made.priority = entry.priority;
    if (entry.state == KeyState::kWaiting) {
      made.since = now - entry.added;
    } else if (entry.state != KeyState::kIdle) {
      made.since = now - entry.started;
    }
    if (entry.delayed()) made.due_in = entry.due - now;
    made.retries = entry.retries;
  };
  const auto report_all = [&](const EntryList& list) {
    for (const QueueEntry* entry = list.front(); entry != nullptr; entry = entry->next) {
      report(*entry);
    }
  };
  report_all(schedule_.processing());
  schedule_.waiting().live().ForEach(report);
  schedule_.waiting().background().ForEach(report);
  report_all(schedule_.held());
  std::vector<QueueEntry*> delayed = schedule_.delayed().entries();
  std::ranges::sort(delayed, [](auto* a, auto* b) { return DelayHeap::DueBefore(*a, *b); });
  for (const QueueEntry* const entry : delayed) {
    if (entry->state == KeyState::kIdle) report(*entry);
  }
  return reports;
}

// The keys that nearly all controllers have, compiled once.
extern template class WorkQueue<api::ObjectKey>;
extern template class WorkQueue<std::string>;

}  // namespace flyball::queue
