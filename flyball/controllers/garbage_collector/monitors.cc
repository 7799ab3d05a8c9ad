#include "flyball/controllers/garbage_collector/monitors.h"

#include <algorithm>
#include <iterator>
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

std::vector<Resource> Without(const std::vector<Resource>& some,
                              const std::vector<Resource>& others) {
  std::vector<Resource> rest;
  std::ranges::copy_if(some, std::back_inserter(rest), [&](const Resource& resource) {
    return std::ranges::find(others, resource) == others.end();
  });
  return rest;
}

/// "[pods jobs.batch]".
std::string NamesOf(const std::vector<Resource>& resources) {
  std::string text;
  for (const Resource& resource : resources) {
    text += (text.empty() ? "" : " ") + resource.QualifiedName();
  }
  return "[" + text + "]";
}

}  // namespace

bool Monitors::Refresh(const std::stop_token& stop) {
  const auto served = client::Discover(deps_.client.rest());
  if (!served) {
    NoteProblem(served.error().Describe(), /*all=*/true);
    deps_.sync_errors.Increment();
    return false;
  }
  NoteProblem(Describe(served->unknown), /*all=*/false);
  const std::vector<Resource> wanted = CollectableStill(*served, Watched());
  if (wanted.empty()) {
    deps_.log.V(2).Info("no resources reported by discovery, skipping garbage collector sync");
    deps_.sync_errors.Increment();
    return false;
  }
  {
    auto kinds = std::make_shared<const ServedKinds>(*served);
    const MutexLock lock(mutex_);
    kinds_.swap(kinds);
  }
  if (stop.stop_requested()) return true;
  if (Change(wanted)) {
    WaitForSync(stop);
    deps_.log.V(2).Info("synced garbage collector");
  } else {
    deps_.log.V(5).Info("no resource updates from discovery, skipping garbage collector sync");
  }
  return true;
}

void Monitors::NoteProblem(const std::string& problem, bool all) {
  if (problem == problem_) return;
  problem_ = problem;
  if (problem.empty()) {
    deps_.log.Info("Discovered all groups again");
  } else if (all) {
    deps_.log.Info("failed to discover preferred resources", {{"error", problem}});
  } else {
    deps_.log.Info("failed to discover some groups", {{"groups", problem}});
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
  const std::vector<Resource> removed = Without(watched, wanted);
  const std::vector<Resource> added = Without(wanted, watched);
  if (removed.empty() && added.empty()) return false;
  deps_.log.V(2).Info("syncing garbage collector with updated resources from discovery",
                      {{"diff", "added: " + NamesOf(added) + ", removed: " + NamesOf(removed)}});
  for (const Resource& resource : removed) Forget(resource);
  for (const Resource& resource : added) Watch(resource);
  deps_.log.V(4).Info("synced monitors", {{"added", added.size()},
                                          {"kept", watched.size() - removed.size()},
                                          {"removed", removed.size()}});
  return true;
}

void Monitors::Watch(const Resource& resource) {
  deps_.log.V(4).Info("Starting monitor", {{"resource", resource.QualifiedName()}});
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
  deps_.log.V(4).Info("Stopping monitor, resource is not served any more",
                      {{"resource", resource.QualifiedName()}});
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
  if (stop.stop_requested()) return;
  if (missing.empty()) {
    deps_.log.Info("Garbage collector: all resource monitors have synced");
    return;
  }
  deps_.sync_errors.Increment();
  deps_.log.Info("Garbage collector: not all resource monitors could be synced, proceeding anyways",
                 {{"resources", missing}});
}

void Monitors::End() {
  std::map<std::string, Entry> ended;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    ended.swap(monitors_);
  }
  deps_.log.Info("stopped monitors", {{"stopped", ended.size()}, {"total", ended.size()}});
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
