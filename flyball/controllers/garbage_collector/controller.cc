#include "flyball/controllers/garbage_collector/controller.h"

#include <utility>

#include "flyball/controllers/garbage_collector/collector.h"
#include "flyball/queue/queue_metrics.h"

namespace flyball::controllers::garbage_collector {
namespace {

using runtime::Context;
using runtime::ReconcileQueue;

Counter SyncErrors(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics
      ->Counters({.name = "garbagecollector_controller_resources_sync_error_total",
                  .help = "[ALPHA] Number of times the garbage collector failed to discover the "
                          "API resources or to sync its caches of them in time."})
      .With();
}

/// DIVERGES: upstream has a queue of changes between its watches and its graph. Ours has none, so
/// all that is left to tell is how many changes there were.
queue::QueueMetrics GraphChanges(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  const auto none = [] { return 0.0; };
  return {*metrics,
          "garbage_collector_graph_changes",
          {.depth = none, .unfinished_work = none, .longest_running = none}};
}

core::v1::ObjectReference ReferenceTo(const Identity& identity) {
  core::v1::ObjectReference reference;
  reference.kind = identity.kind;
  reference.apiVersion = identity.api_version;
  reference.namespace_ = identity.namespace_;
  reference.name = identity.name;
  reference.uid = identity.uid;
  return reference;
}

/// What the controller is made of, for as long as one of its queues or tasks is there.
class Parts {
 public:
  Parts(runtime::Controller& controller, const runtime::Controller::Deps& deps)
      : events_(controller.events()),
        changes_(GraphChanges(deps.metrics)),
        clock_(deps.executor.clock()),
        log_(deps.log),
        monitors_({.informers = deps.informers,
                   .client = deps.client,
                   .timers = deps.timers,
                   .sync_errors = SyncErrors(deps.metrics),
                   .log = deps.log},
                  {.stored =
                       [this](const client::Resource& resource, const auto& object) {
                         changes_.adds.Increment();
                         Tell(graph_.Observe(resource.ApiVersion(), resource.kind, object));
                       },
                   .deleted =
                       [this](const api::ObjectIdentity& last) {
                         changes_.adds.Increment();
                         Tell(graph_.Remove(PackedUid::Of(last.uid)));
                       },
                   .forgotten =
                       [this](const client::Resource& resource) {
                         Tell(graph_.ForgetKind(resource.ApiVersion(), resource.kind));
                       }}),
        collector_({.graph = graph_,
                    .monitors = monitors_,
                    .tell = [this](const Consequences& found) { Tell(found); }}) {}

  /// Whom it may concern. Before anything is told.
  void SetQueues(ReconcileQueue<PackedUid>& to_delete, ReconcileQueue<PackedUid>& to_orphan) {
    to_delete_ = &to_delete;
    to_orphan_ = &to_orphan;
  }

  /// Nothing is decided before the graph is as complete as it gets: an owner whose dependents are
  /// not known yet would leave none behind, and have them deleted afterwards.
  void Begin(const std::stop_token& stop) {
    while (!stop.stop_requested() && !monitors_.Refresh(stop)) {
      clock_.SleepFor(std::chrono::seconds(1), stop);
    }
    log_.Info("Proceeding to collect garbage");
    Tell(graph_.Settle());
  }
  void Refresh(const std::stop_token& stop) {
    // The first time is at once after Begin().
    if (std::exchange(begun_, true)) monitors_.Refresh(stop);
  }
  void End() { monitors_.End(); }

  const Collector& collector() const { return collector_; }
  std::string NamespaceOf(PackedUid uid) const { return graph_.NamespaceOf(uid); }

 private:
  void Tell(const Consequences& found) {
    for (const PackedUid uid : found.to_delete) to_delete_->Add(uid);
    for (const PackedUid uid : found.to_orphan) to_orphan_->Add(uid);
    for (const Misplaced& one : found.misplaced) {
      events_.Event(ReferenceTo(one.dependent), runtime::EventType::kWarning,
                    "OwnerRefInvalidNamespace",
                    "ownerRef " + one.owner.ToString() + " does not exist in namespace \"" +
                        one.owner.namespace_ + "\"");
    }
  }

  runtime::EventRecorder& events_;
  const queue::QueueMetrics changes_;
  Clock& clock_;
  const Logger log_;
  ReconcileQueue<PackedUid>* to_delete_ = nullptr;
  ReconcileQueue<PackedUid>* to_orphan_ = nullptr;
  Graph graph_;
  Monitors monitors_;
  const Collector collector_;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  if (!options.enabled) return nullptr;
  auto controller = std::make_unique<runtime::Controller>("garbage-collector-controller", deps);
  const auto parts = std::make_shared<Parts>(*controller, deps);
  const auto tenant_of = [parts](PackedUid uid) { return parts->NamespaceOf(uid); };
  auto& to_delete = controller->AddQueue<PackedUid>(
      {.name = "garbage_collector_attempt_to_delete", .workers = options.workers},
      [parts](Context& context, PackedUid uid) {
        return parts->collector().AttemptToDelete(context, uid);
      },
      tenant_of);
  auto& to_orphan = controller->AddQueue<PackedUid>(
      {.name = "garbage_collector_attempt_to_orphan", .workers = options.workers},
      [parts](Context& context, PackedUid uid) {
        return parts->collector().AttemptToOrphan(context, uid);
      },
      tenant_of);
  parts->SetQueues(to_delete, to_orphan);
  controller->OnStart([parts](const std::stop_token& stop) { parts->Begin(stop); });
  controller->OnStop([parts] { parts->End(); });
  controller->Every("resources", Monitors::kPeriod,
                    [parts](const std::stop_token& stop) { parts->Refresh(stop); });
  return controller;
}

}  // namespace flyball::controllers::garbage_collector
