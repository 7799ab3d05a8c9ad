#include "flyball/controllers/pod_garbage_collector/controller.h"

#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
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
    return {.deleted = metrics->Counters(
                {.name = "pod_gc_collector_force_delete_pods_total",
                 .help = "[ALPHA] Pods that were to be deleted without their node's consent.",
                 .labels = {"namespace", "reason"}}),
            .errors = metrics->Counters(
                {.name = "pod_gc_collector_force_delete_pod_errors_total",
                 .help = "[ALPHA] Pods that could not be deleted without their node's consent.",
                 .labels = {"namespace", "reason"}})};
  }
};

/// Carries out what was decided. One pod's failure is not another's: it is counted and logged, and
/// the next look at the pods finds it again.
class Remover {
 public:
  explicit Remover(RemovalMetrics metrics) : metrics_(metrics) {}

  void RemoveAll(Context& context, const std::vector<Removal>& removals) const {
    for (const Removal& removal : removals) {
      if (context.stop().stop_requested()) return;
      const std::string pod = ObjectKey::Of(*removal.pod).ToString();
      const std::string_view space = removal.pod->metadata.namespace_;
      const std::string_view reason = ToString(removal.reason);
      context.log().Info("Deleting a pod by force", {{"pod", pod}, {"reason", reason}});
      metrics_.deleted.With({space, reason}).Increment();
      const auto removed = Remove(context, removal);
      // PARITY: a pod that is gone already is an error like others.
      if (removed) continue;
      metrics_.errors.With({space, reason}).Increment();
      context.log().Error(removed.error(), "Could not delete a pod by force",
                          {{"pod", pod}, {"reason", reason}});
    }
  }

 private:
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
    const Plan plan = PlanFor(deps_.pods.List(), deps_.nodes.List(), deps_.terminated_threshold);
    // Of several times the first counts: a node that stays missing is not put off.
    for (const std::string& node : plan.missing_nodes) {
      deps_.missing_nodes.AddAfter(node, kQuarantine);
    }
    if (!plan.removals.empty()) {
      context.Decided("remove " + std::to_string(plan.removals.size()) +
                      " pods, the first: " + plan.removals.front().ToString());
    }
    deps_.remover.RemoveAll(context, plan.removals);
    return Outcome::After(kInterval);
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
    const std::vector<Removal> orphans = OrphansOf(node, pods_.List());
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
      {.name = "orphaned_pods_nodes", .keys_of = "nodes", .most_retries = 0},
      OrphanCollector(pods, nodes, remover));
  // A queue of one key, which adds itself: so a sweep waits until the caches show what the last one
  // deleted.
  auto& sweeps = controller->AddQueue<std::string>(
      {.name = "pod_garbage_collector_sweeps"},
      Sweep({.pods = pods,
             .nodes = nodes,
             .missing_nodes = missing_nodes,
             .remover = remover,
             .terminated_threshold = options.terminated_threshold}));
  sweeps.Add("all pods");
  return controller;
}

}  // namespace flyball::controllers::pod_garbage_collector
