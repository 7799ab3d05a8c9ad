#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/label_selector.h"
#include "flyball/api/policy/v1.h"
#include "flyball/sandbox/body.h"
#include "flyball/sandbox/kinds/pod_conditions.h"
#include "flyball/sandbox/kinds/subresources.h"

namespace flyball::sandbox {
namespace {

using core::v1::Pod;
using meta::v1::DeleteOptions;
using policy::v1::PodDisruptionBudget;

constexpr std::string_view kBudgets = "policy/poddisruptionbudgets";
constexpr std::string_view kWouldViolate =
    "Cannot evict pod as it would violate the pod's disruption budget.";
/// Evictions that the disruption controller has not seen through yet.
constexpr std::size_t kMaxDisruptedPods = 2000;

meta::v1::StatusCause BudgetCause(std::string message) {
  meta::v1::StatusCause cause;
  cause.reason = "DisruptionBudget";
  cause.message = std::move(message);
  return cause;
}

/// The budget does not speak for the pods that there are: a client may ask again soon.
ApiStatusError StillProcessed(const std::string& budget) {
  return TooManyRequests(std::string(kWouldViolate), 10,
                         {BudgetCause("The disruption budget " + budget +
                                      " is still being processed by the server.")});
}

ApiStatusError BudgetForbids(const std::string& budget, const std::string& why,
                             const std::string& told) {
  meta::v1::Status status = Forbidden({"policy", "poddisruptionbudget"}, budget, why).status();
  status.details->causes.push_back(BudgetCause("The disruption budget " + budget +
                                               " does not allow evicting pods currently: " + told));
  return ApiStatusError(std::move(status));
}

/// Why there is no disruption left.
std::string WhyExhausted(const PodDisruptionBudget& budget) {
  const std::string the = "The disruption budget " + budget.metadata.name;
  const auto& status = budget.status;
  const meta::v1::Condition* condition = nullptr;
  for (const auto& each : status.conditions) {
    if (each.type == "DisruptionAllowed") condition = &each;
  }
  const bool told =
      condition != nullptr && condition->status == "False" && !condition->message.empty();
  if (told && condition->reason == "SyncFailed") {
    return the +
           " does not allow evicting pods currently because it failed sync: " + condition->message;
  }
  if (status.currentHealthy <= status.desiredHealthy) {
    return the + " needs " + std::to_string(status.desiredHealthy) + " healthy pods and has " +
           std::to_string(status.currentHealthy) + " currently";
  }
  if (told) {
    return the + " does not allow evicting pods currently (" + condition->reason +
           "): " + condition->message;
  }
  return the + " does not allow evicting pods currently";
}

void SayExhausted(PodDisruptionBudget& budget, WallTime now) {
  meta::v1::Condition condition;
  condition.type = "DisruptionAllowed";
  condition.status = "False";
  condition.reason = "InsufficientPods";
  condition.observedGeneration = budget.status.observedGeneration;
  condition.lastTransitionTime = api::Time(now).WholeSeconds();
  for (auto& each : budget.status.conditions) {
    if (each.type != condition.type) continue;
    if (each.status == condition.status) condition.lastTransitionTime = each.lastTransitionTime;
    each = std::move(condition);
    return;
  }
  budget.status.conditions.push_back(std::move(condition));
}

/// Takes one of the disruptions that the budget allows. The pod is noted down, so that the
/// disruption controller counts it out before it sees it go.
StatusOr<> TakeDisruption(PodDisruptionBudget& budget, const std::string& pod, WallTime now) {
  auto& status = budget.status;
  const std::string& name = budget.metadata.name;
  if (status.observedGeneration < budget.metadata.generation) {
    return std::unexpected(StillProcessed(name));
  }
  if (status.disruptionsAllowed < 0) {
    const std::string why = "pdb disruptions allowed is negative";
    return std::unexpected(BudgetForbids(name, why, why));
  }
  if (status.disruptedPods.size() > kMaxDisruptedPods) {
    return std::unexpected(BudgetForbids(
        name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
        "too many pending evictions not confirmed by PDB controller"));
  }
  if (status.disruptionsAllowed == 0) {
    return std::unexpected(
        TooManyRequests(std::string(kWouldViolate), 0, {BudgetCause(WhyExhausted(budget))}));
  }
  if (--status.disruptionsAllowed == 0) SayExhausted(budget, now);
  status.disruptedPods[pod] = api::Time(now).WholeSeconds();
  return {};
}

/// Whether it disrupts nothing that the pod goes, or does so already.
bool IgnoresBudgets(const Pod& pod) {
  const std::string& phase = pod.status.phase;
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         pod.metadata.deletionTimestamp;
}

/// One eviction on its way: the budget gives a disruption, the pod is told why it goes, and goes.
/// Each step may end on another thread.
class PodEviction : public std::enable_shared_from_this<PodEviction> {
 public:
  PodEviction(ResourceRequest call, SubresourceDeps deps, OnReply done)
      : call_(std::move(call)), deps_(deps), done_(std::move(done)) {}

  void Start() {
    const auto begun = Begin();
    if (!begun) return done_(std::unexpected(begun.error()));
    const auto pod = deps_.objects.Get<Pod>("pods", call_.target().namespace_, call_.target().name);
    if (!pod) return done_(std::unexpected(NotFound({"", "pods"}, call_.target().name)));
    if (IgnoresBudgets(*pod)) {
      if (pod->status.phase == "Pending" && !pod->metadata.deletionTimestamp) GuardVersion(*pod);
      return MarkPod();
    }
    const auto budgets = BudgetsOf(*pod);
    if (budgets.empty()) return MarkPod();
    if (budgets.size() > 1) return done_(std::unexpected(TooManyBudgets()));
    if (!IsReady(*pod) && MayGoUnready(budgets.front())) {
      // It must not have become ready, and count, in the meantime.
      guarded_by_ = budgets.front().metadata.name;
      GuardVersion(*pod);
      return MarkPod();
    }
    AskBudget(budgets.front().metadata.name);
  }

 private:
  static ApiStatusError TooManyBudgets() {
    meta::v1::Status status;
    status.status = "Failure";
    status.code = 500;
    status.message =
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
        "support.";
    return ApiStatusError(std::move(status));
  }

  /// A pod that is not ready is no loss where enough others are, or where nobody minds.
  static bool MayGoUnready(const PodDisruptionBudget& budget) {
    if (budget.spec.unhealthyPodEvictionPolicy == "AlwaysAllow") return true;
    return budget.status.currentHealthy >= budget.status.desiredHealthy &&
           budget.status.desiredHealthy > 0;
  }

  StatusOr<> Begin() {
    policy::v1::Eviction eviction;
    FLYBALL_TRY(ReadOptions(call_.request, policy::v1::Eviction::kType, &eviction));
    FLYBALL_TRY(deps_.writes.CheckNamespace(call_, call_.target().name));
    if (eviction.metadata.name != call_.target().name) {
      return std::unexpected(BadRequest("name in URL does not match name in Eviction object"));
    }
    if (eviction.deleteOptions) options_ = *eviction.deleteOptions;
    if (options_.dryRun.empty()) options_.dryRun = call_.target().query.All("dryRun");
    caller_guards_ = options_.preconditions && options_.preconditions->resourceVersion;
    return {};
  }

  bool dry_run() const { return !options_.dryRun.empty(); }

  void GuardVersion(const Pod& pod) {
    if (caller_guards_) return;
    options_.preconditions.get_or_emplace().resourceVersion = pod.metadata.resourceVersion;
  }

  std::vector<PodDisruptionBudget> BudgetsOf(const Pod& pod) const {
    std::vector<PodDisruptionBudget> budgets;
    for (const RecordPtr& record : deps_.objects.List(kBudgets, pod.metadata.namespace_)) {
      const api::AnyObject object = record->Decode();
      const auto& budget = *object.As<PodDisruptionBudget>();
      const auto selector = api::Selector::FromMessage(budget.spec.selector);
      if (selector && selector->Matches(pod.metadata.labels)) budgets.push_back(budget);
    }
    return budgets;
  }

  void AskBudget(const std::string& name) {
    const std::string& space = call_.target().namespace_;
    const RecordPtr found = deps_.objects.Find(kBudgets, space, name);
    if (!found) return MarkPod();
    const auto decide = [self = shared_from_this(),
                         name](const RecordPtr& current) -> StatusOr<Step> {
      if (!current) {
        return std::unexpected(NotFound({"policy", "poddisruptionbudgets"}, name));
      }
      api::AnyObject object = current->Decode();
      FLYBALL_TRY(TakeDisruption(*static_cast<PodDisruptionBudget*>(object.get()),
                                 self->call_.target().name, self->deps_.objects.Now()));
      return Step::Put(std::move(object));
    };
    deps_.objects.GuaranteedUpdate(
        {{std::string(kBudgets), space, name}, found->kind_ptr(), decide, dry_run()},
        [self = shared_from_this()](const StatusOr<Outcome>& outcome) {
          if (!outcome) return self->done_(std::unexpected(outcome.error()));
          self->MarkPod();
        });
  }

  /// Says on the pod itself why it goes: a Job, for one, counts that differently from a failure.
  void MarkPod() {
    if (dry_run()) return DeletePod();
    const auto decide = [self = shared_from_this()](const RecordPtr& current) -> StatusOr<Step> {
      if (!current) return std::unexpected(NotFound({"", "pods"}, self->call_.target().name));
      api::AnyObject object = current->Decode();
      Pod& pod = *static_cast<Pod*>(object.get());
      FLYBALL_TRY(self->CheckPreconditions(pod));
      core::v1::PodCondition target;
      target.type = "DisruptionTarget";
      target.status = "True";
      target.reason = "EvictionByEvictionAPI";
      target.message = "Eviction API: evicting";
      SetCondition(pod.status, std::move(target), self->deps_.objects.Now());
      return Step::Put(std::move(object));
    };
    deps_.objects.GuaranteedUpdate(
        {{"pods", call_.target().namespace_, call_.target().name}, call_.resource->kind, decide},
        [self = shared_from_this()](const StatusOr<Outcome>& outcome) {
          if (!outcome) return self->Fail(outcome.error());
          // The version that was waited for has just been replaced, by this.
          auto& wanted = self->options_.preconditions;
          if (wanted && wanted->resourceVersion) {
            wanted->resourceVersion = outcome->record->resource_version();
          }
          self->DeletePod();
        });
  }

  StatusOr<> CheckPreconditions(const Pod& pod) const {
    if (!options_.preconditions) return {};
    const auto& wanted = *options_.preconditions;
    const auto conflict = [&](const std::string& why) {
      return std::unexpected(Conflict({"", "Pod"}, pod.metadata.name, why));
    };
    if (wanted.uid && !wanted.uid->empty() && *wanted.uid != pod.metadata.uid) {
      return conflict("the UID in the precondition (" + *wanted.uid +
                      ") does not match the UID in record (" + pod.metadata.uid +
                      "). The object might have been deleted and then recreated");
    }
    if (wanted.resourceVersion && !wanted.resourceVersion->empty() &&
        *wanted.resourceVersion != pod.metadata.resourceVersion) {
      return conflict("the ResourceVersion in the precondition (" + *wanted.resourceVersion +
                      ") does not match the ResourceVersion in record (" +
                      pod.metadata.resourceVersion + "). The object might have been modified");
    }
    return {};
  }

  void DeletePod() {
    deps_.writes.DeleteOne(call_, call_.target().namespace_, call_.target().name, options_,
                           [self = shared_from_this()](const StatusOr<Done>& done) {
                             if (!done) return self->Fail(done.error());
                             self->done_(Reply::Success());
                           });
  }

  void Fail(const ApiStatusError& refusal) {
    // The pod changed under a guard that the caller did not ask for: then it is not at fault.
    if (!guarded_by_.empty() && !caller_guards_ && refusal.code() == 409) {
      return done_(std::unexpected(StillProcessed(guarded_by_)));
    }
    done_(std::unexpected(refusal));
  }

  const ResourceRequest call_;
  const SubresourceDeps deps_;
  OnReply done_;
  DeleteOptions options_;
  bool caller_guards_ = false;
  std::string guarded_by_;  // the budget that an unready pod goes by
};

}  // namespace

void EvictPod(const ResourceRequest& call, std::string_view /*verb*/, SubresourceDeps deps,
              OnReply done) {
  std::make_shared<PodEviction>(call, deps, std::move(done))->Start();
}

}  // namespace flyball::sandbox
