#include "flyball/controllers/daemon_set/plan.h"

#include <algorithm>
#include <iterator>

#include "flyball/controllers/common/pod_condition.h"
#include "flyball/controllers/daemon_set/rolling_plan.h"

namespace flyball::controllers::daemon_set {
namespace {

using std::chrono::nanoseconds;

/// Decides node by node.
class Planner {
 public:
  Planner(const Observed& observed, const FailedPodWait& wait)
      : observed_(observed), wait_(wait), surges_(AllowsSurge(observed.set)) {}

  Plan Make() && {
    const std::vector<Place> places = PlacesOf(observed_);
    for (const Place& place : places) {
      if (!place.fitness) continue;
      if (place.fitness->runs && place.pods.empty()) {
        plan_.create.emplace_back(place.node);
      } else {
        place.fitness->stays ? Keep(place) : Clear(place.pods);
      }
    }
    for (const Place& place : places) {
      if (!place.fitness) RemoveUnbound(place.pods);
    }
    return std::move(plan_);
  }

 private:
  void Clear(std::span<const PodRef> pods) {
    for (const PodRef& pod : pods) {
      if (!pod->metadata.deletionTimestamp) plan_.remove.push_back(pod);
    }
  }

  void Keep(const Place& place) {
    std::vector<PodRef> running;
    for (const PodRef& pod : place.pods) {
      if (pod->metadata.deletionTimestamp) continue;
      if (pod->status.phase == "Failed") {
        RemoveFailed(place.node, pod);
      } else if (pod->status.phase == "Succeeded") {
        Say(runtime::EventType::kNormal, "SucceededDaemonPod",
            "Found succeeded daemon pod " + NameOf(*pod) + " on node " + std::string(place.node) +
                ", will try to delete it");
        plan_.remove.push_back(pod);
      } else {
        running.push_back(pod);
      }
    }
    if (running.size() > 1) {
      surges_ ? KeepOneOfEachEdition(running) : KeepFirst(running);
    } else if (surges_ && running.empty() && place.fitness->runs) {
      // One that goes is not waited for.
      plan_.create.emplace_back(place.node);
    }
  }

  /// Kubelet may have turned it away, and would turn away the next one just as soon.
  void RemoveFailed(std::string_view node, const PodRef& pod) {
    auto wait = wait_(node);
    // Of two on one node the second has to wait for what the first one's removal makes of it.
    if (!plan_.failed_on.empty() && plan_.failed_on.back() == node) wait = nanoseconds::max();
    if (wait) {
      plan_.requeue_after = std::min(plan_.requeue_after.value_or(nanoseconds::max()), *wait);
      return;
    }
    plan_.failed_on.emplace_back(node);
    Say(runtime::EventType::kWarning, "FailedDaemonPod",
        "Found failed daemon pod " + NameOf(*pod) + " on node " + std::string(node) +
            ", will try to kill it");
    plan_.remove.push_back(pod);
  }

  void KeepFirst(std::span<const PodRef> running) {
    plan_.remove.insert(plan_.remove.end(), running.begin() + 1, running.end());
  }

  // PARITY: goes by the hash alone, where all else takes the deprecated generation too.
  void KeepOneOfEachEdition(std::span<const PodRef> running) {
    PodRef current;
    PodRef old;
    for (const PodRef& pod : running) {
      PodRef& kept = HashOf(*pod) == observed_.template_revision.hash ? current : old;
      if (kept) {
        plan_.remove.push_back(pod);
      } else {
        kept = pod;
      }
    }
    if (!current || !old) return;
    if (!common::IsReady(*old) ||
        common::IsAvailable(*current, observed_.set.spec.minReadySeconds, observed_.now)) {
      plan_.remove.push_back(old);
    }
  }

  /// Pods for a node that is gone: nobody would ever bind them, and what collects pods goes by the
  /// node that they are bound to.
  void RemoveUnbound(std::span<const PodRef> pods) {
    std::ranges::copy_if(pods, std::back_inserter(plan_.remove), [](const PodRef& pod) {
      // DIVERGES: upstream tells one that goes already to go again, each time that it looks.
      return pod->spec.nodeName.empty() && !pod->metadata.deletionTimestamp;
    });
  }

  static std::string NameOf(const views::Pod& pod) {
    return std::string(pod.metadata.namespace_) + "/" + std::string(pod.metadata.name);
  }
  void Say(runtime::EventType type, std::string reason, std::string message) {
    plan_.events.push_back({type, std::move(reason), std::move(message)});
  }

  const Observed& observed_;
  const FailedPodWait& wait_;
  const bool surges_;
  Plan plan_;
};

}  // namespace

std::string Plan::ToString() const {
  const auto count = [](std::size_t size, const std::string& what) {
    return std::to_string(size) + " " + what + (size == 1 ? "" : "s");
  };
  std::string text;
  if (!create.empty()) {
    text = "create " + count(create.size(), "pod") + ", the first for " + create.front();
  }
  if (!remove.empty()) {
    text += (text.empty() ? "delete " : "; delete ") + count(remove.size(), "pod") +
            ", the first " + std::string(remove.front()->metadata.name);
  }
  return text.empty() ? "nothing" : text;
}

std::vector<Place> PlacesOf(const Observed& observed) {
  std::vector<Place> places;
  places.reserve(std::max(observed.nodes.size(), observed.pods.size()));
  auto pods = observed.pods.begin();
  const auto add_missing = [&] {
    places.push_back({.node = pods->first, .fitness = std::nullopt, .pods = pods->second});
    ++pods;
  };
  for (const FittedNode& node : observed.nodes) {
    while (pods != observed.pods.end() && pods->first < node.name) add_missing();
    Place& place = places.emplace_back(node.name, node.fitness, std::span<const PodRef>());
    if (pods == observed.pods.end() || pods->first != node.name) continue;
    place.pods = pods->second;
    ++pods;
  }
  while (pods != observed.pods.end()) add_missing();
  return places;
}

Plan PlanPods(const Observed& observed, const FailedPodWait& wait) {
  return Planner(observed, wait).Make();
}

}  // namespace flyball::controllers::daemon_set
