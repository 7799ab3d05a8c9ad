#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/int_or_string.h"
#include "flyball/api/time.h"
#include "flyball/base/clock.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/deployment/annotations.h"
#include "flyball/controllers/deployment/rollout.h"

/// Deployments and ReplicaSets for the tests of decisions.
namespace flyball::controllers::deployment {

inline const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 16)};

inline core::v1::PodTemplateSpec FakeTemplate(const std::string& image) {
  core::v1::PodTemplateSpec pod_template;
  pod_template.metadata.labels["app"] = "web";
  core::v1::Container& container = pod_template.spec.containers.emplace_back();
  container.name = "web";
  container.image = image;
  return pod_template;
}

/// "ns/web" of so many pods of web:new, which rolls with a surge of 3 and 2 unavailable.
inline apps::v1::Deployment FakeDeployment(
    std::int32_t replicas, const std::function<void(apps::v1::Deployment&)>& change = {}) {
  apps::v1::Deployment deployment;
  deployment.metadata.namespace_ = "ns";
  deployment.metadata.name = "web";
  deployment.metadata.uid = "web-uid";
  deployment.metadata.generation = 7;
  deployment.metadata.resourceVersion = "70";
  deployment.spec.replicas = replicas;
  deployment.spec.selector.emplace().matchLabels["app"] = "web";
  deployment.spec.template_ = FakeTemplate("web:new");
  deployment.spec.strategy.type = kRollingUpdate;
  auto& rolling = deployment.spec.strategy.rollingUpdate.emplace();
  rolling.maxSurge = api::IntOrString(3);
  rolling.maxUnavailable = api::IntOrString(2);
  deployment.spec.revisionHistoryLimit = 10;
  deployment.spec.progressDeadlineSeconds = 600;
  if (change) change(deployment);
  return deployment;
}

inline apps::v1::Deployment FakeDeployment(std::int32_t replicas, api::IntOrString surge,
                                           api::IntOrString unavailable) {
  return FakeDeployment(replicas, [&](apps::v1::Deployment& deployment) {
    deployment.spec.strategy.rollingUpdate->maxSurge = std::move(surge);
    deployment.spec.strategy.rollingUpdate->maxUnavailable = std::move(unavailable);
  });
}

struct FakeSetState {
  std::int32_t size = 0;
  std::int32_t available = 0;
  int age = 100;     ///< seconds
  int revision = 0;  ///< 0: none is written on it
  int desired = -1;  ///< the sizes that are noted on it; -1: none
  int most = -1;
};

/// A set of the deployment, of web:<name>, whose pods are all there and so many available.
inline SetRef FakeSet(const std::string& name, FakeSetState state,
                      const std::function<void(apps::v1::ReplicaSet&)>& change = {}) {
  apps::v1::ReplicaSet set;
  set.metadata.namespace_ = "ns";
  set.metadata.name = name;
  set.metadata.uid = name + "-uid";
  set.metadata.generation = 2;
  set.metadata.resourceVersion = "20";
  set.metadata.creationTimestamp = api::Time(kNow - std::chrono::seconds(state.age));
  set.metadata.labels = {{"app", "web"}, {std::string(kHashLabel), name}};
  set.metadata.ownerReferences.push_back(common::ControllerRefTo(FakeDeployment(1)));
  auto& annotations = set.metadata.annotations;
  if (state.revision > 0) annotations[kRevision] = std::to_string(state.revision);
  if (state.desired >= 0) annotations[kDesiredReplicas] = std::to_string(state.desired);
  if (state.most >= 0) annotations[kMaxReplicas] = std::to_string(state.most);
  set.spec.replicas = state.size;
  set.spec.template_ = FakeTemplate("web:" + name);
  set.spec.template_.metadata.labels[kHashLabel] = name;
  set.status.replicas = state.size;
  set.status.readyReplicas = set.status.availableReplicas = state.available;
  set.status.terminatingReplicas = 0;
  set.status.observedGeneration = 2;
  if (change) change(set);
  return std::make_shared<const apps::v1::ReplicaSet>(std::move(set));
}

/// "a=3 b=0".
inline std::string ToString(const std::vector<Resize>& resizes) {
  std::string text;
  for (const Resize& resize : resizes) {
    text += (text.empty() ? "" : " ") + resize.set->metadata.name + "=" + std::to_string(resize.to);
  }
  return text;
}

}  // namespace flyball::controllers::deployment
