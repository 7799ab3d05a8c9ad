#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/protobuf_encode.h"
#include "flyball/api/view_decode.h"
#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/daemon_set/plan.h"

/// Sets, nodes and pods for tests of what is decided about them.
namespace flyball::controllers::daemon_set {

inline constexpr std::int64_t kNow = 1'000'000;

inline apps::v1::DaemonSet Agent() {
  apps::v1::DaemonSet set;
  set.metadata.namespace_ = "default";
  set.metadata.name = "agent";
  set.metadata.uid = "uid-of-agent";
  set.metadata.generation = 3;
  set.spec.selector.emplace().matchLabels["app"] = "agent";
  set.spec.template_.metadata.labels["app"] = "agent";
  core::v1::Container& container = set.spec.template_.spec.containers.emplace_back();
  container.name = "main";
  container.image = "agent:1";
  set.spec.updateStrategy.type = "RollingUpdate";
  auto& update = set.spec.updateStrategy.rollingUpdate.emplace();
  update.maxUnavailable = api::IntOrString(1);
  update.maxSurge = api::IntOrString(0);
  set.spec.revisionHistoryLimit = 10;
  return set;
}

inline apps::v1::DaemonSet Surging(std::int32_t surge) {
  apps::v1::DaemonSet set = Agent();
  set.spec.updateStrategy.rollingUpdate->maxUnavailable = api::IntOrString(0);
  set.spec.updateStrategy.rollingUpdate->maxSurge = api::IntOrString(surge);
  return set;
}

inline std::shared_ptr<const views::Node> ViewOf(const core::v1::Node& node) {
  api::ViewDecoder decoder;
  return decoder.Decode<views::Node>(api::EncodeProtobuf(node).value()).value();
}

inline core::v1::Taint TaintOf(const std::string& key, const std::string& effect) {
  core::v1::Taint taint;
  taint.key = key;
  taint.effect = effect;
  return taint;
}

/// A pod on a node: running, ready for a long time and up to date, if nothing else is said.
struct PodFacts {
  std::string node = "a";
  std::string hash = "new";
  std::string phase = "Running";
  std::optional<std::int64_t> ready_since = 0;
  bool bound = true;
  bool going = false;
  std::int64_t created = 0;
  std::optional<std::string> generation = std::nullopt;
};

inline PodRef PodNamed(const std::string& name, const PodFacts& facts = {}) {
  core::v1::Pod pod;
  pod.metadata.namespace_ = "default";
  pod.metadata.name = name;
  pod.metadata.uid = "uid-of-" + name;
  if (!facts.hash.empty()) pod.metadata.labels[kHashLabel] = facts.hash;
  if (facts.generation) pod.metadata.labels[kGenerationLabel] = *facts.generation;
  pod.metadata.creationTimestamp = api::Time::FromUnix(facts.created);
  if (facts.going) pod.metadata.deletionTimestamp = api::Time::FromUnix(kNow);
  if (facts.bound) {
    pod.spec.nodeName = facts.node;
  } else {
    pod = BoundTo(std::move(pod), facts.node);
  }
  pod.status.phase = facts.phase;
  if (facts.ready_since) {
    pod.status.conditions.push_back(ReadyCondition(api::Time::FromUnix(*facts.ready_since)));
  }
  return controllers::ViewOf(pod);
}

inline const Fitness kRuns{.runs = true, .stays = true};
inline const Fitness kStays{.runs = false, .stays = true};
inline const Fitness kNeither{};

inline Observed Seen(const apps::v1::DaemonSet& set, std::vector<FittedNode> nodes,
                     const std::vector<PodRef>& pods) {
  return {.set = set,
          .nodes = std::move(nodes),
          .pods = ByNode(pods),
          .template_revision = {"new", std::nullopt},
          .now = api::Time::FromUnix(kNow).ToWallTime()};
}

inline std::vector<std::string> NamesOf(const std::vector<PodRef>& pods) {
  std::vector<std::string> names;
  for (const PodRef& pod : pods) names.emplace_back(pod->metadata.name);
  return names;
}

}  // namespace flyball::controllers::daemon_set
