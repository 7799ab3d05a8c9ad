#include "flyball/up/onlooker.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "flyball/api/object_key.h"

namespace flyball::up {
namespace {

using apps::v1::Deployment;

constexpr std::size_t kRecentEvents = 100;
/// A rate is of the last moments: of less than this it would jump about.
constexpr std::chrono::milliseconds kRateSpan{900};

template <typename Condition>
const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool IsTrue(const auto& conditions, std::string_view type) {
  return std::ranges::any_of(conditions, [&](const auto& condition) {
    return condition.type == type && condition.status == "True";
  });
}

std::int64_t RevisionOf(const Deployment& deployment) {
  const auto* const text =
      deployment.metadata.annotations.find("deployment.kubernetes.io/revision");
  std::int64_t revision = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), revision);
  return revision;
}

Rollout::State StateOf(const Deployment& deployment, const Rollout& rollout) {
  if (deployment.spec.paused) return Rollout::State::kPaused;
  if (!rollout.reason.empty()) return Rollout::State::kStuck;
  const bool done = deployment.status.observedGeneration >= deployment.metadata.generation &&
                    rollout.updated >= rollout.desired && rollout.old == 0 &&
                    rollout.available >= rollout.desired;
  return done ? Rollout::State::kDone : Rollout::State::kUnderWay;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace

Rollout RolloutOf(const Deployment& deployment) {
  const auto& status = deployment.status;
  Rollout rollout{.name = api::ObjectKey::Of(deployment).ToString(),
                  .revision = RevisionOf(deployment),
                  .desired = deployment.spec.replicas.value_or(1),
                  .updated = status.updatedReplicas,
                  .available = status.availableReplicas,
                  .old = std::max(0, status.replicas - status.updatedReplicas)};
  const auto& containers = deployment.spec.template_.spec.containers;
  if (!containers.empty()) rollout.image = containers.front().image;
  const auto* const failure = FindCondition(status.conditions, "ReplicaFailure");
  const auto* const progress = FindCondition(status.conditions, "Progressing");
  if (failure != nullptr && failure->status == "True") {
    rollout.reason = failure->message;
  } else if (progress != nullptr && progress->reason == "ProgressDeadlineExceeded") {
    rollout.reason = progress->message;
  }
  rollout.state = StateOf(deployment, rollout);
  return rollout;
}

Onlooker::Onlooker(Deps deps)
    : deps_(std::move(deps)),
      deployments_(deps_.informers.Of<Deployment>()),
      pods_(deps_.informers.Of<views::Pod>()),
      nodes_(deps_.informers.Of<views::Node>()),
      events_(deps_.informers.Of<core::v1::Event>({.keep = cache::Keep::kNames})),
      looked_at_(deps_.clock.SteadyNow()) {
  const auto follow = [this](const auto& informer) {
    const auto note = [this](const auto&, const auto&) { changed_ = true; };
    handlers_.push_back(informer.AddHandler("onlooker",
                                            {.added = note, .updated = note, .deleted = note},
                                            {.delivery = cache::Delivery::kQuick}));
  };
  follow(deployments_);
  follow(pods_);
  follow(nodes_);
  handlers_.push_back(
      events_.AddHandler("onlooker",
                         {.added =
                              [this](const auto& event, bool initial) {
                                if (!initial) Happened(*event);
                              },
                          .updated = [this](const auto&, const auto& event) { Happened(*event); }},
                         {.delivery = cache::Delivery::kQuick}));
}

void Onlooker::Happened(const core::v1::Event& event) {
  changed_ = true;
  MutexLock lock(mutex_);
  recent_.push_back({.when = deps_.clock.WallNow(),
                     .warning = event.type == "Warning",
                     .about = Lower(event.involvedObject.kind) + "/" + event.involvedObject.name,
                     .reason = event.reason,
                     .message = event.message});
  if (recent_.size() > kRecentEvents) recent_.pop_front();
}

PodCounts Onlooker::CountPods(std::map<std::string, std::size_t>& by_node) const {
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

std::vector<ControllerLine> Onlooker::LookAtControllers() {
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

Snapshot Onlooker::Look() {
  changed_ = false;
  Snapshot snapshot{.now = deps_.clock.WallNow(), .server = deps_.server};
  for (const auto& deployment : deployments_.lister().List()) {
    snapshot.rollouts.push_back(RolloutOf(*deployment));
  }
  std::ranges::sort(snapshot.rollouts, {}, &Rollout::name);
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
