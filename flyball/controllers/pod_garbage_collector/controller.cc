#include "flyball/controllers/pod_garbage_collector/controller.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
#include "flyball/controllers/common/require_readable.h"
#include "flyball/controllers/pod_garbage_collector/plan.h"

namespace flyball::controllers::pod_garbage_collector {
namespace {

using api::ObjectKey;
using runtime::Context;
using runtime::Outcome;

constexpr std::chrono::seconds kInterval(20);
/// How long a node may be missing before somebody asks whether it is gone: it may just have come,
/// and its pods be seen before it.
constexpr std::chrono::seconds kQuarantine(40);

using NodeQueue = runtime::ReconcileQueue<std::string>;

struct RemovalMetrics {
  CounterFamily deleted;
  CounterFamily errors;

  static RemovalMetrics In(MetricRegistry* metrics) {
    if (metrics == nullptr) return {};
    return {.deleted =
                metrics->Counters({.name = "pod_gc_collector_force_delete_pods_total",
                                   .help = "[ALPHA] Number of pods that the pod garbage collector "
                                           "tried to delete by force, by namespace and reason.",
                                   .labels = {"namespace", "reason"}}),
            .errors = metrics->Counters(
                {.name = "pod_gc_collector_force_delete_pod_errors_total",
                 .help = "[ALPHA] Number of failed attempts of the pod garbage collector to delete "
                         "a pod by force, by namespace and reason.",
                 .labels = {"namespace", "reason"}})};
  }
};

/// Carries out what was decided. One pod's failure is not another's: it is counted and logged, and
/// the next look at the pods finds it again.
class Remover {
 public:
  explicit Remover(RemovalMetrics metrics) : metrics_(metrics) {}

  void RemoveAll(Context& context, const std::vector<Removal>& removals) const {
    LogCounts(context, removals);
    for (const Removal& removal : removals) {
      if (context.stop().stop_requested()) return;
      if (context.AwaitsOwnWrite(client::Resource::Of<core::v1::Pod>(),
                                 ObjectKey::Of(*removal.pod))) {
        continue;
      }
      const std::string_view space = removal.pod->metadata.namespace_;
      const std::string_view reason = ToString(removal.reason);
      LogFound(context, removal);
      metrics_.deleted.With({space, reason}).Increment();
      const auto removed = Remove(context, removal);
      // PARITY: a pod that is gone already is an error like others.
      if (removed) {
        LogRemoved(context, removal);
        continue;
      }
      metrics_.errors.With({space, reason}).Increment();
      LogFailed(context, removal, removed.error());
    }
  }

 private:
  static void LogCounts(const Context& context, const std::vector<Removal>& removals) {
    const auto count = [&](Reason reason) {
      return std::ranges::count(removals, reason, &Removal::reason);
    };
    if (const auto terminated = count(Reason::kTerminated); terminated > 0) {
      context.log().Info("Garbage collecting pods", {{"numPods", terminated}});
    }
    if (const auto out_of_service = count(Reason::kOutOfService); out_of_service > 0) {
      context.log().V(4).Info(
          "Garbage collecting pods that are terminating on node tainted with "
          "node.kubernetes.io/out-of-service",
          {{"numPods", out_of_service}});
    }
  }

  static void LogFound(const Context& context, const Removal& removal) {
    const Logger& log = context.log();
    const LogObject pod = api::KObj(*removal.pod);
    switch (removal.reason) {
      case Reason::kTerminated:
        break;
      case Reason::kOutOfService:
        log.V(4).Info("Garbage collecting pod that is terminating",
                      {{"pod", pod}, {"phase", removal.pod->status.phase.view()}});
        break;
      case Reason::kOrphaned:
        log.V(2).Info("Found orphaned Pod assigned to the Node, deleting",
                      {{"pod", pod}, {"node", api::KRef("", removal.pod->spec.nodeName)}});
        break;
      case Reason::kUnscheduled:
        log.V(2).Info("Found unscheduled terminating Pod not assigned to any Node, deleting",
                      {{"pod", pod}});
        break;
    }
    log.Info("PodGC is force deleting Pod", {{"pod", pod}});
  }

  static void LogRemoved(const Context& context, const Removal& removal) {
    const LogObject pod = api::KObj(*removal.pod);
    if (removal.reason == Reason::kOrphaned) {
      context.log().Info("Forced deletion of orphaned Pod succeeded", {{"pod", pod}});
    } else if (removal.reason == Reason::kUnscheduled) {
      context.log().Info("Forced deletion of unscheduled terminating Pod succeeded",
                         {{"pod", pod}});
    }
  }

  static void LogFailed(const Context& context, const Removal& removal, const Error& error) {
    const Logger& log = context.log();
    const LogObject pod = api::KObj(*removal.pod);
    switch (removal.reason) {
      case Reason::kTerminated:
        return log.Error(error, "Failed to delete terminated pod", {{"pod", pod}});
      case Reason::kOutOfService:
        return log.Error(error, "Failed to delete terminating pod on out-of-service node",
                         {{"pod", pod}});
      case Reason::kOrphaned:
        return log.Error(error, "Failed to delete orphaned pod", {{"pod", pod}});
      case Reason::kUnscheduled:
        return log.Error(error, "Failed to delete unscheduled terminating pod", {{"pod", pod}});
    }
  }

  static Result<> Remove(Context& context, const Removal& removal) {
    FLYBALL_TRY(const auto patch, FailurePatch(removal, context.now()));
    if (patch) {
      FLYBALL_TRY(context.Patch<core::v1::Pod>(ObjectKey::Of(*removal.pod),
                                               client::Patch::Strategic(*patch), {}, "status"));
    }
    meta::v1::DeleteOptions options;
    options.gracePeriodSeconds = 0;
    return context.Delete(*removal.pod, std::move(options));
  }

  const RemovalMetrics metrics_;
};

/// One look at all pods, whatever the key.
class Sweep {
 public:
  struct Deps {
    cache::Lister<views::Pod> pods;
    cache::Lister<views::Node> nodes;
    NodeQueue& missing_nodes;
    Remover remover;
    std::int32_t terminated_threshold;
  };
  explicit Sweep(Deps deps) : deps_(std::move(deps)) {}

  Result<Outcome> operator()(Context& context, const std::string& /*key*/) const {
    const Plan plan = PlanFor(common::ReadableOf(deps_.pods.List()), deps_.nodes.List(),
                              deps_.terminated_threshold);
    // Of several times the first counts: a node that stays missing is not put off.
    for (const std::string& node : plan.missing_nodes) {
      deps_.missing_nodes.AddAfter(node, kQuarantine);
    }
    if (!plan.removals.empty()) {
      context.Decided("remove " + std::to_string(plan.removals.size()) +
                      " pods, the first: " + plan.removals.front().ToString());
    }
    deps_.remover.RemoveAll(context, plan.removals);
    return Outcome::RequeueAfter(kInterval);
  }

 private:
  const Deps deps_;
};

/// What becomes of the pods of a node that was missing, when its quarantine is over.
class OrphanCollector {
 public:
  OrphanCollector(cache::Lister<views::Pod> pods, cache::Lister<views::Node> nodes, Remover remover)
      : pods_(std::move(pods)), nodes_(std::move(nodes)), remover_(std::move(remover)) {}

  Result<Outcome> operator()(Context& context, const std::string& node) const {
    if (nodes_.Get({"", node})) return Outcome::Done();
    const std::vector<Removal> orphans = OrphansOf(node, common::ReadableOf(pods_.List()));
    if (orphans.empty()) return Outcome::Done();
    // The cache may be late. What is deleted does not come back: ask.
    const auto there =
        context.client().Metadata(client::Resource::Of<core::v1::Node>()).Get({"", node});
    if (there) return Outcome::Done();
    if (there.error().code() != ErrorCode::kNotFound) return std::unexpected(there.error());
    remover_.RemoveAll(context, orphans);
    return Outcome::Done();
  }

 private:
  const cache::Lister<views::Pod> pods_;
  const cache::Lister<views::Node> nodes_;
  const Remover remover_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("pod-garbage-collector-controller", deps);
  const auto pods = controller->Reads<views::Pod>().lister();
  const auto nodes = controller->Reads<views::Node>().lister();
  const Remover remover(RemovalMetrics::In(deps.metrics));

  // A node that could not be asked for is in quarantine again, as upstream has it: the next sweep
  // adds it.
  auto& missing_nodes = controller->AddQueue<std::string>(
      {.name = "orphaned_pods_nodes", .keys_of = "nodes", .hold_objects = true, .max_retries = 0},
      OrphanCollector(pods, nodes, remover));
  // A queue of one key, which adds itself. What the last sweep deleted is left alone until the
  // caches show it.
  auto& sweeps = controller->AddQueue<std::string>(
      {.name = "pod_garbage_collector_sweeps", .hold_objects = true},
      Sweep({.pods = pods,
             .nodes = nodes,
             .missing_nodes = missing_nodes,
             .remover = remover,
             .terminated_threshold = options.terminated_threshold}));
  sweeps.Add("all pods");
  return controller;
}

}  // namespace flyball::controllers::pod_garbage_collector
