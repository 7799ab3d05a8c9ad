#include "flyball/controllers/garbage_collector/monitors.h"

#include <algorithm>
#include <utility>

namespace flyball::controllers::garbage_collector {
namespace {

using client::Resource;

std::string Describe(const std::vector<client::UnknownGroup>& unknown) {
  std::string text;
  for (const client::UnknownGroup& group : unknown) {
    text += (text.empty() ? "" : "; ") + group.group + "/" + group.version + ": " + group.reason;
  }
  return text;
}

}  // namespace

bool Monitors::Refresh(const std::stop_token& stop) {
  const auto served = client::Discover(deps_.client.rest());
  if (!served) {
    NoteProblem(served.error().Describe());
    deps_.sync_errors.Increment();
    return false;
  }
  NoteProblem(Describe(served->unknown));
  const std::vector<Resource> wanted = CollectableStill(*served, Watched());
  if (wanted.empty()) {
    deps_.sync_errors.Increment();
    return false;
  }
  {
    auto kinds = std::make_shared<const ServedKinds>(*served);
    const MutexLock lock(mutex_);
    kinds_.swap(kinds);
  }
  if (!stop.stop_requested() && Change(wanted)) WaitForSync(stop);
  return true;
}

void Monitors::NoteProblem(const std::string& problem) {
  if (problem == problem_) return;
  problem_ = problem;
  if (problem.empty()) {
    deps_.log.Info("All that the server serves is known again");
  } else {
    deps_.log.Info("Not all that the server serves is known", {{"problem", problem}});
  }
}

std::vector<Resource> Monitors::Watched() const {
  const MutexLock lock(mutex_);
  std::vector<Resource> watched;
  for (const auto& [name, entry] : monitors_) watched.push_back(entry.resource);
  return watched;
}

bool Monitors::Change(const std::vector<Resource>& wanted) {
  const std::vector<Resource> watched = Watched();
  bool changed = false;
  for (const Resource& resource : watched) {
    if (std::ranges::find(wanted, resource) != wanted.end()) continue;
    changed = true;
    Forget(resource);
  }
  for (const Resource& resource : wanted) {
    if (std::ranges::find(watched, resource) != watched.end()) continue;
    changed = true;
    Watch(resource);
  }
  return changed;
}

void Monitors::Watch(const Resource& resource) {
  deps_.log.V(2).Info("Watching a resource", {{"resource", resource.QualifiedName()}});
  Monitor monitor = deps_.informers.Follow(
      resource, {.name = "garbage-collector-controller",
                 .stored = [this, resource](const auto& object) { told_.stored(resource, object); },
                 .deleted = told_.deleted});
  const MutexLock lock(mutex_);
  if (!ended_) {
    monitors_.insert_or_assign(resource.QualifiedName(), Entry{resource, std::move(monitor)});
  }
}

void Monitors::Forget(const Resource& resource) {
  deps_.log.V(2).Info("A resource is gone", {{"resource", resource.QualifiedName()}});
  Entry entry;
  {
    const MutexLock lock(mutex_);
    const auto found = monitors_.find(resource.QualifiedName());
    if (found == monitors_.end()) return;
    entry = std::move(found->second);
    monitors_.erase(found);
  }
  entry.monitor.registration.reset();
  deps_.informers.Unfollow(resource);
  told_.forgotten(resource);
}

/// One that does not come is waited for once, and then goes on by itself.
void Monitors::WaitForSync(const std::stop_token& stop) {
  std::vector<std::shared_ptr<cache::InformerCore>> sources;
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, entry] : monitors_) sources.push_back(entry.monitor.source);
  }
  std::stop_source enough;
  const std::stop_callback on_stop(stop, [&] { enough.request_stop(); });
  Timer limit(deps_.timers, [&] { enough.request_stop(); });
  limit.FireBy(deps_.timers.clock().DeadlineAfter(kPeriod));

  std::string missing;
  for (const auto& source : sources) {
    if (source->WaitForSync(enough.get_token())) continue;
    missing += (missing.empty() ? "" : ", ") + source->name();
  }
  if (missing.empty() || stop.stop_requested()) return;
  deps_.sync_errors.Increment();
  deps_.log.Info("Some resources could not be read yet, proceeding without them",
                 {{"resources", missing}});
}

void Monitors::End() {
  std::map<std::string, Entry> ended;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    ended.swap(monitors_);
  }
  for (auto& [name, entry] : ended) {
    entry.monitor.registration.reset();
    deps_.informers.Unfollow(entry.resource);
  }
}

std::optional<Resource> Monitors::Find(std::string_view api_version, std::string_view kind) const {
  std::shared_ptr<const ServedKinds> kinds;
  {
    const MutexLock lock(mutex_);
    kinds = kinds_;
  }
  return kinds->Find(api_version, kind);
}

bool Monitors::IsReliable(const Resource& resource) const {
  std::shared_ptr<cache::InformerCore> source;
  {
    const MutexLock lock(mutex_);
    const auto found = monitors_.find(resource.QualifiedName());
    if (found == monitors_.end()) return true;  // of what is not watched the server alone knows
    source = found->second.monitor.source;
  }
  const cache::SyncState state = source->state();
  return state.synced && !state.problem;
}

}  // namespace flyball::controllers::garbage_collector
