#include "flyball/controllers/stateful_set/plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace flyball::controllers::stateful_set {
namespace {

using apps::v1::StatefulSet;

/// The pods of other revisions than the latest, those included that are on their way out.
std::vector<PodRef> OfOtherRevisions(const ReplicaSlots& replica_slots, std::string_view latest) {
  std::vector<PodRef> others = replica_slots.Pods();
  std::erase_if(others, [&](const PodRef& pod) {
    return pod->status.phase.empty() || RevisionOf(*pod) == latest;
  });
  return others;
}

/// True if that is all for now.
bool PlanRecreation(const Observed& observed, const Revisions& revisions, Plan& plan) {
  std::vector<PodRef> others = OfOtherRevisions(observed.replica_slots, revisions.update);
  if (!others.empty()) {
    std::erase_if(others, [](const PodRef& pod) { return IsGoing(*pod); });
    plan.recreated = std::move(others);
    plan.progress = Progress{.message = "Deleting old revision pods"};
    return true;
  }
  if (revisions.current != revisions.update) {
    plan.progress = Progress{.message = "Waiting for new-revision pods to be created"};
  }
  return false;
}

void PlanRollingUpdate(const Observed& observed, const Revisions& revisions, const Gates& gates,
                       Plan& plan) {
  if (!gates.max_unavailable) {
    plan.outdated =
        PlanUpdateOneByOne(observed.set, observed.replica_slots, revisions.update, observed.now)
            .outdated;
    return;
  }
  auto update = PlanUpdate(observed.set, observed.replica_slots, revisions.update, observed.now);
  if (!update) {
    plan.failure = std::move(update).error();
    return;
  }
  plan.outdated = std::move(update->outdated);
  plan.unavailable = update->unavailable;
}

/// What is done, one after the other: "delete db-2; create db-0".
class Words {
 public:
  void Add(std::string_view verb, std::string_view object) {
    if (!text_.empty()) text_ += "; ";
    text_.append(verb).append(" ").append(object);
  }
  void AddAll(std::string_view verb, const std::vector<PodRef>& pods) {
    for (const PodRef& pod : pods) Add(verb, pod->metadata.name);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void Describe(const ClaimPlan& claims, Words& words) {
  for (const auto& claim : claims.create) words.Add("create claim", claim.metadata.name);
  for (const auto& adjustment : claims.adjust) {
    if (adjustment.write) words.Add("set the owners of claim", adjustment.claim.metadata.name);
  }
}

void Describe(const PodTask& task, Words& words) {
  Describe(task.claims, words);
  const std::string pod =
      task.pod ? std::string(task.pod->metadata.name) : "pod " + std::to_string(task.ordinal);
  if (task.Creates()) words.Add("create", pod);
  if (task.remove) words.Add("delete, since it has ended,", pod);
  if (task.patch) words.Add("mend", pod);
}

}  // namespace

bool HasUnknownStrategy(const StatefulSet& set, const Gates& gates) {
  return set.spec.updateStrategy.type == kRecreate && !gates.recreate;
}

Plan PlanFor(const Observed& observed, const Revisions& revisions, const Gates& gates) {
  const StatefulSet& set = observed.set;
  Plan plan;
  // Its pods go with it, or are left to whoever may want them.
  if (set.metadata.deletionTimestamp) return plan;
  const std::string& strategy = set.spec.updateStrategy.type;
  if (strategy == kRecreate && PlanRecreation(observed, revisions, plan)) return plan;
  plan.order = PlanOrder(observed);
  if (!plan.order.waits_for.empty()) return plan;
  if (strategy == kOnDelete || strategy == kRecreate) return plan;
  PlanRollingUpdate(observed, revisions, gates, plan);
  return plan;
}

bool Plan::Acts() const {
  return !recreated.empty() || !order.replicas.empty() || !order.condemned_claims.empty() ||
         !order.condemned.empty() || !outdated.empty();
}

std::string Plan::ToString() const {
  Words words;
  words.AddAll("delete, to recreate it,", recreated);
  for (const PodTask& task : order.replicas) Describe(task, words);
  for (const auto& adjustment : order.condemned_claims) {
    words.Add("set the owners of claim", adjustment.claim.metadata.name);
  }
  words.AddAll("delete, since nobody asks for it,", order.condemned);
  words.AddAll("delete, for the update,", outdated);
  if (!order.waits_for.empty()) words.Add("wait for", order.waits_for);
  return words.Take();
}

}  // namespace flyball::controllers::stateful_set
