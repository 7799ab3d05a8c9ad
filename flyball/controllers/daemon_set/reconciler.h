#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/pod_writes.h"
#include "flyball/controllers/common/terminating_namespace_backoff.h"
#include "flyball/controllers/daemon_set/failed_pod_backoff.h"
#include "flyball/controllers/daemon_set/history.h"
#include "flyball/controllers/daemon_set/plan.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::daemon_set {

/// Looks at a set with its revisions, its pods and all nodes, decides, and carries that out. Pods
/// and revisions are found by their controllers (common/controller_index.h). Any thread.
class Reconciler {
 public:
  struct Deps {
    cache::Lister<apps::v1::DaemonSet> sets;
    cache::Lister<apps::v1::ControllerRevision> revisions;
    cache::Lister<views::Pod> pods;
    cache::Lister<views::Node> nodes;
    const Clock& clock;
    std::shared_ptr<FailedPodBackoff> backoff;
    api::TolerationRules tolerations = {};
  };
  explicit Reconciler(Deps deps)
      : deps_(std::move(deps)),
        namespace_backoff_(std::make_shared<common::TerminatingNamespaceBackoff>(deps_.clock)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  /// What comes of a set whose history is in order. `again` becomes sooner if something waits.
  Result<> Update(runtime::Context& context, const Observed& observed, History history,
                  std::span<const PodRef> pods,
                  std::optional<std::chrono::nanoseconds>& again) const;
  Result<> CarryOut(runtime::Context& context, const Observed& observed, const Plan& plan,
                    std::string_view why) const;
  Result<std::vector<PodRef>> ClaimPods(runtime::Context& context, const apps::v1::DaemonSet& set,
                                        const api::Selector& selector) const;
  std::vector<FittedNode> FitNodes(const apps::v1::DaemonSet& set) const;

  const Deps deps_;
  const std::shared_ptr<common::TerminatingNamespaceBackoff> namespace_backoff_;
};

}  // namespace flyball::controllers::daemon_set
