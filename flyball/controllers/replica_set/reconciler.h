#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "flyball/base/metrics.h"
#include "flyball/base/saturating.h"
#include "flyball/controllers/common/controller_index.h"
#include "flyball/controllers/common/controller_ref_manager.h"
#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/common/pod_from_template.h"
#include "flyball/controllers/common/pod_writes.h"
#include "flyball/controllers/common/status_write.h"
#include "flyball/controllers/common/terminating_namespace_backoff.h"
#include "flyball/controllers/replica_set/controller.h"
#include "flyball/controllers/replica_set/deletion_plan.h"
#include "flyball/controllers/replica_set/set_status.h"

namespace flyball::controllers::replica_set {

/// Brings the pods of one set to the number that it asks for, and says in its status how far it is.
/// Reads the caches, which must be indexed by controller; any thread.
template <typename Set>
class Reconciler {
 public:
  struct Deps {
    cache::Lister<Set> sets;
    cache::Lister<views::Pod> pods;
    const Clock& clock;
    Options options;
    Histogram age_ratio;
  };
  explicit Reconciler(Deps deps)
      : deps_(std::move(deps)),
        namespace_backoff_(std::make_shared<common::TerminatingNamespaceBackoff>(deps_.clock)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const {
    const auto set = deps_.sets.Get(key);
    if (!set) {
      context.log().V(4).Info("deleted", {{"kind", Set::kType.name}, {"key", key.ToString()}});
      namespace_backoff_->Gone(key);
      return runtime::Outcome::Done();
    }
    const auto selector = SelectorOf(*set);
    if (!selector) {
      context.log().Error(selector.error(), "error converting pod selector to selector for rs",
                          {{"replicaSet", key}});
      return runtime::Outcome::Done();  // until it has another
    }
    const std::vector<PodRef> own = common::ControlledBy(*set, deps_.pods);
    // Kept also where a write is refused: pods become available all the same.
    if (const auto next = common::NextAvailable(own, set->spec.minReadySeconds, context.now())) {
      context.RequeueAfter(*next);
    }
    FLYBALL_TRY(std::vector<PodRef> active,
                common::ClaimObjects(context, *set, *selector, ActiveAndFree(*set, own)));

    common::PodWrites scaled;
    if (!set->metadata.deletionTimestamp) scaled = Scale(context, *set, active);

    // DIVERGES: upstream tells how things stood before it made or removed pods, and writes another
    // status when it sees them. This one is right at once, so that nobody counts on a pod that has
    // just been told to end, and there is one write less in every step of a rollout.
    std::erase_if(active, [&](const PodRef& pod) { return IsAmong(scaled.removed, pod); });
    const StatusOf<Set> status =
        ComputeStatus(*set,
                      {.active = active,
                       .created = scaled.created,
                       .terminating = Terminating(*selector, own, scaled.removed),
                       .failure = scaled.failure},
                      context.now());
    // Also where that failed, so that people see why.
    FLYBALL_TRY(common::WriteStatus(context, *set, status));
    if (scaled.failure) return std::unexpected(*scaled.failure);

    if (const auto wait = RefusedFor(*set)) return runtime::Outcome::RequeueAfter(*wait);
    const auto next = common::NextAvailable(active, set->spec.minReadySeconds, context.now());
    if (!next) return runtime::Outcome::Done();
    const auto passed = deps_.clock.WallNow() - context.now();
    return runtime::Outcome::RequeueAfter(
        std::max(SaturatingSubtract(*next, passed), std::chrono::nanoseconds::zero()));
  }

 private:
  std::optional<std::chrono::nanoseconds> RefusedFor(const Set& set) const {
    return namespace_backoff_->Wait(api::ObjectKey::Of(set), set.metadata.uid);
  }

  /// The pods that it has to look at: those it controls, and those that nobody does.
  std::vector<PodRef> ActiveAndFree(const Set& set, std::vector<PodRef> pods) const {
    const auto orphans = common::OrphansIn(set.metadata.namespace_, deps_.pods);
    pods.insert(pods.end(), orphans.begin(), orphans.end());
    std::erase_if(pods, [](const PodRef& pod) { return !common::IsActive(*pod); });
    return pods;
  }

  static bool IsAmong(std::span<const PodRef> pods, const PodRef& pod) {
    return std::ranges::find(pods, pod) != pods.end();
  }

  std::optional<std::int32_t> Terminating(const api::Selector& selector,
                                          std::span<const PodRef> own,
                                          std::span<const PodRef> removed) const {
    if (!deps_.options.tell_terminating) return std::nullopt;
    const auto before = std::ranges::count_if(own, [&](const PodRef& pod) {
      return common::IsTerminating(*pod) && selector.Matches(pod->metadata.labels);
    });
    // One that has no node has nobody who would end it first: it is gone at once.
    const auto since = std::ranges::count_if(
        removed, [](const PodRef& pod) { return !pod->spec.nodeName.empty(); });
    return static_cast<std::int32_t>(before + since);
  }

  common::PodWrites Scale(runtime::Context& context, const Set& set,
                          std::span<const PodRef> active) const {
    const Plan plan = PlanFor(active.size(), ReplicasOf(set));
    if (plan == Plan()) return {};
    if (plan.create > 0 && RefusedFor(set)) return {};
    std::string decided = plan.ToString() + " pods: there are " + std::to_string(active.size()) +
                          " of " + std::to_string(ReplicasOf(set));
    const auto log = context.log().V(2);
    if (plan.create > 0) {
      log.Info(
          "Too few replicas",
          {{"replicaSet", api::KObj(set)}, {"need", ReplicasOf(set)}, {"creating", plan.create}});
    } else {
      log.Info(
          "Too many replicas",
          {{"replicaSet", api::KObj(set)}, {"need", ReplicasOf(set)}, {"deleting", plan.remove}});
    }
    context.Decided(std::move(decided));
    const core::v1::ObjectReference about = runtime::ReferenceTo(set);
    if (plan.create > 0) {
      common::PodWrites scaled =
          common::CreatePods(context, about,
                             common::PodFromTemplate(TemplateOf(set), set.metadata.namespace_,
                                                     common::ControllerRefTo(set)),
                             plan.create);
      if (scaled.failure && common::IsNamespaceTerminating(*scaled.failure)) {
        namespace_backoff_->Refused(api::ObjectKey::Of(set), set.metadata.uid);
        scaled.failure.reset();
      }
      return scaled;
    }
    return common::DeletePods(context, about, ChosenOf(set, active, plan.remove, context.now()));
  }

  std::vector<PodRef> ChosenOf(const Set& set, std::span<const PodRef> active, std::size_t count,
                               WallTime now) const {
    const bool all = count == active.size();
    auto chosen = ChoosePodsToDelete(active, all ? std::vector<PodRef>() : RelatedTo(set), count,
                                     now, {.by_cost = deps_.options.by_deletion_cost});
    if (all) return chosen;
    for (const double ratio : AgeRatios(active, chosen, now)) deps_.age_ratio.Observe(ratio);
    return chosen;
  }

  /// The pods of all sets of its owner: what is spread over nodes is what an owner has, not what a
  /// set has in the midst of a rollout.
  // PARITY: a set that nobody owns has none, not even its own, and a ReplicationController never.
  // DIVERGES: upstream takes what the sets' selectors match, by a look at every pod of the
  // namespace. That would be others too: pods that no set controls, or another with the same
  // labels. Here it is what the sets control.
  std::vector<PodRef> RelatedTo(const Set& set) const {
    std::vector<PodRef> related;
    if constexpr (std::same_as<Set, apps::v1::ReplicaSet>) {
      const auto* const owner = common::ControllerOf(set);
      if (owner == nullptr) return related;
      const auto value = common::ControllerIndexValue(set.metadata.namespace_, owner->uid);
      for (const auto& sibling : deps_.sets.ByIndex(common::kControllerIndex, value)) {
        const auto pods = common::ControlledBy(*sibling, deps_.pods);
        related.insert(related.end(), pods.begin(), pods.end());
      }
    }
    return related;
  }

  const Deps deps_;
  const std::shared_ptr<common::TerminatingNamespaceBackoff> namespace_backoff_;
};

}  // namespace flyball::controllers::replica_set
