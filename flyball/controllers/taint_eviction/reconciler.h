#pragma once

#include <memory>
#include <utility>

#include "flyball/base/metrics.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/taint_eviction/deadlines.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::taint_eviction {

/// Any thread.
struct Metrics {
  Counter deletions;
  Histogram seconds;

  /// Counts nothing without a registry.
  static Metrics In(MetricRegistry* registry);
};

/// Deletes a pod when it has been on a node with taints for as long as it tolerates them.
/// Reads Pods and Nodes; writes Pods/status, and deletes Pods.
///
/// What is deleted does not come back: before that the server is asked whether it has anything
/// newer of the node than the cache. Any thread; a pod by one at a time.
class PodReconciler {
 public:
  struct Deps {
    cache::Lister<views::Pod> pods;
    cache::Lister<views::Node> nodes;
    std::shared_ptr<Deadlines> deadlines;
    api::TolerationRules tolerations;
    Metrics metrics;
    const Clock& clock;
  };
  explicit PodReconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  Result<runtime::Outcome> Evict(runtime::Context& context, const views::Pod& pod,
                                 const views::Node* node, Deadline deadline) const;

  const Deps deps_;
};

}  // namespace flyball::controllers::taint_eviction
