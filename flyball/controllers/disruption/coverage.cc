#include "flyball/controllers/disruption/coverage.h"

namespace flyball::controllers::disruption {

void Coverage::Put(const policy::v1::PodDisruptionBudget& budget) {
  const std::string& space = budget.metadata.namespace_;
  const MutexLock lock(mutex_);
  const auto [at, is_new] = budgets_[space].try_emplace(budget.metadata.name);
  Budget& its = at->second;
  // Mostly it is the status that has changed.
  if (!is_new && its.written == budget.spec.selector) return;
  its.written = budget.spec.selector;
  its.selector = api::Selector::FromMessage(its.written);
  its.pods.clear();
  if (!its.selector || its.selector->SelectsNothing()) return;
  for (PodRef& pod : select_(space, *its.selector)) its.pods.insert(std::move(pod));
}

void Coverage::Remove(const api::ObjectKey& budget) {
  const MutexLock lock(mutex_);
  const auto space = budgets_.find(budget.namespace_);
  if (space == budgets_.end()) return;
  space->second.erase(budget.name);
  if (space->second.empty()) budgets_.erase(space);
}

Coverage::Covering Coverage::Put(const PodRef& pod, const views::Pod* old) {
  Covering covering;
  const bool same_labels = old != nullptr && old->metadata.labels == pod->metadata.labels;
  const MutexLock lock(mutex_);
  const auto space = budgets_.find(pod->metadata.namespace_.view());
  if (space == budgets_.end()) return covering;
  for (auto& [budget, its] : space->second) {
    const auto was = its.pods.find(pod);
    const bool covered = was != its.pods.end();
    if (!same_labels) ++matched_;
    if (same_labels ? !covered : !its.Selects(*pod)) {
      if (!covered) continue;
      covering.no_longer.push_back(budget);
      its.pods.erase(was);
      continue;
    }
    covering.now.push_back(budget);
    if (covered) {
      auto node = its.pods.extract(was);
      node.value() = pod;
      its.pods.insert(std::move(node));
    } else {
      its.pods.insert(pod);
    }
  }
  return covering;
}

std::vector<std::string> Coverage::Remove(const views::Pod& pod) {
  std::vector<std::string> covering;
  const MutexLock lock(mutex_);
  const auto space = budgets_.find(pod.metadata.namespace_.view());
  if (space == budgets_.end()) return covering;
  for (auto& [budget, its] : space->second) {
    const auto was = its.pods.find(pod.metadata.name.view());
    if (was == its.pods.end()) continue;
    covering.push_back(budget);
    its.pods.erase(was);
  }
  return covering;
}

Result<std::vector<PodRef>> Coverage::PodsOf(const api::ObjectKey& budget) const {
  const MutexLock lock(mutex_);
  const auto space = budgets_.find(budget.namespace_);
  if (space == budgets_.end()) return std::vector<PodRef>();
  const auto found = space->second.find(budget.name);
  if (found == space->second.end()) return std::vector<PodRef>();
  if (!found->second.selector) return std::unexpected(found->second.selector.error());
  return std::vector<PodRef>(found->second.pods.begin(), found->second.pods.end());
}

std::size_t Coverage::matched() const {
  const MutexLock lock(mutex_);
  return matched_;
}

}  // namespace flyball::controllers::disruption
