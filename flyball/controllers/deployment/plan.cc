#include "flyball/controllers/deployment/plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "flyball/base/wrapping.h"
#include "flyball/controllers/deployment/annotations.h"
#include "flyball/controllers/deployment/conditions.h"
#include "flyball/controllers/deployment/deployment_status.h"
#include "flyball/controllers/deployment/new_replica_set.h"
#include "flyball/controllers/deployment/progress.h"
#include "flyball/controllers/deployment/revisions.h"
#include "flyball/controllers/deployment/rolling_plan.h"
#include "flyball/controllers/deployment/scale_plan.h"

namespace flyball::controllers::deployment {
namespace {

using apps::v1::Deployment;
using apps::v1::DeploymentStatus;
using apps::v1::ReplicaSet;

/// A plan in the making. Each step goes by what the ones before have come to, not by what they will
/// have done: sets count with the sizes that they have.
class Planner {
 public:
  explicit Planner(const Observed& observed)
      : observed_(observed),
        deployment_(observed.deployment),
        rollout_(RolloutOf(observed.deployment, observed.sets)),
        status_(observed.deployment.status) {
    if (const auto* const revision = deployment_.metadata.annotations.find(kRevision)) {
      revision_ = *revision;
    }
  }

  /// Of one that is being deleted: whoever deletes it takes care of its sets.
  void ReportOnly() {
    KeepCurrent();
    WriteStatus(Counted());
  }

  void Pause() { NotePause(deployment_, status_, observed_.now); }

  void Scale() {
    KeepCurrent();
    for (const Resize& resize : PlanScale(rollout_)) Add(resize);
    if (deployment_.spec.paused && !RollBackTarget(deployment_)) CleanUp();
    WriteStatus(Counted());
  }

  void RollBackTo(std::int64_t target) {
    KeepOrCreateCurrent();
    WriteStatus(status_);
    // On top of what goes to the status, which takes the same annotations.
    const Deployment& latest = plan_.status ? *plan_.status : deployment_;
    plan_.roll_back = PlanRollBack(
        {.deployment = latest, .current = rollout_.current, .old = rollout_.old}, target);
  }

  void Roll() {
    KeepOrCreateCurrent();
    const std::vector<Resize> resizes = PlanRolling(rollout_);
    for (const Resize& resize : resizes) Add(resize);
    if (resizes.empty()) CleanUpIfComplete();
    WriteProgress();
  }

  /// First all that is old goes, and its pods have ended; then comes what is new.
  void Recreate() {
    KeepCurrent();
    const std::vector<SetRef> active = Active(rollout_.old);
    for (const SetRef& set : active) Add({set, 0});
    if (active.empty() && !OldPodsRun()) {
      if (!rollout_.current) CreateCurrent();
      if (SizeOf(*rollout_.current) != SizeOf(deployment_)) {
        Add({rollout_.current, SizeOf(deployment_)});
      }
      CleanUpIfComplete();
    }
    WriteProgress();
  }

  bool IsScaled() const { return deployment::IsScaled(rollout_); }
  Plan Take() { return std::move(plan_); }

 private:
  // PARITY: what comes after the highest number there is, is the lowest.
  std::int64_t NextRevision() const { return WrappingAdd(HighestRevision(rollout_.old), 1); }

  /// Brings up to date what the current set has from the deployment, and the other way around.
  void KeepCurrent() {
    if (!rollout_.current) return;
    const ReplicaSet& current = *rollout_.current;
    auto annotations = AnnotationsOfCurrent(deployment_, current, NextRevision());
    const bool renumbered = annotations.has_value();
    if (annotations || current.spec.minReadySeconds != deployment_.spec.minReadySeconds) {
      ReplicaSet changed = current;
      if (annotations) changed.metadata.annotations = *std::move(annotations);
      changed.spec.minReadySeconds = deployment_.spec.minReadySeconds;
      plan_.updates.push_back({.set = changed});
      rollout_.current = std::make_shared<const ReplicaSet>(std::move(changed));
    }
    revision_ = AnnotationOf(*rollout_.current, kRevision);
    if (!HasProgressDeadline(deployment_)) return;
    // DIVERGES: who makes a set and is killed before saying so leaves a deployment that, upstream,
    // goes on telling of the success of the set before it.
    const auto* const last = FindCondition(status_, kProgressing);
    const bool unsaid =
        !renumbered && IsAnotherRevision() && last != nullptr && last->reason == kSetAvailable;
    if (unsaid || last == nullptr) Progressing(kSetFound, "Found new replica set ");
  }

  /// Whether the deployment says that it is at an earlier revision than its current set.
  bool IsAnotherRevision() const {
    const auto* const said = deployment_.metadata.annotations.find(kRevision);
    return said != nullptr && *said != revision_;
  }

  void KeepOrCreateCurrent() { rollout_.current ? KeepCurrent() : CreateCurrent(); }

  void CreateCurrent() {
    ReplicaSet set = MakeReplicaSet(rollout_, NextRevision());
    plan_.create = Plan::SetWrite{.set = set};
    if (SizeOf(set) > 0) {
      plan_.create->events.push_back(Scaled(set.metadata.name, 0, SizeOf(set)));
    }
    revision_ = std::to_string(NextRevision());
    rollout_.current = std::make_shared<const ReplicaSet>(std::move(set));
    if (HasProgressDeadline(deployment_)) Progressing(kSetCreated, "Created new replica set ");
  }

  void Progressing(std::string_view reason, const std::string& message) {
    SetCondition(status_, MakeCondition(kProgressing, "True", reason,
                                        message + "\"" + rollout_.current->metadata.name + "\"",
                                        observed_.now));
  }

  void Add(const Resize& resize) {
    const auto same = [&](const Plan::SetWrite& write) {
      return write.set.metadata.name == resize.set->metadata.name;
    };
    const auto planned = std::ranges::find_if(plan_.updates, same);
    ReplicaSet set = planned == plan_.updates.end() ? *resize.set : planned->set;
    const std::int32_t from = SizeOf(set);
    const bool noted = NoteSize(deployment_, set.metadata.annotations);
    if (!noted && from == resize.to) return;
    set.spec.replicas = resize.to;
    Plan::SetWrite& write =
        planned == plan_.updates.end() ? plan_.updates.emplace_back() : *planned;
    if (from != resize.to) write.events.push_back(Scaled(set.metadata.name, from, resize.to));
    write.set = std::move(set);
  }

  void CleanUpIfComplete() {
    if (IsComplete(deployment_, deployment_.status)) CleanUp();
  }
  void CleanUp() {
    for (const SetRef& set : ExpiredRevisions(rollout_)) plan_.deletions.push_back(*set);
  }

  bool OldPodsRun() const {
    const bool counted = std::ranges::any_of(
        rollout_.old, [](const SetRef& set) { return set->status.replicas > 0; });
    return counted || std::ranges::any_of(observed_.sets_with_pods, [&](const std::string& uid) {
             return !rollout_.current || rollout_.current->metadata.uid != uid;
           });
  }

  DeploymentStatus Counted() const {
    return StatusOf(rollout_, status_, observed_.count_terminating, observed_.now);
  }

  void WriteProgress() {
    DeploymentStatus status = Counted();
    NoteProgress(rollout_, status_, status, observed_.now);
    const auto check = NextProgressCheck(deployment_, status, observed_.now);
    WriteStatus(std::move(status));
    // What is written brings it back by itself.
    if (!plan_.status) plan_.check_after = check;
  }

  void WriteStatus(DeploymentStatus status) {
    const auto* const revision = deployment_.metadata.annotations.find(kRevision);
    const bool same_revision = revision == nullptr ? revision_.empty() : *revision == revision_;
    if (same_revision && status == deployment_.status) return;
    Deployment& changed = plan_.status.emplace(deployment_);
    if (!same_revision) changed.metadata.annotations[kRevision] = revision_;
    changed.status = std::move(status);
  }

  const Observed& observed_;
  const Deployment& deployment_;
  Rollout rollout_;
  DeploymentStatus status_;  ///< as it was, with what has been noted so far
  std::string revision_;
  Plan plan_;
};

Plan Refusal(const Deployment& deployment) {
  Plan plan;
  plan.events.push_back(
      {.type = runtime::EventType::kWarning,
       .reason = "SelectingAll",
       .message = "This deployment is selecting all pods. A non-empty selector is required."});
  if (deployment.status.observedGeneration < deployment.metadata.generation) {
    plan.status = deployment;
    plan.status->status.observedGeneration = deployment.metadata.generation;
  }
  return plan;
}

}  // namespace

bool SelectsEverything(const Deployment& deployment) {
  const auto& selector = deployment.spec.selector;
  return selector && selector->matchLabels.empty() && selector->matchExpressions.empty();
}

Result<Plan> PlanFor(const Observed& observed) {
  const Deployment& deployment = observed.deployment;
  if (SelectsEverything(deployment)) return Refusal(deployment);
  Planner planner(observed);
  if (deployment.metadata.deletionTimestamp) {
    planner.ReportOnly();
    return planner.Take();
  }
  planner.Pause();
  const auto target = RollBackTarget(deployment);
  if (deployment.spec.paused || (!target && planner.IsScaled())) {
    planner.Scale();
  } else if (target) {
    planner.RollBackTo(*target);
  } else if (deployment.spec.strategy.type == kRecreate) {
    planner.Recreate();
  } else if (deployment.spec.strategy.type == kRollingUpdate) {
    planner.Roll();
  } else {
    return Fail(ErrorCode::kInvalid,
                "unexpected deployment strategy type: " + deployment.spec.strategy.type);
  }
  return planner.Take();
}

bool Plan::Acts() const {
  return !events.empty() || create || !updates.empty() || !deletions.empty() || status || roll_back;
}

std::string Plan::ToString() const {
  std::vector<std::string> parts;
  for (const Event& event : events) parts.push_back("say " + event.reason);
  if (create) {
    parts.push_back("create " + create->set.metadata.name + " with " +
                    std::to_string(SizeOf(create->set)) + " pods");
  }
  for (const SetWrite& update : updates) {
    const std::string& name = update.set.metadata.name;
    parts.push_back(update.events.empty()
                        ? "annotate " + name
                        : "resize " + name + " to " + std::to_string(SizeOf(update.set)));
  }
  for (const ReplicaSet& set : deletions) parts.push_back("delete " + set.metadata.name);
  if (status) parts.emplace_back("write the status");
  if (roll_back) parts.emplace_back("roll back");
  if (check_after) {
    const auto wait = std::chrono::duration_cast<std::chrono::seconds>(*check_after);
    parts.push_back("check again after " + std::to_string(wait.count()) + " s");
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text.empty() ? "leave it" : text;
}

}  // namespace flyball::controllers::deployment
