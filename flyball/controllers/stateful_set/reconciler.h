#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "flyball/base/metrics.h"
#include "flyball/controllers/common/terminating_namespace_backoff.h"
#include "flyball/controllers/stateful_set/controller.h"
#include "flyball/controllers/stateful_set/plan.h"
#include "flyball/controllers/stateful_set/revision_plan.h"
#include "flyball/runtime/context.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::stateful_set {

/// Looks at a set with its pods, claims and revisions, decides, and carries that out. Pods and
/// revisions are found by their controllers (common/controller_index.h). Any thread.
class Reconciler {
 public:
  struct Deps {
    cache::Lister<apps::v1::StatefulSet> sets;
    cache::Lister<views::Pod> pods;
    cache::Lister<core::v1::PersistentVolumeClaim> claims;
    cache::Lister<apps::v1::ControllerRevision> revisions;
    const Clock& clock;
    Options options;
    GaugeFamily max_unavailable = {};
    GaugeFamily unavailable = {};
  };
  explicit Reconciler(Deps deps)
      : deps_(std::move(deps)),
        namespace_backoff_(std::make_shared<common::TerminatingNamespaceBackoff>(deps_.clock)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  /// The revisions that pods have, and are to have.
  struct Chosen {
    RevisionRef current = nullptr;
    RevisionRef update = nullptr;
    std::int32_t collisions = 0;
  };
  using Set = apps::v1::StatefulSet;

  Result<std::vector<PodRef>> ClaimPods(runtime::Context& context, const Set& set,
                                        const api::Selector& selector) const;
  Result<runtime::Outcome> Sync(runtime::Context& context, const Set& set,
                                const std::vector<RevisionRef>& history,
                                std::span<const PodRef> pods) const;
  Result<Chosen> ChooseRevisions(runtime::Context& context, const Set& set,
                                 std::span<const RevisionRef> history) const;
  Result<runtime::Outcome> Update(runtime::Context& context, const Set& set, const Chosen& chosen,
                                  std::span<const PodRef> pods) const;
  /// How many pods were deleted for the update, and how that went.
  std::pair<std::size_t, Result<>> CarryOut(runtime::Context& context, const Set& set,
                                            const Chosen& chosen, const Plan& plan) const;
  void Measure(const Set& set, const Plan& plan) const;

  const Deps deps_;
  const std::shared_ptr<common::TerminatingNamespaceBackoff> namespace_backoff_;
};

}  // namespace flyball::controllers::stateful_set
