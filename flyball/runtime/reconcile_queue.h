#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "flyball/api/object_key.h"
#include "flyball/queue/work_queue.h"
#include "flyball/queue/worker_pool.h"
#include "flyball/runtime/cache_gate.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/last_errors.h"
#include "flyball/runtime/queue_report.h"
#include "flyball/runtime/reconcile_metrics.h"
#include "flyball/runtime/reconcile_watchdog.h"
#include "flyball/runtime/resting_keys.h"
#include "flyball/runtime/trace/asks.h"
#include "flyball/runtime/trace/trace_log.h"
#include "flyball/runtime/trace/trace_report.h"

namespace flyball::runtime {

/// What a reconcile that did not fail comes to: nothing more to do until something changes, or
/// until some time has passed.
struct Outcome {
  std::optional<std::chrono::nanoseconds> again_after = std::nullopt;
  bool backs_off = false;

  static Outcome Done() { return {}; }
  static Outcome After(std::chrono::nanoseconds delay) { return {.again_after = delay}; }
  /// Nothing is wrong, but nobody will say when it is worth another try: later and later, as after
  /// an error, but no word of it in the log.
  static Outcome Later() { return {.backs_off = true}; }
};

/// What an author writes: brings the world into line with what a key asks for. Called again after
/// an error, later and later, and after every change that the controller adds the key for; by
/// several tasks, never for one key by two. It may be killed at any instruction.
template <typename Key>
using Reconcile = std::function<Result<Outcome>(Context& context, const Key& key)>;

/// What all queues of a controller have in common.
struct QueueDeps {
  client::Client client;
  /// The caches' own: what they read, it may read. A controller may often not list what it writes.
  client::Client reader;
  Executor& executor;
  Timers& timers;
  CacheGate& gate;
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
  queue::BackOff back_off = {};
  /// A key that fails more often in a row is dropped until it is added again. Upstream's
  /// controllers differ in this.
  std::optional<int> most_retries = std::nullopt;
  /// A reconcile is asked to stop after this time.
  std::chrono::nanoseconds deadline = std::chrono::minutes(5);
  /// A key that has written is not reconciled again before this time, so that what comes in quick
  /// succession, as pods that become ready do, is answered together. Nothing waits for long: a key
  /// that has not just written is reconciled at once.
  std::chrono::nanoseconds rest = {};
  /// Counts reconciles that had to wait until a cache showed what the last one wrote, by the group
  /// and resource of that cache.
  CounterFamily held_back = {};
};

/// The part of a queue that is the same for all keys.
class QueueRunner {
 public:
  virtual ~QueueRunner() = default;
  virtual void Start() = 0;
  /// No reconcile begins after this; false if some have not ended by the deadline.
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

  /// Finds out for ambiguous writes what a cache has to get to. What cannot be found out is waited
  /// for as long as anything is.
  std::vector<Write> Resolve(std::vector<Write> writes) const;
  static Error ErrorOf(const std::exception& thrown);
  /// What there is to be told of a turn before it begins.
  Turn BeginTurn(Asks asks, int retries, WallTime now) const;
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
  ReconcileQueue(QueueDeps deps, ReconcileOptions options, Reconcile<Key> reconcile)
      : QueueRunner(std::move(deps), options.name),
        options_(std::move(options)),
        reconcile_(std::move(reconcile)),
        watchdog_({.timers = deps_.timers,
                   .stuck = metrics_.stuck,
                   .overdue = metrics_.overdue,
                   .log = deps_.log},
                  {.queue = options_.name, .deadline = options_.deadline}),
        queue_(deps_.timers,
               {.name = options_.name, .back_off = options_.back_off, .metrics = deps_.metrics}),
        resting_(deps_.timers, [this](const Key& key) { queue_.Release(key); }) {}

  void Add(const Key& key, queue::Priority priority = queue::Priority::kLive) {
    asks_.Asked(key);
    queue_.Add(key, priority);
  }
  void AddAfter(const Key& key, std::chrono::nanoseconds delay) { queue_.AddAfter(key, delay); }

  void Start() override {
    pool_.emplace(queue_, deps_.executor,
                  typename queue::WorkerPool<Key>::Options{options_.name, options_.workers},
                  [this](auto work) { Process(std::move(work)); });
  }

  bool Stop(SteadyTime deadline) override {
    queue_.ShutDown();
    stop_.request_stop();
    watchdog_.StopAll();
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
    const Key key = work.key();
    const std::string text = Text(key);
    const auto watched = watchdog_.Watch(text);
    const WallTime now = deps_.executor.clock().WallNow();
    Turn turn = BeginTurn(asks_.Take(key), queue_.Retries(key), now);
    Context context({.client = deps_.client,
                     .events = deps_.events,
                     .now = now,
                     .log = deps_.log,
                     .stop = watched.stop()});
    Settle(key, Run(context, key, turn), turn);
    context.notes().MoveTo(turn);
    trace_.Ended(text, std::move(turn));
    std::vector<Write> writes = Resolve(context.writes().Take());
    if (writes.empty()) return;
    // Held first: what the caches show between the two would else be missed.
    work.Hold();
    const SteadyTime rested = deps_.executor.clock().SteadyNow() + options_.rest;
    deps_.gate.WhenSeen(std::move(writes), [this, key, rested](const CacheGate::Shown& shown) {
      if (shown.passed_over) Add(key);
      if (shown.waited_for != nullptr && queue_.IsPending(key)) {
        options_.held_back.With({shown.waited_for->group, shown.waited_for->plural}).Increment();
      }
      resting_.Add(key, rested);
    });
  }

  Result<Outcome> Run(Context& context, const Key& key, Turn& turn) {
    const ReconcileMetrics::Timing timing(metrics_, totals_, deps_.executor.clock(), turn.took);
    try {
      return reconcile_(context, key);
    } catch (const std::exception& thrown) {
      metrics_.exceptions.Increment();
      return std::unexpected(ErrorOf(thrown));
    }
  }

  /// When the key's next turn is.
  void Settle(const Key& key, const Result<Outcome>& outcome, Turn& turn) {
    if (outcome) {
      errors_.Succeeded(key);
      const bool again = outcome->again_after || outcome->backs_off;
      (again ? metrics_.again : metrics_.done).Increment();
      if (outcome->backs_off) {
        turn.end = Turn::End::kLater;
        return queue_.AddRateLimited(key);
      }
      queue_.Forget(key);
      if (!outcome->again_after) return;
      turn.end = Turn::End::kAgain;
      turn.again_in = *outcome->again_after;
      return queue_.AddAfter(key, *outcome->again_after);
    }
    turn.error = outcome.error().Describe();
    const bool give_up = options_.most_retries && queue_.Retries(key) >= *options_.most_retries;
    turn.end = give_up ? Turn::End::kGivenUp : Turn::End::kFailed;
    (give_up ? metrics_.given_up : metrics_.failed).Increment();
    deps_.log.Error(outcome.error(), give_up ? "Reconcile failed, giving up" : "Reconcile failed",
                    {{"queue", options_.name}, {"key", Text(key)}});
    errors_.Failed(key, outcome.error());
    give_up ? queue_.Forget(key) : queue_.AddRateLimited(key);
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
  PendingAsks<Key> asks_;
  ReconcileTotals totals_;
  ReconcileWatchdog watchdog_;
  queue::WorkQueue<Key> queue_;
  RestingKeys<Key> resting_;
  std::optional<queue::WorkerPool<Key>> pool_;
};

// The keys that nearly all controllers have, compiled once.
extern template class ReconcileQueue<api::ObjectKey>;
extern template class ReconcileQueue<std::string>;

}  // namespace flyball::runtime
