#include "flyball/controllers/disruption/pod_handler.h"

#include "flyball/controllers/disruption/event_text.h"
#include "flyball/controllers/disruption/stale_target_plan.h"

namespace flyball::controllers::disruption {

void PodHandler::Stored(const PodRef& stored, const views::Pod* old,
                        queue::Priority priority) const {
  const views::Pod& pod = *stored;
  const Coverage::Covering covering = deps_.coverage->Put(stored, old);
  WarnOfSeveral(pod, covering.now);
  // DIVERGES: upstream brings one of several budgets back, any, and none that a pod has left: what
  // they say of how many may go would stay wrong until another of their pods changes.
  Add(pod, covering.now, priority);
  Add(pod, covering.no_longer, priority);
  if (const auto left = StaleIn(pod, deps_.clock.WallNow())) {
    deps_.stale_targets.AddAfter(api::ObjectKey::Of(pod), *left);
  }
}

void PodHandler::Deleted(const views::Pod& pod) const {
  const std::vector<std::string> covering = deps_.coverage->Remove(pod);
  WarnOfSeveral(pod, covering);
  Add(pod, covering, queue::Priority::kLive);
}

void PodHandler::Add(const views::Pod& pod, const std::vector<std::string>& budgets,
                     queue::Priority priority) const {
  for (const std::string& budget : budgets) {
    deps_.budgets.Add({std::string(pod.metadata.namespace_), budget}, priority);
  }
}

void PodHandler::WarnOfSeveral(const views::Pod& pod,
                               const std::vector<std::string>& budgets) const {
  if (budgets.size() < 2) return;
  deps_.events.Event(pod, runtime::EventType::kWarning, "MultiplePodDisruptionBudgets",
                     SeveralBudgetsText(pod, budgets.front()));
}

}  // namespace flyball::controllers::disruption
