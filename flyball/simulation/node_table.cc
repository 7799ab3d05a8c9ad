#include "flyball/simulation/node_table.h"

#include <algorithm>

namespace flyball::simulation {
namespace {

/// Loads are in parts of this; upstream scores in parts of a hundred.
constexpr std::int64_t kFullLoad = 1'000'000;

std::int64_t PartOf(std::int64_t taken, std::int64_t all) {
  if (all <= 0) return kFullLoad;
  constexpr auto kFull = static_cast<double>(kFullLoad);
  // Wide enough: memory in bytes times a million leaves the range of 64 bits. Pods that were bound
  // by name may have more than any node.
  const double load = static_cast<double>(taken) / static_cast<double>(all) * kFull;
  return static_cast<std::int64_t>(std::clamp(load, -kFull * kFull, kFull * kFull));
}

}  // namespace

std::int64_t NodeTable::LoadOf(const NodeState& node) {
  return (PartOf(node.taken.scored_cpu, node.allocatable.milli_cpu) +
          PartOf(node.taken.scored_memory, node.allocatable.memory)) /
         2;
}

NodeState& NodeTable::StateOf(std::string_view name) {
  auto& state = states_[std::string(name)];
  if (!state) {
    state = std::make_unique<NodeState>();
    state->name = name;
  }
  return *state;
}

template <typename Change>
void NodeTable::Update(NodeState& node, Change change) {
  if (node.node) by_room_.erase({LoadOf(node), &node});
  change(node);
  if (node.node) by_room_.emplace(LoadOf(node), &node);
}

void NodeTable::DropIfGone(NodeState& node) {
  if (!node.node && node.pods == 0) states_.erase(std::string(node.name));
}

void NodeTable::PutNode(std::shared_ptr<const views::KubeletNode> node) {
  Update(StateOf(node->metadata.name), [&](NodeState& state) { state.Describe(std::move(node)); });
}

void NodeTable::RemoveNode(std::string_view name) {
  const auto found = states_.find(std::string(name));
  if (found == states_.end()) return;
  NodeState& state = *found->second;
  Update(state, [](NodeState& its) { its.node = nullptr; });
  DropIfGone(state);
}

void NodeTable::PutPod(std::string_view uid, std::string_view node, PodFootprint footprint) {
  const auto [at, added] = pods_.try_emplace(std::string(uid));
  if (!added) {
    if (at->second.node->name == node) return;
    RemovePod(uid);
    return PutPod(uid, node, std::move(footprint));
  }
  NodeState& state = StateOf(node);
  Update(state, [&](NodeState& its) { its.Put(footprint); });
  at->second = {&state, std::move(footprint)};
}

bool NodeTable::RemovePod(std::string_view uid) {
  const auto taken = pods_.extract(std::string(uid));
  if (taken.empty()) return false;
  NodeState& state = *taken.mapped().node;
  Update(state, [&](NodeState& its) { its.Remove(taken.mapped().footprint); });
  DropIfGone(state);
  return true;
}

std::string_view NodeTable::NodeOf(std::string_view uid) const {
  const auto found = pods_.find(std::string(uid));
  return found == pods_.end() ? std::string_view() : found->second.node->name;
}

const NodeState* NodeTable::Find(std::string_view name) const {
  const auto found = states_.find(std::string(name));
  return found == states_.end() || !found->second->node ? nullptr : found->second.get();
}

Placement NodeTable::Place(const PodNeeds& needs) const {
  if (needs.volumes && !needs.volumes->problem.empty()) {
    return {.problem = MisfitReport::Message(by_room_.size(), needs.volumes->problem)};
  }
  const NodeState* node = nullptr;
  if (needs.only_nodes) {
    node = Named(needs);
  } else if (needs.preferred.empty()) {
    node = First(needs);
  } else {
    node = Preferred(needs);
  }
  if (node != nullptr) return {.node = node->name};
  return {.problem = Explain(needs)};
}

const NodeState* NodeTable::First(const PodNeeds& needs) const {
  const NodeState* unwelcome = nullptr;
  for (const auto& [load, node] : by_room_) {
    if (FitOf(needs, *node) != Misfit::kNone) continue;
    if (!IsUnwelcome(needs, *node)) return node;
    if (unwelcome == nullptr) unwelcome = node;
  }
  return unwelcome;
}

const NodeState* NodeTable::Preferred(const PodNeeds& needs) const {
  // PARITY: upstream scales the best to a hundred and counts it twice, beside a hundred for an
  // empty node, and three for one without taints that are wishes.
  struct Candidate {
    const NodeState* node;
    std::int64_t load;
    std::int64_t preference;
  };
  std::vector<Candidate> candidates;
  std::int64_t most = 0;
  for (const auto& [load, node] : by_room_) {
    if (FitOf(needs, *node) != Misfit::kNone) continue;
    candidates.push_back({node, load, PreferenceOf(needs, *node)});
    most = std::max(most, candidates.back().preference);
  }
  const auto score = [&](const Candidate& candidate) {
    const std::int64_t preference = most == 0 ? 0 : candidate.preference * kFullLoad / most;
    const std::int64_t welcome = IsUnwelcome(needs, *candidate.node) ? 0 : kFullLoad;
    return 2 * preference + 3 * welcome - candidate.load;
  };
  const auto best = std::ranges::max_element(candidates, {}, score);
  return best == candidates.end() ? nullptr : best->node;
}

const NodeState* NodeTable::Named(const PodNeeds& needs) const {
  const NodeState* best = nullptr;
  for (const std::string& name : *needs.only_nodes) {
    const NodeState* const node = Find(name);
    if (node == nullptr || FitOf(needs, *node) != Misfit::kNone) continue;
    if (best == nullptr || LoadOf(*node) < LoadOf(*best)) best = node;
  }
  return best;
}

std::string NodeTable::Explain(const PodNeeds& needs) const {
  MisfitReport report;
  if (!needs.only_nodes) {
    for (const auto& [load, node] : by_room_) report.Add(needs, *node, FitOf(needs, *node));
    return report.Message();
  }
  std::size_t named = 0;
  for (const std::string& name : *needs.only_nodes) {
    const NodeState* const node = Find(name);
    if (node == nullptr) continue;
    ++named;
    report.Add(needs, *node, FitOf(needs, *node));
  }
  report.AddNotNamed(by_room_.size() - named);
  return report.Message();
}

}  // namespace flyball::simulation
