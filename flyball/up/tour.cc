#include "flyball/up/tour.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/simulation/annotations.h"
#include "flyball/up/manifests.h"
#include "flyball/up/rollout.h"

namespace flyball::up {
namespace {

using apps::v1::DaemonSet;
using apps::v1::Deployment;
using apps::v1::StatefulSet;
using core::v1::Node;
using core::v1::Pod;

constexpr std::string_view kReplicaSet = "ReplicaSet";
constexpr std::chrono::milliseconds kLookEvery{100};

template <typename T>
Result<bool> AreRolledOut(const client::Client& client) {
  FLYBALL_TRY(const auto all, client.Of<T>().ListIn(""));
  return std::ranges::all_of(
      all.items, [](const T& one) { return RolloutOf(one).state == Rollout::State::kDone; });
}

bool IsPodOf(const Pod& pod, std::string_view kind) {
  return std::ranges::any_of(pod.metadata.ownerReferences,
                             [&](const auto& owner) { return owner.kind == kind; });
}

bool IsReady(const Node& node) {
  return std::ranges::any_of(node.status.conditions, [](const auto& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

/// The pods that ReplicaSets still count, by node.
Result<std::map<std::string, int>> PodsOfSetsByNode(const client::Client& client) {
  FLYBALL_TRY(const auto pods, client.Of<Pod>().ListIn(""));
  std::map<std::string, int> counts;
  for (const Pod& pod : pods.items) {
    const bool counts_here = IsPodOf(pod, kReplicaSet) && !pod.metadata.deletionTimestamp;
    if (counts_here && !pod.spec.nodeName.empty()) ++counts[pod.spec.nodeName];
  }
  return counts;
}

/// A version that is another: the last part of the image's name, counted on.
std::string NewerImage(const std::string& image) {
  return image.substr(0, image.find(':')) + ":next";
}

}  // namespace

Result<> Tour::Run(const std::stop_token& stop) {
  stop_ = stop;
  for (const auto step : {&Tour::RollOut, &Tour::LoseAPod, &Tour::LoseAPodWithAName,
                          &Tour::LoseANode, &Tour::RollToANewVersion}) {
    FLYBALL_TRY((this->*step)());
    if (!deps_.clock.SleepFor(options_.pause, stop_)) break;
  }
  Say(stop_.stop_requested() ? "The tour was stopped" : "That was the tour; the cluster is yours");
  return {};
}

Result<> Tour::RollOut() {
  Say("An application is applied: its Deployment makes a ReplicaSet, which makes pods");
  FLYBALL_TRY(const auto objects, ReadManifests(options_.application));
  FLYBALL_TRY(ApplyManifests(deps_.client, objects));
  return AwaitRollouts("the first rollout");
}

Result<> Tour::LoseAPod() { return LosePodOf(kReplicaSet, "its ReplicaSet makes another"); }

Result<> Tour::LoseAPodWithAName() {
  return LosePodOf("StatefulSet",
                   "its StatefulSet makes another of the same name, with its volume");
}

Result<> Tour::LosePodOf(std::string_view kind, const std::string& what_follows) {
  FLYBALL_TRY(const auto pods, deps_.client.Of<Pod>().ListIn(""));
  const auto owned =
      std::ranges::find_if(pods.items, [&](const Pod& pod) { return IsPodOf(pod, kind); });
  if (owned == pods.items.end()) return {};
  Say("Pod " + owned->metadata.name + " is deleted: " + what_follows);
  FLYBALL_TRY(deps_.client.Of<Pod>().Delete(api::ObjectKey::Of(*owned)));
  return AwaitRollouts("the pod's successor");
}

Result<> Tour::LoseANode() {
  if (!options_.lose_a_node) return {};
  FLYBALL_TRY(const auto counts, PodsOfSetsByNode(deps_.client));
  if (counts.empty()) return {};
  const std::string node =
      std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; })->first;
  Say("Node " + node + " falls silent: when it has missed its heartbeats, its pods are made anew " +
      "on the others");
  FLYBALL_TRY(SetSilent(node, true));
  FLYBALL_TRY(Await("giving up the lost node's pods", [&]() -> Result<bool> {
    FLYBALL_TRY(const auto left, PodsOfSetsByNode(deps_.client));
    return !left.contains(node);
  }));
  FLYBALL_TRY(Await("replacing the lost node's pods",
                    [&] { return AreRolledOut<Deployment>(deps_.client); }));
  if (!deps_.clock.SleepFor(options_.pause, stop_)) return {};

  Say("Node " + node + " is back: pods that waited for it go on, the others end");
  FLYBALL_TRY(SetSilent(node, false));
  FLYBALL_TRY(Await("the node's return", [&]() -> Result<bool> {
    FLYBALL_TRY(const Node now, deps_.client.Of<Node>().Get({"", node}));
    return IsReady(now) && now.spec.taints.empty();
  }));
  return AwaitRollouts("what the node's return brings");
}

Result<> Tour::SetSilent(const std::string& node, bool silent) {
  const std::string name(simulation::kSilent);
  api::Json value = silent ? api::Json("true") : api::Json();
  const api::Json patch = api::Json::Object{
      {"metadata",
       api::Json::Object{{"annotations", api::Json::Object{{name, std::move(value)}}}}}};
  FLYBALL_TRY(deps_.client.Of<Node>().Patch({"", node}, client::Patch::Merge(patch)));
  return {};
}

Result<> Tour::RollToANewVersion() {
  FLYBALL_TRY(const auto deployments, deps_.client.Of<Deployment>().ListIn(""));
  for (const Deployment& deployment : deployments.items) {
    if (deployment.spec.template_.spec.containers.empty()) continue;
    const core::v1::Container& first = deployment.spec.template_.spec.containers.front();
    const std::string image = NewerImage(first.image);
    Say("Deployment " + deployment.metadata.name + " is rolled to " + image +
        ": a second ReplicaSet grows while the first shrinks");
    api::Json container = api::Json::Object{{"name", first.name}, {"image", image}};
    api::Json spec = api::Json::Object{{"containers", api::Json::Array{std::move(container)}}};
    api::Json pods = api::Json::Object{{"spec", std::move(spec)}};
    const api::Json patch =
        api::Json::Object{{"spec", api::Json::Object{{"template", std::move(pods)}}}};
    FLYBALL_TRY(deps_.client.Of<Deployment>().Patch(api::ObjectKey::Of(deployment),
                                                    client::Patch::Strategic(patch)));
  }
  return AwaitRollouts("the new version");
}

Result<> Tour::AwaitRollouts(const std::string& step) {
  return Await(step, [this]() -> Result<bool> {
    FLYBALL_TRY(const bool deployments, AreRolledOut<Deployment>(deps_.client));
    FLYBALL_TRY(const bool stateful_sets, AreRolledOut<StatefulSet>(deps_.client));
    FLYBALL_TRY(const bool daemon_sets, AreRolledOut<DaemonSet>(deps_.client));
    return deployments && stateful_sets && daemon_sets;
  });
}

Result<> Tour::Await(const std::string& step, const std::function<Result<bool>()>& is_reached) {
  const SteadyTime deadline = deps_.clock.DeadlineAfter(options_.patience);
  // What has just been changed has to be noticed first.
  for (deps_.clock.SleepFor(kLookEvery, stop_); !stop_.stop_requested();
       deps_.clock.SleepFor(kLookEvery, stop_)) {
    FLYBALL_TRY(const bool reached, is_reached());
    if (reached) return {};
    if (deps_.clock.SteadyNow() > deadline) {
      return Fail(ErrorCode::kTimeout, step + " did not finish in time");
    }
  }
  return {};
}

}  // namespace flyball::up
