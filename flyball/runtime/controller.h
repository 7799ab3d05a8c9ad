#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "flyball/cache/informer_factory.h"
#include "flyball/runtime/reconcile_queue.h"
#include "flyball/runtime/trace/caused_handler.h"

namespace flyball::runtime {

/// A controller, as the harness runs it: what it reads, which changes make it reconcile what, and
/// how. A controller's own code builds one of these and starts nothing by itself:
///
///   Controller controller("ttl-after-finished-controller", deps);
///   const auto jobs = controller.Reads<Job>();
///   auto& queue = controller.AddQueue<>({.name = "ttl_jobs_to_delete"}, reconcile);
///   controller.On<Job>(jobs, {.added = [&queue](const auto& job, bool initial) { ... }});
///
/// Then all informers are started, and each controller when what it reads is there.
///
/// Built by one thread; Start() and Stop() by any.
class Controller {
 public:
  struct Deps {
    client::Client client;
    cache::InformerFactory& informers;
    Executor& executor;
    Timers& timers;
    MakeEventRecorder events = {};  ///< none: what is recorded is lost
    MetricRegistry* metrics = nullptr;
    Logger log = {};
    /// For names of what is created with but a generateName. None: the server makes them up, and a
    /// create whose answer is lost takes longer to find out about. For any thread.
    api::RandomBits random = {};
  };

  /// `event_component` is the name on its events, where upstream has another for that.
  explicit Controller(std::string name, Deps deps, const std::string& event_component = {});
  /// Stops, and waits for what is under way.
  ~Controller();

  const std::string& name() const { return name_; }
  /// For handlers and periodic tasks; a reconcile has it in its Context.
  EventRecorder& events() { return *events_; }

  /// What it reads of a kind, or of a view of one. Writes to what it reads are waited for.
  template <typename T>
  cache::Informer<T> Reads(const cache::InformerOptions& options = {}) {
    auto informer = deps_.informers.Of<T>(options);
    TrackWritesTo(client::Resource::Of<T>(), informer.core());
    return informer;
  }
  cache::Informer<api::Json> Reads(const client::Resource& resource,
                                   const cache::InformerOptions& options = {}) {
    auto informer = deps_.informers.Dynamic(resource, options);
    TrackWritesTo(resource, informer.core());
    return informer;
  }

  /// Calls handlers that do nothing but add keys to queues, on the thread that reads the changes.
  /// Those that may block are kAsync.
  template <typename T>
  void On(const cache::Informer<T>& informer, cache::EventHandler<T> handler,
          cache::HandlerOptions options = {.delivery = cache::Delivery::kInline}) {
    handlers_.push_back(informer.AddHandler(
        name_, WithCauses(NameOf(*informer.core()), std::move(handler)), options));
  }

  /// `tenant_of` says on whose behalf a key is reconciled, where the key itself does not: see
  /// queue::WorkQueue.
  template <typename Key = api::ObjectKey>
  ReconcileQueue<Key>& AddQueue(
      ReconcileOptions options, std::type_identity_t<Reconcile<Key>> reconcile,
      typename ReconcileQueue<Key>::TenantOfKey tenant_of = queue::TenantOf<Key>) {
    auto queue = std::make_unique<ReconcileQueue<Key>>(QueueDeps{.client = deps_.client,
                                                                 .random = deps_.random,
                                                                 .executor = deps_.executor,
                                                                 .timers = deps_.timers,
                                                                 .consistency = consistency_,
                                                                 .reads = reads_,
                                                                 .events = *events_,
                                                                 .metrics = deps_.metrics,
                                                                 .log = deps_.log},
                                                       std::move(options), std::move(reconcile),
                                                       std::move(tenant_of));
    ReconcileQueue<Key>& added = *queue;
    queues_.push_back(std::move(queue));
    return added;
  }

  /// Does something again and again, each time so long after the last has ended. An exception is
  /// an error in the log.
  void Every(const std::string& task, std::chrono::nanoseconds interval,
             std::function<void(const std::stop_token& stop)> run);

  /// Called once before the first reconcile, as a part of WaitForSync(), which waits for it: for a
  /// controller that finds out itself which resources it reads.
  void OnStart(std::function<void(const std::stop_token& stop)> start) {
    on_start_ = std::move(start);
  }
  /// Called when no more reconciles are wanted, perhaps twice. Must add no keys after it has
  /// returned.
  void OnStop(std::function<void()> stop) { on_stop_ = std::move(stop); }

  /// Blocks until what it reads is there, and its handlers have been told; false if a stop came
  /// first.
  bool WaitForSync(const std::stop_token& stop) const;
  /// After that.
  void Start();
  /// No reconcile begins after this, and those that are under way are asked to end. Does not wait:
  /// where many controllers stop, all are asked before one is waited for.
  void RequestStop();
  /// The same, and waits. False if some have not ended by the deadline.
  [[nodiscard]] bool Stop(SteadyTime deadline);

  /// Its queues, each with at most so many keys. Any thread, once all queues are there.
  std::vector<QueueReport> Queues(std::size_t most_keys) const;
  /// What it did last, and what it goes by. Any thread, once all is built.
  ControllerTrace Trace(std::span<const std::string> keys) const;

 private:
  class Periodic;

  void TrackWritesTo(const client::Resource& resource,
                     const std::shared_ptr<cache::InformerCore>& cache) {
    consistency_.Add(resource, cache);
    reads_.push_back({.resource = resource.QualifiedName(), .cache = cache});
  }
  /// The resource of a cache that the controller reads.
  std::string NameOf(const cache::InformerCore& cache) const;

  const std::string name_;
  const Deps deps_;
  const std::unique_ptr<EventRecorder> events_;
  // In the order in which they end, from the last: handlers and `consistency_` call queues.
  std::vector<ReadCache> reads_;
  std::vector<std::unique_ptr<QueueRunner>> queues_;
  ConsistencyStore consistency_;
  std::atomic<bool> running_ = false;
  std::list<std::shared_ptr<Periodic>> periodics_;
  std::vector<std::unique_ptr<cache::Registration>> handlers_;
  std::function<void(const std::stop_token&)> on_start_;
  std::function<void()> on_stop_;
};

}  // namespace flyball::runtime
