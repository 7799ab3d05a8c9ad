#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "flyball/api/object_key.h"
#include "flyball/queue/work_queue.h"
#include "flyball/queue/worker_pool.h"
#include "flyball/runtime/appointments.h"
#include "flyball/runtime/consistency_store.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/cooldown_keys.h"
#include "flyball/runtime/last_errors.h"
#include "flyball/runtime/queue_report.h"
#include "flyball/runtime/reconcile_metrics.h"
#include "flyball/runtime/reconcile_watchdog.h"
#include "flyball/runtime/trace/trace_log.h"
#include "flyball/runtime/trace/trace_report.h"
#include "flyball/runtime/trace/triggers.h"

namespace flyball::runtime {

/// The result of a reconcile that did not fail: done until something changes, or to be requeued.
struct Outcome {
  std::optional<std::chrono::nanoseconds> requeue_after = std::nullopt;
  bool with_backoff = false;

  static Outcome Done() { return {}; }
  static Outcome RequeueAfter(std::chrono::nanoseconds delay) { return {.requeue_after = delay}; }
  /// Requeues the key with the back-off of an error, and logs no error: for a condition that will
  /// pass, and that no event tells of.
  static Outcome RequeueWithBackoff() { return {.with_backoff = true}; }
};

/// The reconcile function: makes the cluster what the object of a key asks for. It is
/// level-triggered: it is told which key, and not which event. It is called again after every
/// change that the controller adds the key for, and with back-off after an error; by several tasks,
/// but never for one key by two. The process may be killed at any instruction.
template <typename Key>
using Reconcile = std::function<Result<Outcome>(Context& context, const Key& key)>;

/// What all queues of a controller have in common.
struct QueueDeps {
  client::Client client;
  api::RandomBits random;  ///< see Context::Deps; may be empty
  Executor& executor;
  Timers& timers;
  ConsistencyStore& consistency;
  const std::vector<ReadCache>& reads;
  EventRecorder& events;
  MetricRegistry* metrics = nullptr;
  Logger log = {};
};

struct ReconcileOptions {
  std::string name;  ///< of the queue, in metrics: upstream's, where it has one
  /// The resource whose objects its keys name, "pods", for people who ask what became of one; what
  /// the controller reads first, unless told.
  std::string keys_of = {};
  std::size_t workers = 1;  ///< reconciles at a time
  /// Its keys stand for many objects each: the node monitor's, a zone's. Held until the caches show
  /// a write is the object that was written (Context::AwaitsOwnWrite), and not the key, which would
  /// stand still for all of them.
  bool hold_objects = false;
  /// An object of which only the metadata could be decoded is reconciled all the same. Else it is
  /// left alone: what its spec asks for is not known.
  bool by_metadata = false;
  queue::BackOff back_off = {};
  /// A key that fails more often in a row is not requeued until something adds it again. Upstream's
  /// controllers differ in this.
  std::optional<int> max_retries = std::nullopt;
  /// A reconcile is asked to stop after this time.
  std::chrono::nanoseconds deadline = std::chrono::minutes(5);
  /// After a reconcile that wrote, its key is not reconciled again before this time has passed, so
  /// that events in quick succession, as of pods that become ready, are answered together. A key
  /// that has not just written is reconciled at once.
  std::chrono::nanoseconds min_interval_after_write = {};
  /// Counts reconciles that had to wait until a cache showed what the last one wrote, by the group
  /// and resource of that cache.
  CounterFamily stale_sync_skips = {};
};

/// The part of a queue that is the same for all keys.
class QueueRunner {
 public:
  virtual ~QueueRunner() = default;
  virtual void Start() = 0;
  /// No reconcile begins after this, and those that are under way are asked to end.
  virtual void RequestStop() = 0;
  /// The same, and waits; false if some have not ended by the deadline.
  [[nodiscard]] virtual bool Stop(SteadyTime deadline) = 0;
  /// With at most so many keys.
  virtual QueueReport Report(std::size_t most_keys) const = 0;
  /// Of these keys; of all, if none are named.
  virtual QueueTrace Trace(std::span<const std::string> keys) const = 0;

 protected:
  QueueRunner(QueueDeps deps, std::string_view name)
      : deps_(std::move(deps)),
        metrics_(deps_.metrics == nullptr ? ReconcileMetrics()
                                          : ReconcileMetrics(*deps_.metrics, name)) {}

  /// The most that a server may put a retry off (Retry-After).
  static constexpr std::chrono::nanoseconds kLongestRetryAfter = std::chrono::minutes(5);

  /// Drops those writes that no cache will show.
  std::vector<Write> Awaited(std::vector<Write> writes) const;
  static Error ErrorOf(const std::exception& thrown);
  /// Why the object that a key names could not be decoded; nothing where it could, or where keys
  /// are no names of objects. `keys_of` is that of ReconcileOptions.
  std::optional<std::string> WhyUnreadable(const std::string& keys_of,
                                           const api::ObjectKey& key) const;
  /// The record of a reconcile, as far as it is known before it begins.
  ReconcileRecord BeginRecord(Triggers triggers, int retries, WallTime now) const;
  QueueTrace TraceOf(QueueReport report, std::string resource,
                     std::span<const std::string> keys) const;

  QueueDeps deps_;
  const ReconcileMetrics metrics_;
  TraceLog trace_;
  std::stop_source stop_;
};

/// Keys to be reconciled, and the tasks that do it.
template <typename Key = api::ObjectKey>
class ReconcileQueue final : public QueueRunner {
 public:
  using TenantOfKey = typename queue::WorkQueue<Key>::TenantOfKey;

  ReconcileQueue(QueueDeps deps, ReconcileOptions options, Reconcile<Key> reconcile,
                 TenantOfKey tenant_of = queue::TenantOf<Key>)
      : QueueRunner(std::move(deps), options.name),
        options_(std::move(options)),
        reconcile_(std::move(reconcile)),
        watchdog_({.timers = deps_.timers,
                   .stuck = metrics_.stuck,
                   .overdue = metrics_.overdue,
                   .log = deps_.log},
                  {.queue = options_.name, .deadline = options_.deadline}),
        queue_(deps_.timers,
               {.name = options_.name, .back_off = options_.back_off, .metrics = deps_.metrics},
               std::move(tenant_of)),
        cooldown_(deps_.timers, [this](const Key& key) { queue_.Release(key); }) {}

  void Add(const Key& key, queue::Priority priority = queue::Priority::kLive) {
    pending_triggers_.Add(key);
    queue_.Add(key, priority);
  }
  void AddAfter(const Key& key, std::chrono::nanoseconds delay) { queue_.AddAfter(key, delay); }

  void Start() override {
    pool_.emplace(queue_, deps_.executor,
                  typename queue::WorkerPool<Key>::Options{options_.name, options_.workers},
                  [this](auto work) { Process(std::move(work)); });
  }

  void RequestStop() override {
    queue_.ShutDown();
    stop_.request_stop();
    watchdog_.StopAll();
  }

  bool Stop(SteadyTime deadline) override {
    RequestStop();
    return !pool_ || pool_->Stop(deadline);
  }

  const queue::WorkQueue<Key>& keys() const { return queue_; }

  QueueReport Report(std::size_t most_keys) const override {
    QueueReport report{.name = options_.name,
                       .sizes = queue_.sizes(),
                       .reconciles = totals_.reconciles,
                       .busy = std::chrono::nanoseconds(totals_.nanoseconds)};
    auto errors = errors_.All();
    report.failing = errors.size();
    for (const auto& entry : queue_.keys(most_keys)) {
      report.keys.push_back({.key = Text(entry.key),
                             .state = entry.state,
                             .since = entry.since,
                             .due_in = entry.due_in,
                             .retries = entry.retries,
                             .last_error = std::move(errors[entry.key])});
      errors.erase(entry.key);
    }
    // Those that were given up are in no queue.
    for (auto& [key, error] : errors) {
      if (report.keys.size() == most_keys) break;
      report.keys.push_back({.key = Text(key), .last_error = std::move(error)});
    }
    return report;
  }

  QueueTrace Trace(std::span<const std::string> keys) const override {
    return TraceOf(Report(std::numeric_limits<std::size_t>::max()), options_.keys_of, keys);
  }

 private:
  using Work = typename queue::WorkQueue<Key>::Work;

  void Process(Work work) {
    if (stop_.stop_requested()) return;  // a queue that is shut down still hands out what waits
    const Key key = work.key();
    const SteadyTime began = deps_.executor.clock().SteadyNow();
    const std::string text = Text(key);
    const auto watched = watchdog_.Watch(text);
    const WallTime now = deps_.executor.clock().WallNow();
    ReconcileRecord record = BeginRecord(pending_triggers_.Take(key), queue_.Retries(key), now);
    Context context({.client = deps_.client,
                     .events = deps_.events,
                     .now = now,
                     .log = deps_.log,
                     .stop = watched.stop(),
                     .reads = deps_.reads,
                     .held = options_.hold_objects ? &held_ : nullptr,
                     .random = deps_.random ? &deps_.random : nullptr});
    context.names_in_doubt() = names_in_doubt_.Take(text);
    const auto outcome = Run(context, key, record);
    names_in_doubt_.Keep(text, std::move(context.names_in_doubt()),
                         deps_.executor.clock().SteadyNow());
    Settle(key, outcome, context.requeue_after(), began, record);
    context.notes().MoveTo(record);
    trace_.Ended(text, std::move(record));
    std::vector<Write> writes = Awaited(context.writes().Take());
    if (options_.hold_objects) return HoldObjects(key, context, std::move(writes));
    if (writes.empty()) return;
    // Held first: what the caches show between the two would else be missed.
    work.Hold();
    const SteadyTime not_before =
        deps_.executor.clock().SteadyNow() + options_.min_interval_after_write;
    deps_.consistency.WhenObserved(
        std::move(writes),
        [this, key, not_before](const ConsistencyStore::Observation& observation) {
          if (observation.missed) Add(key);
          if (observation.waited_for != nullptr && queue_.IsPending(key)) {
            options_.stale_sync_skips
                .With({observation.waited_for->group, observation.waited_for->plural})
                .Increment();
          }
          cooldown_.Add(key, not_before);
        });
  }

  /// Holds what was written, and has the key added when what it waits for is shown.
  void HoldObjects(const Key& key, const Context& context, std::vector<Write> writes) {
    const auto add = [this, key] { Add(key); };
    for (const Write& write : writes) held_.Add(write.resource, write.key);
    for (const auto& [resource, object] : context.awaited()) {
      held_.Wait(resource, object, Text(key), add);
    }
    for (const auto& [resource, object] : context.passed_over()) {
      // It may have been shown since.
      if (!held_.Wait(resource, object, Text(key), add)) add();
    }
    for (Write& write : writes) {
      auto release = [this, resource = write.resource,
                      object = write.key](const ConsistencyStore::Observation&) {
        for (const auto& [text, requeue] : held_.Remove(resource, object)) requeue();
      };
      std::vector<Write> one;
      one.push_back(std::move(write));
      deps_.consistency.WhenObserved(std::move(one), std::move(release));
    }
  }

  Result<Outcome> Run(Context& context, const Key& key, ReconcileRecord& record) {
    const ReconcileMetrics::Timing timing(metrics_, totals_, deps_.executor.clock(), record.took);
    if (auto reason = WhyUnreadable(key)) {
      // It is reconciled when it changes: what cannot be decoded now cannot be a moment later.
      context.Decided("left alone, it cannot be decoded: " + *std::move(reason));
      return Outcome::Done();
    }
    try {
      return reconcile_(context, key);
    } catch (const std::exception& thrown) {
      metrics_.exceptions.Increment();
      return std::unexpected(ErrorOf(thrown));
    }
  }

  std::optional<std::string> WhyUnreadable(const Key& key) const {
    if (options_.by_metadata) return std::nullopt;
    if constexpr (std::is_same_v<Key, api::ObjectKey>) {
      return QueueRunner::WhyUnreadable(options_.keys_of, key);
    } else if constexpr (std::is_same_v<Key, std::string>) {
      return QueueRunner::WhyUnreadable(options_.keys_of, {"", key});
    } else {
      return std::nullopt;
    }
  }

  /// Requeues the key, or does not, by the outcome. An appointment is kept whatever that is: the
  /// one of this reconcile, or, if it failed before it came to that, the last one's.
  void Settle(const Key& key, const Result<Outcome>& outcome,
              std::optional<std::chrono::nanoseconds> after, SteadyTime began,
              ReconcileRecord& record) {
    if (outcome && outcome->requeue_after) {
      after = std::min(after.value_or(*outcome->requeue_after), *outcome->requeue_after);
    }
    if (!outcome) {
      SettleFailed(key, outcome.error(), record);
      after = Earlier(after, LeftOfLast(key, began));
    } else if (outcome->with_backoff) {
      errors_.Succeeded(key);
      metrics_.again.Increment();
      record.end = ReconcileRecord::End::kRequeueWithBackoff;
      queue_.AddRateLimited(key);
      after = Earlier(after, LeftOfLast(key, began));
    } else {
      errors_.Succeeded(key);
      (after ? metrics_.again : metrics_.done).Increment();
      queue_.Forget(key);
      if (after) record.end = ReconcileRecord::End::kRequeueAfter;
    }
    if (!after) return appointments_.Drop(key);
    record.requeue_after = *after;
    appointments_.Keep(key, deps_.executor.clock().DeadlineAfter(*after));
    queue_.AddAfter(key, *after);
  }

  using Delay = std::optional<std::chrono::nanoseconds>;
  static Delay Earlier(Delay a, Delay b) { return a && b ? std::min(a, b) : (a ? a : b); }

  /// Rest of the last appointment, if its time had not come when this reconcile began: it may have
  /// come since, and this one has not seen to it.
  Delay LeftOfLast(const Key& key, SteadyTime began) const {
    const auto kept = appointments_.Of(key);
    if (!kept || *kept <= began) return std::nullopt;
    return std::max(*kept - deps_.executor.clock().SteadyNow(), std::chrono::nanoseconds::zero());
  }

  void SettleFailed(const Key& key, const Error& error, ReconcileRecord& record) {
    record.error = error.Describe();
    const bool give_up = options_.max_retries && queue_.Retries(key) >= *options_.max_retries;
    record.end = give_up ? ReconcileRecord::End::kGivenUp : ReconcileRecord::End::kFailed;
    (give_up ? metrics_.given_up : metrics_.failed).Increment();
    deps_.log.Error(error,
                    give_up ? "Reconcile failed, dropping key out of the queue"
                            : "Reconcile failed, requeuing key",
                    {{"queue", options_.name}, {"key", Text(key)}});
    errors_.Failed(key, error);
    if (give_up) return queue_.Forget(key);
    // A server that says when it is worth asking again is not asked before.
    queue_.AddRateLimited(
        key, std::min<std::chrono::nanoseconds>(error.detail().retry_after, kLongestRetryAfter));
  }

  static std::string Text(const Key& key) {
    if constexpr (requires { key.ToString(); }) {
      return key.ToString();
    } else {
      return std::string(key);
    }
  }

  const ReconcileOptions options_;
  const Reconcile<Key> reconcile_;
  LastErrors<Key> errors_;
  HeldObjects held_;
  Appointments<Key> appointments_;
  NamesInDoubt names_in_doubt_;
  PendingTriggers<Key> pending_triggers_;
  ReconcileTotals totals_;
  ReconcileWatchdog watchdog_;
  queue::WorkQueue<Key> queue_;
  CooldownKeys<Key> cooldown_;
  std::optional<queue::WorkerPool<Key>> pool_;
};

// The keys that nearly all controllers have, compiled once.
extern template class ReconcileQueue<api::ObjectKey>;
extern template class ReconcileQueue<std::string>;

}  // namespace flyball::runtime
