#include "flyball/controllers/node_lifecycle/evictions.h"

#include <unordered_set>

namespace flyball::controllers::node_lifecycle {

std::vector<std::string> Evictions::Update(const std::string& zone,
                                           const std::vector<std::string>& nodes, float rate,
                                           SteadyTime now) {
  MutexLock lock(mutex_);
  const auto [at, is_new] = zones_.try_emplace(zone);
  Zone& its = at->second;
  SetRate(rate, is_new, now, its);
  const std::unordered_set<std::string_view> wanted(nodes.begin(), nodes.end());
  if (!its.waiting.empty() && !wanted.contains(its.waiting.front())) its.has_turn = false;
  std::erase_if(its.waiting, [&](const std::string& node) { return !wanted.contains(node); });
  const std::unordered_set<std::string> there(its.waiting.begin(), its.waiting.end());
  std::vector<std::string> queued;
  for (const std::string& node : nodes) {
    if (!there.contains(node)) queued.push_back(node);
  }
  its.waiting.insert(its.waiting.end(), queued.begin(), queued.end());
  return queued;
}

void Evictions::SetRate(float rate, bool is_new, SteadyTime now, Zone& zone) {
  if (!is_new && zone.rate == rate) return;
  // A zone that comes into another state has no turn for nothing.
  const bool full = is_new || (zone.bucket && zone.bucket->TryTake(now));
  zone.rate = rate;
  zone.bucket.reset();
  if (rate <= 0) return;
  zone.bucket.emplace(rate, 1, now);
  if (!full) static_cast<void>(zone.bucket->TryTake(now));
}

std::optional<std::string> Evictions::Next(std::string_view zone, SteadyTime now) {
  MutexLock lock(mutex_);
  const auto at = zones_.find(zone);
  if (at == zones_.end()) return std::nullopt;
  Zone& its = at->second;
  if (its.waiting.empty() || !its.bucket) return std::nullopt;
  its.has_turn = its.has_turn || its.bucket->TryTake(now);
  return its.has_turn ? std::optional(its.waiting.front()) : std::nullopt;
}

void Evictions::Done(std::string_view zone, std::string_view node) {
  MutexLock lock(mutex_);
  const auto at = zones_.find(zone);
  if (at == zones_.end()) return;
  at->second.has_turn = false;
  std::erase(at->second.waiting, node);
}

bool Evictions::Waits(std::string_view zone) const {
  MutexLock lock(mutex_);
  const auto at = zones_.find(zone);
  return at != zones_.end() && at->second.bucket && !at->second.waiting.empty();
}

}  // namespace flyball::controllers::node_lifecycle
