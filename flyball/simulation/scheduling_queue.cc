#include "flyball/simulation/scheduling_queue.h"

#include <algorithm>
#include <utility>

namespace flyball::simulation {
namespace {

// Upstream's.
constexpr std::chrono::nanoseconds kFirstBackOff = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds kLongestBackOff = std::chrono::seconds(10);
constexpr std::chrono::nanoseconds kLongestAside = std::chrono::minutes(5);

std::chrono::nanoseconds BackOffAfter(int tries) {
  return std::min(kFirstBackOff * (1 << std::clamp(tries - 1, 0, 10)), kLongestBackOff);
}

bool IsSame(const views::KubeletPod& a, const views::KubeletPod& b) {
  return a.metadata.uid == b.metadata.uid && a.metadata.generation == b.metadata.generation;
}

}  // namespace

void SchedulingQueue::TakeOut(const api::ObjectKey& key, const Entry& entry) {
  if (entry.place == Place::kReady) {
    ready_.erase(entry.order);
    return;
  }
  waiting_.erase({entry.due, key});
  aside_.erase(key);
}

void SchedulingQueue::MakeReady(const api::ObjectKey& key, Entry& entry) {
  TakeOut(key, entry);
  entry.place = Place::kReady;
  ready_.emplace(entry.order, key);
}

void SchedulingQueue::Put(Pod pod) {
  const api::ObjectKey key = api::ObjectKey::Of(*pod);
  const auto [at, added] = entries_.try_emplace(key);
  Entry& entry = at->second;
  if (!added && IsSame(*entry.pod, *pod)) {
    entry.pod = std::move(pod);
    return;
  }
  if (!added) TakeOut(key, entry);
  const std::int64_t priority = pod->spec.priority.value_or(0);
  entry = {.pod = std::move(pod), .order = {-priority, arrivals_++}};
  ready_.emplace(entry.order, key);
}

void SchedulingQueue::Remove(const api::ObjectKey& key) {
  tries_.erase(key);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  TakeOut(key, found->second);
  entries_.erase(found);
}

SchedulingQueue::Pod SchedulingQueue::Pop(SteadyTime now) {
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    const api::ObjectKey key = waiting_.begin()->second;
    MakeReady(key, entries_.at(key));
  }
  if (ready_.empty()) return nullptr;
  const auto next = ready_.extract(ready_.begin());
  return std::move(entries_.extract(next.mapped()).mapped().pod);
}

void SchedulingQueue::PutAside(Pod pod, SteadyTime now) {
  const api::ObjectKey key = api::ObjectKey::Of(*pod);
  const auto [at, added] = entries_.try_emplace(key);
  if (!added) return;  // it has changed since it was popped, and is here already
  ++tries_[key];
  const std::int64_t priority = pod->spec.priority.value_or(0);
  at->second = {.pod = std::move(pod),
                .order = {-priority, arrivals_++},
                .place = Place::kAside,
                .due = now + kLongestAside,
                .put_aside = now};
  waiting_.emplace(at->second.due, key);
  aside_.insert(key);
}

void SchedulingQueue::LookAgain(SteadyTime now) {
  for (const api::ObjectKey& key : std::exchange(aside_, {})) {
    Entry& entry = entries_.at(key);
    waiting_.erase({entry.due, key});
    entry.due = entry.put_aside + BackOffAfter(tries_[key]);
    entry.place = Place::kBackOff;
    if (entry.due <= now) {
      MakeReady(key, entry);
    } else {
      waiting_.emplace(entry.due, key);
    }
  }
}

std::optional<SteadyTime> SchedulingQueue::NextDue() const {
  if (!ready_.empty()) return SteadyTime::min();
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->first;
}

}  // namespace flyball::simulation
