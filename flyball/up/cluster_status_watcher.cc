#include "flyball/up/cluster_status_watcher.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "flyball/up/rollout.h"

namespace flyball::up {
namespace {

constexpr std::size_t kRecentEvents = 100;
/// A rate is of the last moments: of less than this it would jump about.
constexpr std::chrono::milliseconds kRateSpan{900};

bool IsTrue(const auto& conditions, std::string_view type) {
  return std::ranges::any_of(conditions, [&](const auto& condition) {
    return condition.type == type && condition.status == "True";
  });
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace

ClusterStatusWatcher::ClusterStatusWatcher(Deps deps)
    : deps_(std::move(deps)),
      deployments_(deps_.informers.Of<apps::v1::Deployment>()),
      stateful_sets_(deps_.informers.Of<apps::v1::StatefulSet>()),
      daemon_sets_(deps_.informers.Of<apps::v1::DaemonSet>()),
      pods_(deps_.informers.Of<views::Pod>()),
      nodes_(deps_.informers.Of<views::Node>()),
      events_(deps_.informers.Of<core::v1::Event>({.keep = cache::Keep::kNames})),
      looked_at_(deps_.clock.SteadyNow()) {
  const auto follow = [this](const auto& informer) {
    const auto note = [this](const auto&, const auto&) { changed_ = true; };
    handlers_.push_back(informer.AddHandler("onlooker",
                                            {.added = note, .updated = note, .deleted = note},
                                            {.delivery = cache::Delivery::kInline}));
  };
  follow(deployments_);
  follow(stateful_sets_);
  follow(daemon_sets_);
  follow(pods_);
  follow(nodes_);
  handlers_.push_back(
      events_.AddHandler("onlooker",
                         {.added =
                              [this](const auto& event, bool initial) {
                                if (!initial) Happened(*event);
                              },
                          .updated = [this](const auto&, const auto& event) { Happened(*event); }},
                         {.delivery = cache::Delivery::kInline}));
}

void ClusterStatusWatcher::Happened(const core::v1::Event& event) {
  changed_ = true;
  MutexLock lock(mutex_);
  recent_.push_back({.when = deps_.clock.WallNow(),
                     .warning = event.type == "Warning",
                     .about = Lower(event.involvedObject.kind) + "/" + event.involvedObject.name,
                     .reason = event.reason,
                     .message = event.message});
  if (recent_.size() > kRecentEvents) recent_.pop_front();
}

PodCounts ClusterStatusWatcher::CountPods(std::map<std::string, std::size_t>& by_node) const {
  PodCounts counts;
  for (const auto& pod : pods_.lister().List()) {
    const std::string_view phase = pod->status.phase;
    if (phase == "Succeeded" || phase == "Failed") {
      ++(phase == "Failed" ? counts.failed : counts.finished);
      continue;
    }
    if (!pod->spec.nodeName.empty()) ++by_node[std::string(pod->spec.nodeName)];
    if (pod->metadata.deletionTimestamp) {
      ++counts.ending;
    } else if (pod->spec.nodeName.empty()) {
      ++counts.pending;
    } else {
      ++(IsTrue(pod->status.conditions, "Ready") ? counts.ready : counts.starting);
    }
  }
  return counts;
}

std::vector<ControllerLine> ClusterStatusWatcher::LookAtControllers() {
  const SteadyTime now = deps_.clock.SteadyNow();
  const auto span = now - looked_at_;
  const bool anew = span >= kRateSpan;
  std::vector<ControllerLine> lines;
  for (const endpoints::ControllerReport& report : deps_.controllers()) {
    ControllerLine& line = last_[report.name];
    line.name = report.name;
    line.waiting = line.failing = 0;
    Before sum;
    for (const runtime::QueueReport& queue : report.queues) {
      line.waiting += queue.sizes.pending;
      line.failing += queue.failing;
      sum.reconciles += queue.reconciles;
      sum.busy += queue.busy;
    }
    line.reconciles = sum.reconciles;
    if (anew) {
      const Before before = std::exchange(before_[report.name], sum);
      const std::uint64_t done = sum.reconciles - before.reconciles;
      line.rate = static_cast<double>(done) / std::chrono::duration<double>(span).count();
      if (done > 0) line.latency = (sum.busy - before.busy) / static_cast<std::int64_t>(done);
    }
    lines.push_back(line);
  }
  if (anew) looked_at_ = now;
  return lines;
}

Snapshot ClusterStatusWatcher::Look() {
  changed_ = false;
  Snapshot snapshot{.now = deps_.clock.WallNow(), .server = deps_.server};
  const auto look_at = [&](const auto& informer) {
    for (const auto& workload : informer.lister().List()) {
      snapshot.rollouts.push_back(RolloutOf(*workload));
    }
  };
  look_at(deployments_);
  look_at(stateful_sets_);
  look_at(daemon_sets_);
  std::ranges::sort(snapshot.rollouts, {},
                    [](const Rollout& rollout) { return std::tie(rollout.name, rollout.kind); });
  std::map<std::string, std::size_t> by_node;
  snapshot.pods = CountPods(by_node);
  for (const auto& node : nodes_.lister().List()) {
    const std::string name(node->metadata.name);
    snapshot.nodes.push_back(
        {.name = name, .ready = IsTrue(node->status.conditions, "Ready"), .pods = by_node[name]});
  }
  std::ranges::sort(snapshot.nodes, {}, &NodeLine::name);
  snapshot.controllers = LookAtControllers();
  MutexLock lock(mutex_);
  snapshot.events.assign(recent_.begin(), recent_.end());
  return snapshot;
}

}  // namespace flyball::up
